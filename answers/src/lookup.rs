//! What is told to whoever asks for a configuration, by `wavetune lookup` and over HTTP alike.

use std::collections::HashMap;
use std::sync::Arc;

use configgen::{Clock, Configuration, Generator, Problem, Target};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use store::{Status, Unreadable};

use crate::foreign_schema;

/// A rung of the ladder, the best one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Rung {
    /// This very problem was tuned for this target, on the device that is insisted on.
    Exact,
    /// It was tuned on another device of the target.
    Sibling,
    /// A problem was tuned that differs in its sizes alone, and not by much.
    Neighbour,
    /// The configuration that a generator has for what nobody tuned.
    Default,
}

impl Rung {
    /// All, the best one first.
    pub const ALL: [Rung; 4] = [Self::Exact, Self::Sibling, Self::Neighbour, Self::Default];

    /// Its name on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sibling => "sibling",
            Self::Neighbour => "neighbour",
            Self::Default => "default",
        }
    }
}

/// The answer to a request; `answer` is the rung of the ladder that it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum LookupAnswer {
    /// This very problem was tuned for this target.
    Exact(Box<FoundConfiguration>),
    /// It was tuned for this target, but not on the device that was insisted on.
    Sibling(Box<FallbackAnswer>),
    /// It was not tuned, but one was that differs in its sizes alone.
    Neighbour(Box<FallbackAnswer>),
    /// Nothing like it was tuned: this is the generator's untuned configuration.
    Default(Box<FallbackAnswer>),
    /// There is no configuration, or none on a rung that was asked for.
    None(Box<LookupMiss>),
}

impl LookupAnswer {
    /// The configuration that was tuned for this very problem, where there is one.
    pub fn found(&self) -> Option<&FoundConfiguration> {
        match self {
            Self::Exact(found) => Some(found),
            _ => None,
        }
    }

    /// The rung that it stands on; none below the last one.
    pub fn rung(&self) -> Option<Rung> {
        match self {
            Self::Exact(_) => Some(Rung::Exact),
            Self::Sibling(_) => Some(Rung::Sibling),
            Self::Neighbour(_) => Some(Rung::Neighbour),
            Self::Default(_) => Some(Rung::Default),
            Self::None(_) => None,
        }
    }

    /// What is known of the problem and cannot be read.
    pub fn unreadable(&self) -> &Unreadable {
        match self {
            Self::Exact(found) => &found.unreadable,
            Self::Sibling(instead) | Self::Neighbour(instead) | Self::Default(instead) => {
                &instead.unreadable
            }
            Self::None(miss) => &miss.unreadable,
        }
    }

    /// Whether it is noted that an exact answer was wanted; none where this is one.
    pub fn wished_mut(&mut self) -> Option<&mut bool> {
        match self {
            Self::Exact(_) => None,
            Self::Sibling(instead) | Self::Neighbour(instead) | Self::Default(instead) => {
                Some(&mut instead.wished)
            }
            Self::None(miss) => Some(&mut miss.wished),
        }
    }
}

/// A part of an answer that was printed, as it stands there: the configuration, and what made the numbers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerExtract {
    /// The fastest configuration that may be served: of those that are right, where there are such, unless any index on ties
    /// was asked for.
    #[schemars(with = "foreign_schema::Configuration")]
    configuration: Box<RawValue>,
    /// What made the numbers.
    #[schemars(with = "Provenance")]
    provenance: Box<RawValue>,
}

impl AnswerExtract {
    /// The configuration as JSON.
    pub fn configuration(&self) -> &str {
        self.configuration.get()
    }

    /// What made the numbers as JSON.
    pub fn provenance(&self) -> &str {
        self.provenance.get()
    }
}

/// An answer that was printed before anybody asked for it.
#[derive(Debug, Clone)]
pub struct PrintedAnswer(Arc<PrintedJson>);

#[derive(Debug)]
struct PrintedJson {
    json: Box<RawValue>,
    digest: [u8; DIGEST],
}

/// Hexadecimal digits of a digest.
const DIGEST: usize = 32;

impl PrintedAnswer {
    /// An answer on one line.
    pub fn of(answer: &LookupAnswer) -> PrintedAnswer {
        let json = serde_json::value::to_raw_value(answer);
        let json = json.expect("every key of an answer is a string");
        let hash = blake3::hash(json.get().as_bytes());
        let hash = hash.to_hex();
        let digest = *hash.as_bytes().first_chunk().expect("it has 64 digits");
        PrintedAnswer(Arc::new(PrintedJson { json, digest }))
    }

    /// The line, without the newline.
    pub fn as_str(&self) -> &str {
        self.0.json.get()
    }

    /// The part that other answers have, too; none where it answers with no configuration.
    pub fn extract(&self) -> Option<AnswerExtract> {
        let fields = self.fields();
        let field = |name| fields.get(name).map(|&value| value.to_owned());
        Some(AnswerExtract {
            configuration: field("configuration")?,
            provenance: field("provenance")?,
        })
    }

    /// The configuration as JSON, as it stands there; none where it answers with none.
    pub fn configuration(&self) -> Option<&str> {
        self.fields().get("configuration").map(|value| value.get())
    }

    fn fields(&self) -> HashMap<&str, &RawValue> {
        serde_json::from_str(self.as_str()).expect("an answer is an object")
    }

    /// The beginning of the BLAKE3 hash of the line, in hexadecimal digits: what tells it from others.
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

/// A configuration, how fast it is, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FoundConfiguration {
    /// The problem that was asked for.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The target that was asked for.
    #[serde(serialize_with = "name_of")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// The fastest configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The generator that it belongs to; with another one it is another kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The verdict: `right`, or for `iree` also `tie`, which gives on ties another index than the fold's. Unless any index
    /// on ties was asked for, it is `tie` where nothing right is known.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// The generator's default in microseconds; none where it did not compile, was not right or was not tried.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// Whose time these are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// What made the numbers.
    pub provenance: Provenance,
    /// What is known of the problem and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// What made a number; all of it, or the number cannot be compared with any other.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provenance {
    /// Name of the device.
    pub device: String,
    /// Its driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// Version of the generator.
    pub generator_version: String,
    /// Whose time was told.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// Seed of the inputs.
    pub input_seed: u64,
    /// Number of samples that the time was taken from.
    pub samples: usize,
    /// How they were taken.
    pub timing: String,
    /// When the trial ended: RFC 3339, UTC.
    pub when: String,
}

/// A configuration where this very problem was not tuned as asked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FallbackAnswer {
    /// The problem that was asked for.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The target that was asked for.
    #[serde(serialize_with = "name_of")]
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static Target,
    /// A configuration that is legal for this problem. That of a neighbour is fitted to this shape; nobody has timed it here.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The generator that it belongs to; with another one it is another kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The exact answer that the configuration is from: problem, device and times in it are what was tuned, and say nothing
    /// certain of what was asked for. Left out of `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "LookupAnswer")]
    pub tuned: Option<PrintedAnswer>,
    /// The rungs before this one, best first.
    pub tried: Vec<EmptyRung>,
    /// Whether it is noted that this was asked for: in the database, now or within a second. Not where that is read-only.
    pub wished: bool,
    /// What is known of the problem, or of one that is like it, and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A rung that has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EmptyRung {
    /// Which.
    pub rung: Rung,
    /// Why it has none, and what would help.
    pub reason: String,
}

/// That there is no configuration, and why.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LookupMiss {
    /// The problem that was asked for.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The target that was asked for; none where it was left open.
    #[serde(serialize_with = "name_of_any")]
    #[schemars(with = "Option<foreign_schema::Target>")]
    pub target: Option<&'static Target>,
    /// What is known instead, and what would help: why there is no exact answer.
    pub reason: String,
    /// The rungs that were asked, best first; left out where only an exact answer was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<EmptyRung>,
    /// Whether it is noted that this was asked for: in the database, now or within a second. Not where that is read-only.
    pub wished: bool,
    /// What is known of the problem and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

fn name_of<S: Serializer>(target: &&'static Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

fn name_of_any<S: Serializer>(
    target: &Option<&'static Target>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    target.map(|target| target.name).serialize(serializer)
}

/// All that might answer a request, in the order in which it is taken.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Candidates {
    /// The first is the answer; none where nothing may be served.
    pub candidates: Vec<Candidate>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The best of one device, generator and clock, as the newest versions gave it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Candidate {
    /// The study that it is of.
    pub study: i64,
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Who makes the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// The untuned configuration's; none where it has none or may not be served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// What made the numbers.
    pub provenance: Provenance,
    /// What puts it behind the one before it; none of the first.
    pub behind: Option<CandidateHandicap>,
}

/// What puts one candidate behind another: the first of these that holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "why", rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
pub enum CandidateHandicap {
    /// It gives another index than the fold on ties; the other does not.
    AnotherIndex,
    /// Its time is modelled; the other's is measured.
    Modelled,
    /// It takes longer.
    Slower {
        /// How many times as long.
        times: f64,
    },
}
