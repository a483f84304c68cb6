//! The configurations that lookups serve before studies. Each study tries its own early, so that no
//! study makes an answer slower.

use std::sync::Arc;

use configgen::Configuration;
use store::StoreError;
use tuner::{Offer, PriorAnswer};

use crate::Fleet;
use crate::study_request::{OfferedStudy, StudyRequest};

impl Fleet {
    /// Returns the configuration that lookups serve from other studies, for each request, on the
    /// device of the offer.
    ///
    /// # Errors
    ///
    /// Any error of reading the catalogue.
    pub(crate) async fn served(
        self: &Arc<Fleet>,
        asked: &[StudyRequest],
        offer: Option<&Offer>,
    ) -> Result<Vec<Option<Configuration>>, StoreError> {
        let questions = asked.iter().map(|asked| prior_answer(asked, offer));
        let questions: Vec<PriorAnswer> = questions.collect();
        let fleet = Arc::clone(self);
        // A task of its own: the caller waits once, and not for every query of a thousand studies.
        let answers = tokio::spawn(async move {
            let mut answers = Vec::with_capacity(questions.len());
            for question in &questions {
                answers.push(question.stored(fleet.store.catalogue()).await?);
            }
            Ok(answers)
        });
        let answers = answers.await;
        answers.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }
}

fn prior_answer(asked: &StudyRequest, offer: Option<&Offer>) -> PriorAnswer {
    match offer {
        Some(offer) => PriorAnswer::of(&asked.plan, offer),
        None => PriorAnswer {
            problem: asked.plan.problem.clone(),
            ties: asked.plan.ties,
            target: asked.target,
            device: asked.device.clone(),
            generator: asked.generator,
        },
    }
}

/// Returns the configuration that lookups served when a study was submitted: that of other studies,
/// or the predicted one.
pub(crate) async fn served_before(order: &OfferedStudy) -> Option<Configuration> {
    if order.served.is_some() {
        return order.served.clone();
    }
    // The prediction depends on the problem and the device only, so each replica finds the same.
    let question = PriorAnswer::of(&order.plan, &order.offer);
    let predicted = tokio::task::spawn_blocking(move || question.predicted()).await;
    predicted.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
