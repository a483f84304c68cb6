//! The configuration that lookups serve before a study. The study tries it early.

use configgen::{Configuration, Generator, Problem, Target, default_configuration};
use lookup::{LookupAnswer, LookupRequest, Rung, look, look_below_exact, predicted_configuration};
use store::{Catalogue, StoreError, Ties};

use crate::offer::Offer;
use crate::plan::Plan;

/// A question for the answer of lookups before a study.
#[derive(Debug, Clone)]
pub struct PriorAnswer {
    /// The problem of the study.
    pub problem: Problem,
    /// The tie-break of the study.
    pub ties: Ties,
    /// The ISA.
    pub target: &'static Target,
    /// The device; if none, any device of the ISA.
    pub device: Option<String>,
    /// The generator of the study's kernels.
    pub generator: Generator,
}

impl PriorAnswer {
    /// Creates the question for a plan on the offered device.
    pub fn of(plan: &Plan, offer: &Offer) -> PriorAnswer {
        let made = &offer.provenance;
        PriorAnswer {
            problem: plan.problem.clone(),
            ties: plan.ties,
            target: made.target,
            device: Some(made.device.clone()),
            generator: made.generator,
        }
    }

    fn request(&self, at_least: Rung) -> LookupRequest {
        LookupRequest {
            device: self.device.clone(),
            generator: Some(self.generator),
            ties: self.ties,
            at_least,
            ..LookupRequest::new(self.problem.clone(), self.target)
        }
    }

    /// Returns the configuration that lookups serve from the studies of a catalogue.
    ///
    /// If the default is the best known one, the answer is that of the rungs below. A study has no
    /// other trial after its first one, and so has the same second trial if it is interrupted
    /// then.
    ///
    /// # Errors
    ///
    /// Any error of reading the catalogue.
    pub async fn stored(
        &self,
        catalogue: &dyn Catalogue,
    ) -> Result<Option<Configuration>, StoreError> {
        let request = self.request(Rung::Neighbour);
        let mut answer = look(catalogue, &request).await?;
        let default = default_configuration(&self.problem, self.target, self.generator);
        if let (LookupAnswer::Exact(found), Ok(default)) = (&answer, &default)
            && default.configuration() == Some(&found.configuration)
        {
            answer = look_below_exact(catalogue, &request).await?;
        }
        Ok(match answer {
            LookupAnswer::Exact(found) => Some(found.configuration),
            LookupAnswer::Sibling(found)
            | LookupAnswer::Neighbour(found)
            | LookupAnswer::Predicted(found) => Some(found.configuration),
            LookupAnswer::Default(_) | LookupAnswer::None(_) => None,
        })
    }

    /// Returns the configuration that lookups predict without any study.
    pub fn predicted(&self) -> Option<Configuration> {
        predicted_configuration(&self.request(Rung::Predicted))
    }
}

/// Returns the configuration that lookups serve for the plan's problem on the offered device, if
/// it is of the same generator and not its default.
///
/// # Errors
///
/// Any error of reading the catalogue.
pub async fn served_configuration(
    plan: &Plan,
    offer: &Offer,
    catalogue: &dyn Catalogue,
) -> Result<Option<Configuration>, StoreError> {
    let question = PriorAnswer::of(plan, offer);
    let stored = question.stored(catalogue).await?;
    Ok(stored.or_else(|| question.predicted()))
}
