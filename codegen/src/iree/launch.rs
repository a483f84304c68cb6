//! How a kernel is launched, read from what `iree-compile --compile-to=hal` prints.
//!
//! In that phase `@main` is the host program: it takes the input's buffer, allocates one for the results, records a
//! command buffer with one dispatch, executes it with a table of buffers, and returns views into the buffers. All
//! offsets are constants. Memoization is off, so everything stands in one function:
//!
//! ```text
//! %c64 = arith.constant 64 : index
//! %buffer = hal.buffer_view.buffer<%arg0 : !hal.buffer_view> : !hal.buffer
//! %id = hal.executable.lookup.function target(…) function(@executable::@variant::@symbol) : i64
//! hal.command_buffer.dispatch<…> target(…)[%id] workgroups([%c4, %c1, %c1]) bindings([
//!   (%c0 : index)[%c0, %c65536],           position in the table, offset and length
//!   …
//! hal.device.queue.execute.indirect<…> … bindings([
//!   (%buffer : !hal.buffer)[%c0, %c65536],
//!   …
//! %view = hal.buffer_view.create buffer(%results : !hal.buffer)[%c64, %c16] …
//! util.return %values, %indices
//! ```
//!
//! Anything else (no dispatch or several, an offset that the kernel's pointer would have to include, constants of the
//! kernel) is refused: nothing is assumed about the layout.

use std::collections::HashMap;

use super::IreeError;
use crate::Slot;

/// What it takes to launch the one kernel of a module.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) symbol: String,
    pub(super) workgroups: [u32; 3],
    /// The buffer of each kernel argument.
    pub(super) arguments: Vec<usize>,
    /// Bytes of each buffer.
    pub(super) buffers: Vec<u64>,
    pub(super) input: Slot,
    pub(super) values: Slot,
    pub(super) indices: Slot,
}

impl Launch {
    /// Reads the module that the phase `hal` ends with.
    pub(super) fn read(module: &str) -> Result<Self, IreeError> {
        Host::of(module)
            .and_then(|host| host.launch())
            .map_err(IreeError::Unreadable)
    }
}

/// Why the text is not understood.
type Reading<T> = Result<T, String>;

/// The host function and its constants.
struct Host<'a> {
    body: &'a str,
    constants: HashMap<&'a str, u64>,
}

/// A part of a buffer, or of an entry of the buffer table.
struct Part<'a> {
    name: &'a str,
    offset: u64,
    length: u64,
}

impl<'a> Host<'a> {
    fn of(module: &'a str) -> Reading<Self> {
        let (_, body) = once(module, "util.func public @main(")?;
        let constants = body.lines().filter_map(constant).collect();
        Ok(Self { body, constants })
    }

    fn launch(&self) -> Reading<Launch> {
        let (_, lookup) = once(self.body, "hal.executable.lookup.function ")?;
        let function = within(lookup, "function(", ")")?;
        let symbol = function.rsplit("::@").next().unwrap_or(function);

        let (_, dispatch) = once(self.body, "hal.command_buffer.dispatch<")?;
        if dispatch
            .lines()
            .next()
            .is_some_and(|line| line.contains("constants("))
        {
            return Err("the kernel takes constants".to_owned());
        }
        let workgroups = self.numbers(within(dispatch, "workgroups([", "])")?)?;
        let workgroups = workgroups.iter().map(|&count| u32::try_from(count).ok());
        let workgroups: Option<Vec<u32>> = workgroups.collect();
        let workgroups = workgroups.and_then(|counts| counts.try_into().ok());
        let arguments = self.parts(within(dispatch, "bindings([", "])")?)?;
        let (_, execute) = once(self.body, "hal.device.queue.execute.indirect<")?;
        let table = self.parts(within(execute, "bindings([", "])")?)?;

        for part in arguments.iter().chain(&table) {
            if part.offset != 0 {
                return Err(format!(
                    "a binding at byte {} of {}",
                    part.offset, part.name
                ));
            }
        }
        let arguments = arguments
            .iter()
            .map(|part| self.argument(part, table.len()))
            .collect::<Reading<_>>()?;
        let [values, indices] = self.results(&table)?;
        Ok(Launch {
            symbol: symbol.to_owned(),
            workgroups: workgroups.ok_or("no three 32-bit workgroup counts")?,
            arguments,
            buffers: table.iter().map(|part| part.length).collect(),
            input: self.input(&table)?,
            values,
            indices,
        })
    }

    /// The position in the buffer table that a binding of the dispatch names.
    fn argument(&self, part: &Part<'_>, buffers: usize) -> Reading<usize> {
        let position = self.number(part.name)?;
        usize::try_from(position)
            .ok()
            .filter(|&position| position < buffers)
            .ok_or_else(|| format!("binding {position} of {buffers}"))
    }

    fn input(&self, table: &[Part<'_>]) -> Reading<Slot> {
        let (before, _) = once(self.body, " = hal.buffer_view.buffer<%arg0 ")?;
        let name = before.rsplit([' ', '\n']).next().unwrap_or(before);
        slot(name, 0, table)
    }

    fn results(&self, table: &[Part<'_>]) -> Reading<[Slot; 2]> {
        let (_, returned) = once(self.body, "util.return ")?;
        let names = returned.split(" :").next().unwrap_or(returned);
        let slots = names
            .split(", ")
            .map(|view| {
                let (_, create) = once(self.body, &format!("{view} = hal.buffer_view.create "))?;
                let part = self.part(within(create, "buffer", ")")?, within(create, "[", "]")?)?;
                slot(part.name, part.offset, table)
            })
            .collect::<Reading<Vec<_>>>()?;
        slots
            .try_into()
            .map_err(|slots: Vec<_>| format!("{} results instead of 2", slots.len()))
    }

    /// Every `(%name : type)[%offset, %length]` of a list.
    fn parts(&self, list: &'a str) -> Reading<Vec<Part<'a>>> {
        let items = list.split('(').skip(1);
        items
            .map(|item| self.part(item, within(item, "[", "]")?))
            .collect()
    }

    fn part(&self, name: &'a str, extent: &str) -> Reading<Part<'a>> {
        let name = name.trim_start_matches('(').split(" :").next();
        match self.numbers(extent)?[..] {
            [offset, length] => Ok(Part {
                name: name.unwrap_or_default(),
                offset,
                length,
            }),
            ref other => Err(format!(
                "{} numbers for an offset and a length",
                other.len()
            )),
        }
    }

    fn numbers(&self, names: &str) -> Reading<Vec<u64>> {
        names.split(", ").map(|name| self.number(name)).collect()
    }

    fn number(&self, name: &str) -> Reading<u64> {
        let constant = self.constants.get(name);
        constant
            .copied()
            .ok_or_else(|| format!("{name} is not a constant"))
    }
}

/// The name and the value of `%name = arith.constant 64 : index`.
fn constant(line: &str) -> Option<(&str, u64)> {
    let (name, value) = line.trim().split_once(" = arith.constant ")?;
    Some((name, value.strip_suffix(" : index")?.parse().ok()?))
}

/// Where a tensor at `offset` of the buffer `name` lies.
fn slot(name: &str, offset: u64, table: &[Part<'_>]) -> Reading<Slot> {
    let buffer = table.iter().position(|part| part.name == name);
    buffer
        .map(|buffer| Slot { buffer, offset })
        .ok_or_else(|| format!("{name} is not bound"))
}

/// The text before and after the only occurrence of `mark`.
fn once<'a>(text: &'a str, mark: &str) -> Reading<(&'a str, &'a str)> {
    let mut parts = text.split(mark);
    match (parts.next(), parts.next(), parts.count()) {
        (Some(before), Some(after), 0) => Ok((before, after)),
        (_, None, _) => Err(format!("no {mark:?}")),
        (_, _, more) => Err(format!("{} times {mark:?}", more + 1)),
    }
}

/// The text between the first `start` and the next `end`.
fn within<'a>(text: &'a str, start: &str, end: &str) -> Reading<&'a str> {
    let inner = text
        .split_once(start)
        .and_then(|(_, rest)| rest.split_once(end));
    inner
        .map(|(inner, _)| inner)
        .ok_or_else(|| format!("no {start:?} … {end:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the compiler printed for 4x[4096]xf32, without the statements that play no part.
    const HOST: &str = r#"
  util.func public @main(%arg0: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub} {
    %c-1_i64 = arith.constant -1 : i64
    %c4 = arith.constant 4 : index
    %c65536 = arith.constant 65536 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %buffer = hal.buffer_view.buffer<%arg0 : !hal.buffer_view> : !hal.buffer
    %transient_buffer = hal.device.queue.alloca<%__device_0 : !hal.device> pool(%c0_i64) : !hal.buffer{%c128}
    %cmd = hal.command_buffer.create device(%__device_0 : !hal.device) mode(OneShot) bindings(%c2) : !hal.command_buffer
    %function_id = hal.executable.lookup.function target(%exe : !hal.executable) function(@main_dispatch_0::@rocm_hsaco_fb::@main_dispatch_0_arg_compare_4x4096xf32) : i64
    hal.command_buffer.dispatch<%cmd : !hal.command_buffer> target(%exe : !hal.executable)[%function_id] workgroups([%c4, %c1, %c1]) bindings([
      (%c0 : index)[%c0, %c65536], 
      (%c1 : index)[%c0, %c128], 
      (%c1 : index)[%c0, %c128]
    ]) flags("None")
    hal.device.queue.execute.indirect<%__device_0 : !hal.device> wait(%fence) signal(%fence_0) commands(%cmd) bindings([
      (%buffer : !hal.buffer)[%c0, %c65536], 
      (%transient_buffer : !hal.buffer)[%c0, %c128]
    ]) flags("None")
    %view = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c0, %c16] shape([%c4]) : !hal.buffer_view
    %view_1 = hal.buffer_view.create buffer(%transient_buffer : !hal.buffer)[%c64, %c16] shape([%c4]) : !hal.buffer_view
    util.return %view, %view_1 : !hal.buffer_view, !hal.buffer_view
  }
}
"#;

    #[test]
    fn one_dispatch() {
        let slot = |buffer, offset| Slot { buffer, offset };
        let expected = Launch {
            symbol: "main_dispatch_0_arg_compare_4x4096xf32".to_owned(),
            workgroups: [4, 1, 1],
            arguments: vec![0, 1, 1],
            buffers: vec![65536, 128],
            input: slot(0, 0),
            values: slot(1, 0),
            indices: slot(1, 64),
        };
        assert_eq!(Launch::read(HOST).unwrap(), expected);
    }

    #[test]
    fn results_in_the_order_of_the_return() {
        let text = HOST.replace("util.return %view, %view_1", "util.return %view_1, %view");
        let launch = Launch::read(&text).unwrap();
        assert_eq!((launch.values.offset, launch.indices.offset), (64, 0));
    }

    /// Replaces `from` by `to` and expects a refusal that says `expected`.
    #[track_caller]
    fn check_refused(from: &str, to: &str, expected: &str) {
        assert!(HOST.contains(from), "the text has no {from:?}");
        let error = Launch::read(&HOST.replace(from, to))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        check_refused(
            "util.func public @main(",
            "util.func @other(",
            "no \"util.func",
        );
        check_refused(
            "hal.command_buffer.dispatch<",
            "hal.command_buffer.fill<",
            "no \"hal.command_buffer.dispatch<",
        );
        check_refused(
            "    hal.device.queue.execute",
            "    hal.command_buffer.dispatch<%cmd>\n    hal.device.queue.execute",
            "2 times \"hal.command_buffer.dispatch<",
        );
        check_refused(
            "(%c1 : index)[%c0,",
            "(%c1 : index)[%c64,",
            "a binding at byte 64 of %c1",
        );
        check_refused(
            "(%transient_buffer : !hal.buffer)[%c0, %c128]",
            "(%transient_buffer : !hal.buffer)[%c64, %c128]",
            "a binding at byte 64",
        );
        check_refused("(%c1 : index)", "(%c2 : index)", "binding 2 of 2");
        check_refused(
            "(%c1 : index)[%c0, %c128]",
            "(%c1 : index)[%c0]",
            "1 numbers",
        );
        check_refused(
            "workgroups([%c4, %c1, %c1])",
            "workgroups([%c4, %c1])",
            "workgroup counts",
        );
        check_refused(
            "workgroups([%c4, ",
            "workgroups([%c-1_i64, ",
            "%c-1_i64 is not a constant",
        );
        check_refused(
            "workgroups([%c4, %c1, %c1])",
            "workgroups([%c4, %c1, %c1]) constants([%c4])",
            "constants",
        );
        check_refused(
            "util.return %view, %view_1",
            "util.return %view",
            "1 results",
        );
        check_refused(
            "buffer(%transient_buffer",
            "buffer(%other",
            "%other is not bound",
        );
    }

    #[test]
    fn a_text_that_ends_too_early_is_refused() {
        let (needed, _) = HOST.split_once("_1 : !hal.buffer_view, !hal").unwrap();
        for (position, _) in needed.char_indices() {
            assert!(Launch::read(&HOST[..position]).is_err(), "{position}");
        }
    }
}
