//! The launch of a kernel, read from the output of `iree-compile --compile-to=hal`.
//!
//! In that phase `@main` is the host program. It takes the input's buffer, allocates one for the
//! results, records a command buffer with one dispatch, executes it with a table of buffers, and
//! returns views into the buffers. All offsets are constants. Memoization is off, so that
//! everything is in one function:
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
//! A kernel with constants has a command buffer of its own. The bindings of its dispatch are
//! buffers instead of positions, and `hal.device.queue.execute` has none. The only known constant
//! is an index base, the function's second argument, in two words:
//!
//! ```text
//! %1 = arith.index_cast %arg1 : i64 to index
//! %2 = arith.index_castui %1 : index to i64
//! %3 = arith.index_castui %1 : index to i32
//! %4 = arith.shrui %2, %c32_i64 : i64
//! %5 = arith.trunci %4 : i64 to i32
//! hal.command_buffer.dispatch<…> target(…)[%id] workgroups([%c4, %c1, %c1]) constants([%3, %5])
//!     bindings([
//!   (%buffer : !hal.buffer)[%c0, %c65536],
//! ```
//!
//! If the outermost count is known only at launch, the program reads it from the inputs and
//! computes all sizes from it. The kernel then takes the count and the offset of the indices as
//! further constants, in two words each:
//!
//! ```text
//! %1 = hal.buffer_view.dim<%arg0 : !hal.buffer_view>[0] : index
//! %3 = arith.muli %1, %c4 : index
//! %4 = util.align %3, %c64 : index
//! %14 = arith.minsi %1, %c2147483647 : index
//! hal.command_buffer.dispatch<…> target(…)[%id] workgroups([%14, %c1, %c1])
//!     constants([%7, %9, %11, %13]) bindings([
//! ```
//!
//! The parser then reads the launch with the largest count. A launch with a smaller count has the
//! same buffers, and so the same offset of the indices.
//!
//! If rows are split, a second dispatch follows in the same command buffer after a barrier. The
//! program allocates a buffer for the states between the two.
//!
//! The parser refuses anything else: no dispatch or more than two, an offset that the kernel's
//! pointer would have to include, or other constants. It assumes nothing about the layout.

mod text;

use std::collections::HashMap;

use configgen::IndexType;

use self::text::{ParseResult, split_once_at, text_between};
use super::IreeError;
use codegen::{Kernarg, Slot};

/// The launch of a module's kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModuleLaunch {
    pub(super) first: Dispatch,
    /// The second dispatch, if there is one.
    pub(super) merge: Option<Dispatch>,
    /// Bytes of each buffer.
    pub(super) buffers: Vec<u64>,
    pub(super) input: Slot,
    /// The tensors after the input.
    pub(super) operands: Vec<Slot>,
    pub(super) results: Vec<Slot>,
}

/// The launch of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dispatch {
    pub(super) symbol: String,
    pub(super) workgroups: [u32; 3],
    /// The kernel's arguments, in its order.
    pub(super) arguments: Vec<Kernarg>,
}

impl ModuleLaunch {
    /// Reads the module at the end of the phase `hal`, with a function of `results` results.
    /// `count` is the count of the launch, if it is known only at launch.
    pub(super) fn read(
        module: &str,
        results: usize,
        count: Option<u32>,
    ) -> Result<Self, IreeError> {
        let launch = Host::of(module, count).and_then(|host| host.launch());
        let launch = launch.and_then(|launch| match launch.results.len() {
            found if found == results => Ok(launch),
            found => Err(format!("{found} results instead of {results}")),
        });
        launch.map_err(IreeError::Unreadable)
    }
}

/// The host function and its numbers.
struct Host<'a> {
    body: &'a str,
    /// Constants, and numbers computed from them and the count.
    numbers: HashMap<&'a str, u64>,
    count: Option<u32>,
}

/// A part of a buffer, or of an entry of the buffer table.
struct BufferSlice<'a> {
    name: &'a str,
    offset: u64,
    length: u64,
}

impl<'a> Host<'a> {
    fn of(module: &'a str, count: Option<u32>) -> ParseResult<Self> {
        let (_, body) = split_once_at(module, "util.func public @main(")?;
        let mut numbers = HashMap::new();
        // One pass suffices, because SSA values are defined before their uses.
        for line in body.lines() {
            if let Some((name, value)) = number(line, &numbers, count) {
                numbers.insert(name, value);
            }
        }
        Ok(Self {
            body,
            numbers,
            count,
        })
    }

    fn launch(&self) -> ParseResult<ModuleLaunch> {
        let dispatches: Vec<&str> = self.body.split("hal.command_buffer.dispatch<").collect();
        let dispatches = match &dispatches[1..] {
            [] => return Err("no dispatch".to_owned()),
            several @ ([_] | [_, _]) => several,
            more => return Err(format!("{} dispatches", more.len())),
        };
        let bindings = dispatches.iter();
        let bindings =
            bindings.map(|dispatch| self.parts(text_between(dispatch, "bindings([", "])")?));
        let bindings = bindings.collect::<ParseResult<Vec<_>>>()?;
        let (buffers, table) = self.buffers(&bindings)?;
        // The kernel's pointer has no offset, so a binding elsewhere cannot be repeated.
        for part in bindings.iter().flatten().chain(&table) {
            if part.offset != 0 {
                return Err(format!(
                    "a binding at byte {} of {}",
                    part.offset, part.name
                ));
            }
        }
        let results = self.results(&table)?;
        let read = dispatches.iter().zip(buffers);
        let mut read = read.map(|(dispatch, buffers)| self.dispatch(dispatch, buffers));
        Ok(ModuleLaunch {
            first: read.next().ok_or("no dispatch")??,
            merge: read.next().transpose()?,
            buffers: table.iter().map(|part| part.length).collect(),
            input: self.given("%arg0", &table)?,
            operands: self.operands(&table)?,
            results,
        })
    }

    /// Returns the numbers of the buffers that each dispatch binds, and the buffers.
    fn buffers(
        &self,
        bindings: &[Vec<BufferSlice<'a>>],
    ) -> ParseResult<(Vec<Vec<usize>>, Vec<BufferSlice<'a>>)> {
        let (numbers, table) = match split_once_at(self.body, "hal.device.queue.execute.indirect<")
        {
            Ok((_, execute)) => {
                let table = self.parts(text_between(execute, "bindings([", "])")?)?;
                let number = |part: &BufferSlice<'_>| self.argument(part, table.len());
                let numbers = bindings.iter().flatten().map(number);
                (numbers.collect::<ParseResult<Vec<_>>>()?, table)
            }
            // A kernel with constants is executed without a buffer table.
            Err(indirect) => {
                split_once_at(self.body, "hal.device.queue.execute<").map_err(|_| indirect)?;
                distinct(bindings.iter().flatten())
            }
        };
        let mut numbers = numbers.into_iter();
        let each = bindings.iter();
        let each = each.map(|bound| numbers.by_ref().take(bound.len()).collect());
        Ok((each.collect(), table))
    }

    /// Returns a dispatch that binds these buffers.
    fn dispatch(&self, dispatch: &str, buffers: Vec<usize>) -> ParseResult<Dispatch> {
        let id = text_between(dispatch, ")[", "]")?;
        let (_, lookup) = split_once_at(
            self.body,
            &format!(" {id} = hal.executable.lookup.function "),
        )?;
        let function = text_between(lookup, "function(", ")")?;
        // The last part of `@executable::@variant::@symbol`.
        let symbol = function.rsplit("::@").next().unwrap_or(function);
        let words = self.constant_arguments(dispatch)?;
        let workgroups = self.numbers(text_between(dispatch, "workgroups([", "])")?)?;
        let workgroups = workgroups.iter().map(|&count| u32::try_from(count).ok());
        let workgroups: Option<Vec<u32>> = workgroups.collect();
        let workgroups = workgroups.and_then(|counts| counts.try_into().ok());
        Ok(Dispatch {
            symbol: symbol.to_owned(),
            workgroups: workgroups.ok_or("no three 32-bit workgroup counts")?,
            arguments: (buffers.into_iter().map(Kernarg::Buffer))
                .chain(words)
                .collect(),
        })
    }

    /// Returns the arguments after the buffers: numbers, in two words each.
    fn constant_arguments(&self, dispatch: &str) -> ParseResult<Vec<Kernarg>> {
        let line = dispatch.lines().next().unwrap_or_default();
        if !line.contains("constants(") {
            return Ok(Vec::new());
        }
        let constants = text_between(line, "constants([", "])")?;
        let words: Vec<&str> = constants.split(", ").collect();
        let unknown = || format!("the kernel takes constants {constants}");
        let mut arguments = Vec::new();
        for pair in words.chunks(2) {
            let &[low, high] = pair else {
                return Err(unknown());
            };
            let number = self.operand(low, "arith.index_castui ", " : index to i32")?;
            let shifted = self.operand(high, "arith.trunci ", " : i64 to i32")?;
            let operands = self.operand(shifted, "arith.shrui ", " : i64")?;
            let (long, by) = operands.split_once(", ").ok_or_else(unknown)?;
            let same = self.operand(long, "arith.index_castui ", " : index to i64")?;
            let by = self.operand(by, "arith.constant ", " : i64")?;
            // Both words must come from one number.
            if (same, by) != (number, "32") {
                return Err(unknown());
            }
            arguments.extend(self.passed(number)?);
        }
        Ok(arguments)
    }

    /// Returns the kernel arguments that a number stands for.
    fn passed(&self, name: &str) -> ParseResult<Vec<Kernarg>> {
        if let Ok("%arg1") = self.operand(name, "arith.index_cast ", " : i64 to index") {
            return Ok(vec![Kernarg::IndexBase(IndexType::I64)]);
        }
        let dimension = self.operand(name, "hal.buffer_view.dim<", ">[0] : index");
        if let (Ok(_), Some(count)) = (dimension, self.count) {
            // A count fits the low word; the high word is 0 in each launch.
            return Ok(vec![Kernarg::Count(count), Kernarg::Word(0)]);
        }
        // Other numbers that depend on the count differ between launches, even with the same
        // buffers.
        let is_place = self.body.lines().any(|line| {
            let line = line.trim();
            line.contains(" = hal.buffer_view.create ") && line.contains(&format!(")[{name}, "))
        });
        if !is_place {
            return Err(format!("the kernel takes a constant {name}"));
        }
        let place = self.number(name)?;
        Ok(vec![
            Kernarg::Word(place as u32),
            Kernarg::Word((place >> 32) as u32),
        ])
    }

    /// Returns the text between `start` and `end` in the statement that defines `name`.
    fn operand(&self, name: &str, start: &str, end: &str) -> ParseResult<&'a str> {
        let (_, statement) = split_once_at(self.body, &format!(" {name} = "))?;
        let line = statement.lines().next().unwrap_or_default();
        let operand = line
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end));
        operand.ok_or_else(|| format!("{name} is {line}, not {start}…{end}"))
    }

    /// Returns the position in the buffer table that a binding of the dispatch names.
    fn argument(&self, part: &BufferSlice<'_>, buffers: usize) -> ParseResult<usize> {
        let position = self.number(part.name)?;
        usize::try_from(position)
            .ok()
            .filter(|&position| position < buffers)
            .ok_or_else(|| format!("binding {position} of {buffers}"))
    }

    /// Returns the slot of the tensor that is this argument of the function.
    fn given(&self, argument: &str, table: &[BufferSlice<'_>]) -> ParseResult<Slot> {
        let view = format!(" = hal.buffer_view.buffer<{argument} ");
        let (before, _) = split_once_at(self.body, &view)?;
        let name = before.rsplit([' ', '\n']).next().unwrap_or(before);
        slot(name, 0, table)
    }

    /// Returns the slots of the tensor arguments after the first, up to one that is no tensor.
    fn operands(&self, table: &[BufferSlice<'_>]) -> ParseResult<Vec<Slot>> {
        let names = (1..).map(|number| format!("%arg{number}"));
        let is_tensor = |name: &String| {
            self.body
                .contains(&format!("hal.buffer_view.buffer<{name} "))
        };
        let tensors = names.take_while(is_tensor);
        tensors.map(|name| self.given(&name, table)).collect()
    }

    fn results(&self, table: &[BufferSlice<'_>]) -> ParseResult<Vec<Slot>> {
        let (_, returned) = split_once_at(self.body, "util.return ")?;
        let names = returned.split(" :").next().unwrap_or(returned);
        let slots = names.split(", ").map(|view| {
            let (_, create) =
                split_once_at(self.body, &format!("{view} = hal.buffer_view.create "))?;
            let part = self.part(
                text_between(create, "buffer", ")")?,
                text_between(create, "[", "]")?,
            )?;
            slot(part.name, part.offset, table)
        });
        slots.collect()
    }

    /// Returns every `(%name : type)[%offset, %length]` of a list.
    fn parts(&self, list: &'a str) -> ParseResult<Vec<BufferSlice<'a>>> {
        let items = list.split('(').skip(1);
        items
            .map(|item| self.part(item, text_between(item, "[", "]")?))
            .collect()
    }

    fn part(&self, name: &'a str, extent: &str) -> ParseResult<BufferSlice<'a>> {
        let name = name.trim_start_matches('(').split(" :").next();
        match self.numbers(extent)?[..] {
            [offset, length] => Ok(BufferSlice {
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

    fn numbers(&self, names: &str) -> ParseResult<Vec<u64>> {
        names.split(", ").map(|name| self.number(name)).collect()
    }

    fn number(&self, name: &str) -> ParseResult<u64> {
        let known = self.numbers.get(name);
        known
            .copied()
            .ok_or_else(|| format!("{name} is not a constant"))
    }
}

/// Parses `%name = arith.constant 64 : index`, and returns its name and value. With a count, also
/// evaluates numbers computed from it and from `known` ones.
fn number<'a>(
    line: &'a str,
    known: &HashMap<&str, u64>,
    count: Option<u32>,
) -> Option<(&'a str, u64)> {
    let (name, operation) = line.trim().split_once(" = ")?;
    let (word, operands) = operation.strip_suffix(" : index")?.split_once([' ', '<'])?;
    if word == "arith.constant" {
        return Some((name, operands.parse().ok()?));
    }
    let count = count?;
    if word == "hal.buffer_view.dim" {
        return operands.ends_with(">[0]").then_some((name, count.into()));
    }
    let (one, other) = operands.split_once(", ")?;
    let other = other.split(' ').next().unwrap_or(other);
    let (one, other) = (*known.get(one)?, *known.get(other)?);
    let value = match word {
        "arith.addi" => one.checked_add(other)?,
        "arith.muli" => one.checked_mul(other)?,
        "arith.minsi" => one.min(other),
        "util.align" => one.checked_next_multiple_of(other)?,
        _ => return None,
    };
    Some((name, value))
}

/// Returns the distinct buffers of these bindings, with the length of their longest binding, and
/// the number of each binding's buffer.
fn distinct<'a, 'b>(
    bindings: impl Iterator<Item = &'b BufferSlice<'a>>,
) -> (Vec<usize>, Vec<BufferSlice<'a>>)
where
    'a: 'b,
{
    let mut table: Vec<BufferSlice<'a>> = Vec::new();
    let numbers = bindings.map(
        |&BufferSlice {
             name,
             offset,
             length,
         }| {
            let number = table.iter().position(|part| part.name == name);
            let number = number.unwrap_or_else(|| {
                table.push(BufferSlice {
                    name,
                    offset,
                    length,
                });
                table.len() - 1
            });
            // Bindings of one buffer may have different lengths.
            table[number].length = table[number].length.max(length);
            number
        },
    );
    (numbers.collect(), table)
}

/// Returns the slot of a tensor at `offset` of the buffer `name`.
fn slot(name: &str, offset: u64, table: &[BufferSlice<'_>]) -> ParseResult<Slot> {
    let buffer = table.iter().position(|part| part.name == name);
    buffer
        .map(|buffer| Slot { buffer, offset })
        .ok_or_else(|| format!("{name} is not bound"))
}

#[cfg(test)]
mod tests;
