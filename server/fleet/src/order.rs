//! Orders: what a service is asked to do about a study, as it is kept in the database.

use configgen::Generator;
use dispatch::{Lane, Line, Token};
use serde::{Deserialize, Serialize};
use tuner::{Offer, Plan};

/// What is asked of a service: a plan, and by whom it can be carried out.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What the study should do.
    pub plan: Plan,
    /// The ISA.
    pub target: &'static configgen::Target,
    /// The device; any of the ISA where it is left open.
    pub device: Option<String>,
    /// Whose kernels.
    pub generator: Generator,
    /// Whether it goes before what is not urgent.
    pub is_urgent: bool,
}

/// A plan, with what those who carry it out have offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// What the study should do.
    pub plan: Plan,
    /// What was offered.
    pub offer: Offer,
    /// Whether it goes before what is not urgent.
    pub is_urgent: bool,
    /// Trials that the study had when this was asked; orders of older versions do not say.
    #[serde(default)]
    pub recorded: u64,
}

impl Order {
    /// As the database keeps it.
    pub(crate) fn written(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }

    pub(crate) fn read(text: &str) -> Result<Order, String> {
        serde_json::from_str(text)
            .map_err(|error| format!("its order cannot be read by this wavetune: {error}"))
    }

    /// How soon its work is wanted.
    pub(crate) fn lane(&self) -> Lane {
        match self.is_urgent {
            true => Lane::Urgent,
            false => Lane::Normal,
        }
    }
}

/// Kinds of work: to try and to build what a study wants, and to direct a study.
pub(crate) const TRY: &str = "try";
pub(crate) const BUILD: &str = "build";
pub(crate) const DIRECT: &str = "direct";

/// Where the work waits that those can do who offer this. Who offers the same works for the same line.
pub(crate) fn line(offer: &Offer) -> Line {
    line_of(TRY, offer)
}

/// Where it waits for those who build it first.
pub(crate) fn build_line(offer: &Offer) -> Line {
    line_of(BUILD, offer)
}

fn line_of(kind: &str, offer: &Offer) -> Line {
    let text = serde_json::to_string(offer).expect("its keys are text");
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let class = format!("{}-{}", offer.provenance.target.name, &hash[..16]);
    Line {
        kind: token(kind),
        class: token(&class),
    }
}

/// A word of a name that is short and not empty.
pub(crate) fn token(word: &str) -> Token {
    word.parse().expect("names are short")
}
