//! Study requests, and their form in the database.

use configgen::{Clock, Configuration, Generator, Target};
use serde::{Deserialize, Serialize};
use server_dispatch::{SubjectToken, Topic, Urgency};
use store::{Priority, TokenId};
use tuner::{Offer, Plan};

use crate::wire::{name_of, target_named};

/// A request to a service: a plan, and the device and generator for it.
#[derive(Debug, Clone)]
pub struct StudyRequest {
    /// The plan of the study.
    pub plan: Plan,
    /// The ISA.
    pub target: &'static Target,
    /// The device; if none, any device of the ISA.
    pub device: Option<String>,
    /// The generator of the kernels.
    pub generator: Generator,
    /// True if it goes before studies that are not urgent.
    pub is_urgent: bool,
}

/// The submitter of studies: the holder of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submitter {
    /// The token's number.
    pub token: i64,
    /// The token's name.
    pub name: String,
}

/// A plan with an agent's offer for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferedStudy {
    /// The plan of the study.
    pub plan: Plan,
    /// The offer.
    pub offer: Offer,
    /// True if it goes before studies that are not urgent.
    pub is_urgent: bool,
    /// Trials of the study at the time of the request; none before the study is opened.
    #[serde(default)]
    pub recorded: Option<u64>,
    /// The configuration that lookups served from other studies at the time of the submission.
    // A replica that takes the study over would find another one by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<Configuration>,
    /// The submitter; none without a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter: Option<Submitter>,
}

/// A plan for a device that no agent has offered yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnofferedStudy {
    /// The plan of the study.
    pub plan: Plan,
    /// The ISA.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// The device; if none, any device of the ISA.
    pub device: Option<String>,
    /// The generator of the kernels.
    pub generator: Generator,
    /// True if it goes before studies that are not urgent.
    pub is_urgent: bool,
    /// The configuration that lookups served from other studies at the time of the submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<Configuration>,
    /// The submitter; none without a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitter: Option<Submitter>,
}

/// A study request from the database.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredRequest {
    /// A request with an agent's offer.
    Offered(Box<OfferedStudy>),
    /// A request without an offer.
    Unoffered(Box<UnofferedStudy>),
}

/// Formats the error of an unreadable request.
fn unreadable(error: &serde_json::Error) -> String {
    format!("this wavetune cannot read the study request: {error}")
}

impl OfferedStudy {
    /// Returns its form in the database.
    pub(crate) fn written(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }

    pub(crate) fn read(text: &str) -> Result<OfferedStudy, String> {
        serde_json::from_str(text).map_err(|error| unreadable(&error))
    }

    /// Returns the urgency of its queue items.
    pub(crate) fn lane(&self) -> Urgency {
        match self.is_urgent {
            true => Urgency::Urgent,
            false => Urgency::Normal,
        }
    }

    /// Returns its priority among the runs.
    pub(crate) fn priority(&self) -> Priority {
        priority(self.submitter.as_ref(), self.is_urgent)
    }
}

impl UnofferedStudy {
    /// Adds an offer.
    pub(crate) fn offered(self, offer: Offer) -> OfferedStudy {
        OfferedStudy {
            plan: self.plan,
            offer,
            is_urgent: self.is_urgent,
            recorded: None,
            served: self.served,
            submitter: self.submitter,
        }
    }
}

impl StoredRequest {
    /// Returns its form in the database.
    pub(crate) fn written(&self) -> String {
        match self {
            StoredRequest::Offered(order) => order.written(),
            StoredRequest::Unoffered(order) => {
                serde_json::to_string(order).expect("its keys are text")
            }
        }
    }

    // Only an offered study has the key `offer`, and an unoffered one needs `target`, so no text
    // parses as both.
    pub(crate) fn read(text: &str) -> Result<StoredRequest, String> {
        match serde_json::from_str(text) {
            Ok(order) => Ok(StoredRequest::Unoffered(Box::new(order))),
            Err(_) => Ok(StoredRequest::Offered(Box::new(OfferedStudy::read(text)?))),
        }
    }

    /// Returns the plan of the study.
    pub fn plan(&self) -> &Plan {
        match self {
            StoredRequest::Offered(order) => &order.plan,
            StoredRequest::Unoffered(order) => &order.plan,
        }
    }

    /// Returns the ISA.
    pub fn target(&self) -> &'static Target {
        match self {
            StoredRequest::Offered(order) => order.offer.provenance.target,
            StoredRequest::Unoffered(order) => order.target,
        }
    }

    /// Returns the device. Returns none if any device of the ISA will do and no agent has offered
    /// one.
    pub fn device(&self) -> Option<&str> {
        match self {
            StoredRequest::Offered(order) => Some(&order.offer.provenance.device),
            StoredRequest::Unoffered(order) => order.device.as_deref(),
        }
    }

    /// Returns the generator of the kernels.
    pub fn generator(&self) -> Generator {
        match self {
            StoredRequest::Offered(order) => order.offer.provenance.generator,
            StoredRequest::Unoffered(order) => order.generator,
        }
    }

    /// Returns the clock of its times. Returns none before an agent's offer.
    pub fn clock(&self) -> Option<Clock> {
        match self {
            StoredRequest::Offered(order) => Some(order.offer.provenance.clock),
            StoredRequest::Unoffered(_) => None,
        }
    }

    /// Returns true if it goes before studies that are not urgent.
    pub fn is_urgent(&self) -> bool {
        match self {
            StoredRequest::Offered(order) => order.is_urgent,
            StoredRequest::Unoffered(order) => order.is_urgent,
        }
    }

    /// Returns the submitter; none without a token.
    pub fn submitter(&self) -> Option<&Submitter> {
        match self {
            StoredRequest::Offered(order) => order.submitter.as_ref(),
            StoredRequest::Unoffered(order) => order.submitter.as_ref(),
        }
    }
}

/// Returns the priority of a run among the others.
pub(crate) fn priority(submitter: Option<&Submitter>, is_urgent: bool) -> Priority {
    Priority {
        submitter: submitter.map(|submitter| TokenId(submitter.token)),
        is_urgent,
    }
}

/// Kinds of queue items: to try candidates, to build their kernels, and to direct a study.
pub(crate) const TRY: &str = "try";
pub(crate) const BUILD: &str = "build";
pub(crate) const DIRECT: &str = "direct";

/// Returns the topic of batches that agents with this offer can try. Agents with equal offers
/// serve the same topic.
pub(crate) fn topic(offer: &Offer) -> Topic {
    line_of(TRY, offer)
}

/// Returns the topic of batches that wait for a build agent.
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

/// Converts a short, non-empty word to a part of a subject.
pub(crate) fn token(word: &str) -> SubjectToken {
    word.parse().expect("names are short")
}
