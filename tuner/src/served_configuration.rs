//! The configuration that lookups serve before a study. The study tries it early.

use configgen::{Configuration, default_configuration};
use lookup::{LookupAnswer, LookupRequest, Rung, look, look_below_exact};
use store::{Catalogue, StoreError};

use crate::offer::Offer;
use crate::plan::Plan;

/// Returns the configuration that lookups serve for the plan's problem on the offered device, if
/// it is of the same generator and not its default.
///
/// If the default is the best known one, the answer is that of the rungs below. A study has no
/// other trial after its first one, and so has the same second trial if it is interrupted then.
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
    let mut answer = look(catalogue, &request).await?;
    let default = default_configuration(&plan.problem, made.target, made.generator);
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
