//! Orders: what a service is asked to do about a study, as it is kept in the database.

use configgen::{Clock, Generator, Target};
use dispatch::{SubjectToken, Topic, Urgency};
use serde::{Deserialize, Serialize};
use store::{Priority, TokenId};
use tuner::{Offer, Plan};

use crate::wire::{name_of, target_named};

/// What is asked of a service: a plan, and by whom it can be carried out.
#[derive(Debug, Clone)]
pub struct StudyRequest {
    /// What the study should do.
    pub plan: Plan,
    /// The ISA.
    pub target: &'static Target,
    /// The device; any of the ISA where it is left open.
    pub device: Option<String>,
    /// Whose kernels.
    pub generator: Generator,
    /// Whether it goes before what is not urgent.
    pub is_urgent: bool,
}

/// The holder of a token, who submits studies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitter {
    /// The token's number.
    pub token: i64,
    /// The token's name.
    pub name: String,
}

/// A plan, with what those who carry it out have offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedStudy {
    /// What the study should do.
    pub plan: Plan,
    /// What was offered.
    pub offer: Offer,
    /// Whether it goes before what is not urgent.
    pub is_urgent: bool,
    /// Trials that the study had when this was asked; none before its study is opened.
    #[serde(default)]
    pub recorded: Option<u64>,
    /// The submitter; none where no token was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter: Option<Submitter>,
}

/// A plan for a device that no agent has offered yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnofferedStudy {
    /// What the study should do.
    pub plan: Plan,
    /// The ISA.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// The device; any of the ISA where it is left open.
    pub device: Option<String>,
    /// Whose kernels.
    pub generator: Generator,
    /// Whether it goes before what is not urgent.
    pub is_urgent: bool,
    /// The submitter; none where no token was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter: Option<Submitter>,
}

/// What a service is asked to do about a study.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredRequest {
    /// An agent has offered to carry it out.
    Offered(Box<OfferedStudy>),
    /// No agent has.
    Unoffered(Box<UnofferedStudy>),
}

/// Why an order cannot be read.
fn unreadable(error: &serde_json::Error) -> String {
    format!("its order cannot be read by this wavetune: {error}")
}

impl OfferedStudy {
    /// As the database keeps it.
    pub(crate) fn written(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }

    pub(crate) fn read(text: &str) -> Result<OfferedStudy, String> {
        serde_json::from_str(text).map_err(|error| unreadable(&error))
    }

    /// How soon its work is wanted.
    pub(crate) fn lane(&self) -> Urgency {
        match self.is_urgent {
            true => Urgency::Urgent,
            false => Urgency::Normal,
        }
    }

    /// Its place among the others.
    pub(crate) fn priority(&self) -> Priority {
        priority(self.submitter.as_ref(), self.is_urgent)
    }
}

impl UnofferedStudy {
    /// The order, where this is offered.
    pub(crate) fn offered(self, offer: Offer) -> OfferedStudy {
        OfferedStudy {
            plan: self.plan,
            offer,
            is_urgent: self.is_urgent,
            recorded: None,
            submitter: self.submitter,
        }
    }
}

impl StoredRequest {
    /// As the database keeps it.
    pub(crate) fn written(&self) -> String {
        match self {
            StoredRequest::Offered(order) => order.written(),
            StoredRequest::Unoffered(order) => {
                serde_json::to_string(order).expect("its keys are text")
            }
        }
    }

    pub(crate) fn read(text: &str) -> Result<StoredRequest, String> {
        match serde_json::from_str(text) {
            Ok(order) => Ok(StoredRequest::Unoffered(Box::new(order))),
            Err(_) => Ok(StoredRequest::Offered(Box::new(OfferedStudy::read(text)?))),
        }
    }

    /// What the study should do.
    pub fn plan(&self) -> &Plan {
        match self {
            StoredRequest::Offered(order) => &order.plan,
            StoredRequest::Unoffered(order) => &order.plan,
        }
    }

    /// The ISA.
    pub fn target(&self) -> &'static Target {
        match self {
            StoredRequest::Offered(order) => order.offer.provenance.target,
            StoredRequest::Unoffered(order) => order.target,
        }
    }

    /// The device; none where any of the ISA will do and no agent has offered one.
    pub fn device(&self) -> Option<&str> {
        match self {
            StoredRequest::Offered(order) => Some(&order.offer.provenance.device),
            StoredRequest::Unoffered(order) => order.device.as_deref(),
        }
    }

    /// Whose kernels.
    pub fn generator(&self) -> Generator {
        match self {
            StoredRequest::Offered(order) => order.offer.provenance.generator,
            StoredRequest::Unoffered(order) => order.generator,
        }
    }

    /// Whose time is told; none where no agent has offered a device.
    pub fn clock(&self) -> Option<Clock> {
        match self {
            StoredRequest::Offered(order) => Some(order.offer.provenance.clock),
            StoredRequest::Unoffered(_) => None,
        }
    }

    /// Whether it goes before what is not urgent.
    pub fn is_urgent(&self) -> bool {
        match self {
            StoredRequest::Offered(order) => order.is_urgent,
            StoredRequest::Unoffered(order) => order.is_urgent,
        }
    }

    /// The submitter; none where no token was shown.
    pub fn submitter(&self) -> Option<&Submitter> {
        match self {
            StoredRequest::Offered(order) => order.submitter.as_ref(),
            StoredRequest::Unoffered(order) => order.submitter.as_ref(),
        }
    }
}

/// The place of a run among the others.
pub(crate) fn priority(submitter: Option<&Submitter>, is_urgent: bool) -> Priority {
    Priority {
        submitter: submitter.map(|submitter| TokenId(submitter.token)),
        is_urgent,
    }
}

/// Kinds of work: to try and to build what a study wants, and to direct a study.
pub(crate) const TRY: &str = "try";
pub(crate) const BUILD: &str = "build";
pub(crate) const DIRECT: &str = "direct";

/// Where the work waits that those can do who offer this. Who offers the same works for the same line.
pub(crate) fn topic(offer: &Offer) -> Topic {
    line_of(TRY, offer)
}

/// Where it waits for those who build it first.
pub(crate) fn build_topic(offer: &Offer) -> Topic {
    line_of(BUILD, offer)
}

fn line_of(kind: &str, offer: &Offer) -> Topic {
    let text = serde_json::to_string(offer).expect("its keys are text");
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let class = format!("{}-{}", offer.provenance.target.name, &hash[..16]);
    Topic {
        kind: token(kind),
        class: token(&class),
    }
}

/// A word of a name that is short and not empty.
pub(crate) fn token(word: &str) -> SubjectToken {
    word.parse().expect("names are short")
}
