//! The answers of a lookup, by `wavetune lookup` and over HTTP alike.

use std::collections::HashMap;
use std::sync::Arc;

use configgen::{Clock, Configuration, Generator, Problem, Target};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use store::{Status, Unreadable};

use crate::foreign_schema;

/// A rung of the ladder, the best one first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// This very problem was tuned for this target, on the required device.
    Exact,
    /// The problem was tuned on another device of the target.
    Sibling,
    /// A similar problem was tuned: it differs only in its sizes, and not by much.
    Neighbour,
    /// No similar problem was tuned. The time model expects this configuration to be the fastest.
    Predicted,
    /// The generator's configuration for problems that were never tuned.
    Default,
}

impl Rung {
    /// All rungs, the best one first.
    pub const ALL: [Rung; 5] = [
        Self::Exact,
        Self::Sibling,
        Self::Neighbour,
        Self::Predicted,
        Self::Default,
    ];

    /// Returns the rung's name on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sibling => "sibling",
            Self::Neighbour => "neighbour",
            Self::Predicted => "predicted",
            Self::Default => "default",
        }
    }
}

/// The answer to a lookup; `answer` is the rung of the ladder that it is from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum LookupAnswer {
    /// This very problem was tuned for this target.
    // All payloads are large, so they are boxed: moving an answer copies only a pointer.
    Exact(Box<FoundConfiguration>),
    /// The problem was tuned for this target, but not on the required device.
    Sibling(Box<FallbackAnswer>),
    /// The problem was not tuned, but a neighbour was, which differs only in its sizes.
    Neighbour(Box<FallbackAnswer>),
    /// No similar problem was tuned. The time model expects this configuration to be the fastest.
    Predicted(Box<FallbackAnswer>),
    /// No similar problem was tuned: this is the generator's untuned configuration.
    Default(Box<FallbackAnswer>),
    /// There is no configuration, or none on a requested rung.
    None(Box<LookupMiss>),
}

impl LookupAnswer {
    /// Returns the configuration that was tuned for this very problem, if there is one.
    pub fn found(&self) -> Option<&FoundConfiguration> {
        match self {
            Self::Exact(found) => Some(found),
            _ => None,
        }
    }

    /// Returns the rung of the answer; `None` if no rung has one.
    pub fn rung(&self) -> Option<Rung> {
        match self {
            Self::Exact(_) => Some(Rung::Exact),
            Self::Sibling(_) => Some(Rung::Sibling),
            Self::Neighbour(_) => Some(Rung::Neighbour),
            Self::Predicted(_) => Some(Rung::Predicted),
            Self::Default(_) => Some(Rung::Default),
            Self::None(_) => None,
        }
    }

    /// Returns the unreadable rows of the problem.
    pub fn unreadable(&self) -> &Unreadable {
        match self {
            Self::Exact(found) => &found.unreadable,
            Self::Sibling(instead)
            | Self::Neighbour(instead)
            | Self::Predicted(instead)
            | Self::Default(instead) => &instead.unreadable,
            Self::None(miss) => &miss.unreadable,
        }
    }

    /// Returns the flag that says whether the lookup is recorded as a wish; `None` for an exact
    /// answer.
    pub fn wished_mut(&mut self) -> Option<&mut bool> {
        match self {
            Self::Exact(_) => None,
            Self::Sibling(instead)
            | Self::Neighbour(instead)
            | Self::Predicted(instead)
            | Self::Default(instead) => Some(&mut instead.wished),
            Self::None(miss) => Some(&mut miss.wished),
        }
    }
}

/// The part of a printed answer that other answers repeat: the configuration, and the provenance
/// of the numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerExtract {
    /// The fastest configuration that may be served. A `right` one goes before a faster `tie`,
    /// unless the request accepts any index on ties.
    #[schemars(with = "foreign_schema::Configuration")]
    // Raw text: numbers are not parsed and printed again, so they keep their digits.
    configuration: Box<RawValue>,
    /// The provenance of the numbers.
    #[schemars(with = "Provenance")]
    provenance: Box<RawValue>,
}

impl AnswerExtract {
    /// Returns the configuration as JSON.
    pub fn configuration(&self) -> &str {
        self.configuration.get()
    }

    /// Returns the provenance of the numbers as JSON.
    pub fn provenance(&self) -> &str {
        self.provenance.get()
    }
}

/// An answer that was printed ahead of the request. Clones share the text.
#[derive(Debug, Clone)]
// Several answers can repeat one text, so they share it.
pub struct PrintedAnswer(Arc<PrintedJson>);

#[derive(Debug)]
struct PrintedJson {
    json: Box<RawValue>,
    digest: [u8; DIGEST],
}

/// Hexadecimal digits of a digest.
// 128 bits suffice to tell any two answers apart, and halve the header of a whole hash.
const DIGEST: usize = 32;

impl PrintedAnswer {
    /// Prints an answer on one line.
    pub fn of(answer: &LookupAnswer) -> PrintedAnswer {
        let json = serde_json::value::to_raw_value(answer);
        let json = json.expect("every key of an answer is a string");
        let hash = blake3::hash(json.get().as_bytes());
        let hash = hash.to_hex();
        let digest = *hash.as_bytes().first_chunk().expect("it has 64 digits");
        PrintedAnswer(Arc::new(PrintedJson { json, digest }))
    }

    /// Returns the line, without the newline.
    pub fn as_str(&self) -> &str {
        self.0.json.get()
    }

    /// Reads the answer back; `None` if another build has printed it otherwise.
    pub fn read(&self) -> Option<LookupAnswer> {
        serde_json::from_str(self.as_str()).ok()
    }

    /// Copies the part that other answers repeat; `None` if the answer has no configuration.
    pub fn extract(&self) -> Option<AnswerExtract> {
        let fields = self.fields();
        let field = |name| fields.get(name).map(|&value| value.to_owned());
        Some(AnswerExtract {
            configuration: field("configuration")?,
            provenance: field("provenance")?,
        })
    }

    /// Returns the configuration as JSON, exactly as printed; `None` if the answer has none.
    pub fn configuration(&self) -> Option<&str> {
        self.fields().get("configuration").map(|value| value.get())
    }

    fn fields(&self) -> HashMap<&str, &RawValue> {
        // The values borrow from the text: only the outermost object is parsed.
        serde_json::from_str(self.as_str()).expect("an answer is an object")
    }

    /// Returns the first digits of the line's BLAKE3 hash in hexadecimal, for an entity tag.
    pub fn digest(&self) -> &str {
        std::str::from_utf8(&self.0.digest).expect("digits")
    }
}

impl PartialEq for PrintedAnswer {
    fn eq(&self, other: &PrintedAnswer) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for PrintedAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.json.serialize(serializer)
    }
}

/// Reads an answer and prints it again, which gives the same text.
// A raw value cannot be read inside of a tagged enum.
impl<'de> Deserialize<'de> for PrintedAnswer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LookupAnswer::deserialize(deserializer).map(|answer| PrintedAnswer::of(&answer))
    }
}

/// A configuration, its time, and the provenance of the time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoundConfiguration {
    /// The requested problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The requested target.
    #[serde(serialize_with = "name_of", deserialize_with = "named")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// The fastest configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The generator of the kernel. With another generator, the same configuration is another
    /// kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The verdict: `right`, or for `iree` also `tie`, which breaks ties otherwise than the
    /// reference. Unless the request accepts any index on ties, `tie` means that no `right`
    /// configuration is known.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds.
    pub time_us: f64,
    /// The time of the generator's default in microseconds; `null` if it did not compile, is not
    /// correct or was not tried.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The provenance of the numbers.
    pub provenance: Provenance,
    /// The rows of the problem that this build cannot read; absent if there are none.
    #[serde(default, skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The provenance of a time. Two times are comparable only if all of it is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provenance {
    /// The name of the device.
    pub device: String,
    /// The device's driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// The version of the compiler.
    pub compiler_version: String,
    /// The version of the generator.
    pub generator_version: String,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The seed of the inputs.
    pub input_seed: u64,
    /// The number of samples that the time is computed from.
    pub samples: usize,
    /// The method of sampling.
    pub timing: String,
    /// The end of the trial: RFC 3339, UTC.
    pub when: String,
}

/// A configuration from a lower rung, because this very problem was not tuned as requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FallbackAnswer {
    /// The requested problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The requested target.
    #[serde(serialize_with = "name_of", deserialize_with = "named")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// A configuration that is legal for this problem. A neighbour's configuration is adapted to
    /// this shape and was never timed on it.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The generator of the kernel. With another generator, the same configuration is another
    /// kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The exact answer that the configuration is from. Its problem, device and times are those
    /// that were tuned; they do not predict the requested problem's. Absent for
    /// `predicted` and `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LookupAnswer")]
    // The exact answer of the tuned problem is printed already, so its text is copied.
    pub tuned: Option<PrintedAnswer>,
    /// The time that the time model expects of the configuration; only for `predicted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedTime>,
    /// The rungs above this one, best first.
    pub tried: Vec<EmptyRung>,
    /// `true` if the lookup is recorded as a wish in the database, now or within a second.
    /// `false` if the database is read-only.
    pub wished: bool,
    /// The rows of the problem or of a neighbour that this build cannot read; absent if there are
    /// none.
    #[serde(default, skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The expected time of a configuration that nobody timed on this problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ExpectedTime {
    /// The expected time of the kernel in microseconds.
    pub time_us: f64,
    /// The lower end of the interval that contains nine of ten modelled times, in microseconds.
    pub low_us: f64,
    /// The upper end of that interval in microseconds.
    pub high_us: f64,
    /// The device of the time: the first one of the target if the model knows no requested one.
    pub device: String,
}

/// A rung without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EmptyRung {
    /// The rung.
    pub rung: Rung,
    /// The reason why it has none, and the remedy.
    pub reason: String,
}

/// The answer if there is no configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookupMiss {
    /// The requested problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The requested target; `null` if the request names none.
    #[serde(serialize_with = "name_of_any", deserialize_with = "any_named")]
    #[schemars(with = "Option<foreign_schema::Target>")]
    pub target: Option<&'static Target>,
    /// The reason why there is no exact answer: the nearest known results, and the remedy.
    pub reason: String,
    /// The rungs that were searched, best first; absent if only an exact answer was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<EmptyRung>,
    /// `true` if the lookup is recorded as a wish in the database, now or within a second.
    /// `false` if the database is read-only.
    pub wished: bool,
    /// The rows of the problem that this build cannot read; absent if there are none.
    #[serde(default, skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

// A target is a row of a table, and answers contain only its name.
fn name_of<S: Serializer>(target: &&'static Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

fn name_of_any<S: Serializer>(
    target: &Option<&'static Target>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    target.map(|target| target.name).serialize(serializer)
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Target, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(D::Error::custom)
}

fn any_named<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'static Target>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    let target = name.map(|name| name.parse());
    target.transpose().map_err(D::Error::custom)
}

/// All candidate answers of a lookup, in the order of preference.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Candidates {
    /// The candidates. The first is the answer; empty if none may be served.
    pub candidates: Vec<Candidate>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The best trial of one device, generator and clock, with the newest versions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Candidate {
    /// The number of the study.
    pub study: i64,
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
    /// The instruction set that the kernel was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds.
    pub time_us: f64,
    /// The time of the untuned configuration in microseconds; `null` if it has none or may not be
    /// served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// The provenance of the numbers.
    pub provenance: Provenance,
    /// The reason why it ranks below the candidate before it; `null` for the first.
    pub behind: Option<CandidateHandicap>,
}

/// The reason why a candidate ranks below another: the first of these that applies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub enum CandidateHandicap {
    /// It breaks ties otherwise than the reference; the other does not.
    AnotherIndex,
    /// Its time is modelled; the other's is measured.
    Modelled,
    /// It takes longer.
    Slower {
        /// Its time over the other's.
        times: f64,
    },
}
