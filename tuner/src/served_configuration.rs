//! The configuration that lookups serve before a study. The study tries it early.

use configgen::Configuration;
use lookup::{LookupAnswer, LookupRequest, Rung, look};
use store::{Catalogue, StoreError};

use crate::offer::Offer;
use crate::plan::Plan;

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
    let made = &offer.provenance;
    let request = LookupRequest {
        device: Some(made.device.clone()),
        generator: Some(made.generator),
        ties: plan.ties,
        at_least: Rung::Predicted,
        ..LookupRequest::new(plan.problem.clone(), made.target)
    };
    Ok(match look(catalogue, &request).await? {
        LookupAnswer::Exact(found) => Some(found.configuration),
        LookupAnswer::Sibling(found)
        | LookupAnswer::Neighbour(found)
        | LookupAnswer::Predicted(found) => Some(found.configuration),
        LookupAnswer::Default(_) | LookupAnswer::None(_) => None,
    })
}
