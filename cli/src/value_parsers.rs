//! Parsers of names, which the help and the shell's completion list.
//!
//! Most sets are closed. [`devices`] and [`problem_texts`] accept other values too, which a later
//! stage checks.

use std::ffi::OsStr;
use std::fmt::Display;
use std::sync::{LazyLock, OnceLock};

use ::lookup::Rung;
use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use configgen::{ElementType, Generator, TARGETS, Target, nearest_name, operation_names};
use store::{FailureKind, Role, Status, Ties, TokenScope};
use tuner::{Effort, Strategy};

fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let mut all = all.iter().copied();
        let found = all.find(|&one| name(one) == given);
        found.expect("clap lets nothing else through")
    })
}

pub(crate) fn generators() -> impl TypedValueParser<Value = Generator> {
    one_of(Generator::ALL, |generator| generator.name())
}

pub(crate) fn targets() -> impl TypedValueParser<Value = &'static Target> {
    one_of(&TARGETS, |target| target.name)
}

pub(crate) fn elements() -> impl TypedValueParser<Value = ElementType> {
    one_of(ElementType::ALL, |element| element.name())
}

pub(crate) fn strategies() -> impl TypedValueParser<Value = Strategy> {
    one_of(Strategy::ALL, Strategy::name)
}

pub(crate) fn efforts() -> impl TypedValueParser<Value = Effort> {
    one_of(Effort::ALL, Effort::name)
}

pub(crate) fn ties() -> impl TypedValueParser<Value = Ties> {
    one_of(Ties::ALL, Ties::name)
}

pub(crate) fn rungs() -> impl TypedValueParser<Value = Rung> {
    one_of(Rung::ALL, Rung::name)
}

pub(crate) fn statuses() -> impl TypedValueParser<Value = Status> {
    one_of(Status::ALL, Status::name)
}

pub(crate) fn failures() -> impl TypedValueParser<Value = FailureKind> {
    one_of(FailureKind::ALL, FailureKind::name)
}

pub(crate) fn scopes() -> impl TypedValueParser<Value = TokenScope> {
    one_of(TokenScope::ALL, TokenScope::name)
}

pub(crate) fn roles() -> impl TypedValueParser<Value = Role> {
    one_of(Role::ALL, Role::name)
}

/// Prefix of an emulated device's name.
const EMULATED: &str = "emulated:";

/// The last device that the command line named without `emulated:`. The parser stores it, because
/// `--quiet` may stand behind it on the command line.
static ASSUMED_DEVICE: OnceLock<String> = OnceLock::new();

/// A parser of any text, with values for the shell's completion.
#[derive(Clone)]
struct OpenValueParser {
    hints: fn() -> Vec<&'static str>,
    parse: fn(String) -> String,
}

impl TypedValueParser for OpenValueParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, argument, value)?;
        Ok((self.parse)(text))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.hints)().into_iter().map(PossibleValue::new)))
    }
}

/// Returns the parser of devices. The name of an emulated device may lack its prefix.
pub(crate) fn devices() -> impl TypedValueParser<Value = String> {
    OpenValueParser {
        hints: device_hints,
        parse: device_name,
    }
}

/// Returns the parser of problems, which hints at the names of operations.
pub(crate) fn problem_texts() -> impl TypedValueParser<Value = String> {
    OpenValueParser {
        hints: operation_names,
        parse: |text| text,
    }
}

/// Returns the names of all emulated devices, such as `emulated:mi300x`.
fn emulated_names() -> impl Iterator<Item = String> {
    bench_harness::emulated_devices().map(|row| format!("{EMULATED}{}", row.name))
}

/// Returns both names of each device: bash splits a word at a colon, and completes only the short
/// one.
fn device_hints() -> Vec<&'static str> {
    // clap keeps names of values without an owner.
    static FULL: LazyLock<Vec<String>> = LazyLock::new(|| emulated_names().collect());
    let short = bench_harness::emulated_devices().map(|row| row.name);
    short.chain(FULL.iter().map(String::as_str)).collect()
}

fn device_name(text: String) -> String {
    let full = format!("{EMULATED}{}", text.to_lowercase());
    match emulated_names().any(|name| name == full) {
        true => {
            ASSUMED_DEVICE.set(text).ok();
            full
        }
        false => text,
    }
}

/// Returns the note of a device that was named without `emulated:`, if there is one.
pub(crate) fn assumed_device() -> Option<String> {
    let text = ASSUMED_DEVICE.get()?;
    let full = device_name(text.clone());
    Some(format!(
        "--device {text} is {full}; a GPU of this machine is hip:N"
    ))
}

/// Returns the error of a device's name, with the device that is like a misspelt one.
pub(crate) fn device_error(name: &str, error: impl Display) -> anyhow::Error {
    anyhow!("{error}{}", suggestion(name).unwrap_or_default())
}

/// Returns "; did you mean …?" if an emulated device has a name like this one, and none this name.
fn suggestion(text: &str) -> Option<String> {
    let names: Vec<String> = emulated_names().collect();
    if names.iter().any(|name| name == text) {
        return None;
    }
    // The long common prefix would make any two devices alike.
    let short = |name: &str| name.trim_start_matches(EMULATED).to_lowercase();
    let candidates: Vec<String> = names.iter().map(|name| short(name)).collect();
    let nearest = nearest_name(&short(text), candidates.iter().map(String::as_str))?.to_owned();
    let full = names.iter().find(|name| short(name) == nearest)?;
    Some(format!("; did you mean {full}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_may_lack_its_prefix() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(device_name(text.to_owned()), expected);
        }
        check("mi300x", "emulated:mi300x");
        check("MI300X", "emulated:mi300x");
        check("emulated:mi300x", "emulated:mi300x");
        check("hip:0", "hip:0");
        check("mi301x", "mi301x");
    }

    #[test]
    fn a_misspelt_device_has_a_suggestion() {
        #[track_caller]
        fn check(text: &str, expected: Option<&str>) {
            assert_eq!(suggestion(text).as_deref(), expected);
        }
        check("emulated:mi30x", Some("; did you mean emulated:mi300x?"));
        check("mi3000a", Some("; did you mean emulated:mi300a?"));
        check("h100", None);
        check("emulated:h100", None);
    }
}
