//! Inputs: made once for all agents of a process that are at the same job, and gone with the last of them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bench_harness::{Inputs, InputsError};

use crate::message::StudySetup;

/// The inputs that are in use.
#[derive(Debug, Default)]
pub struct InputCache(Mutex<Vec<Weak<Inputs>>>);

impl InputCache {
    /// The inputs of a job. Who asks while they are being made waits for them.
    ///
    /// # Errors
    ///
    /// [`InputsError`].
    pub(crate) fn inputs(&self, job: &StudySetup) -> Result<Arc<Inputs>, InputsError> {
        // Making inputs changes nothing here before it has ended.
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.retain(|inputs| inputs.strong_count() > 0);
        let is_it = |it: &Arc<Inputs>| it.problem() == &job.problem && it.seed() == job.input_seed;
        let found = shelf.iter().filter_map(Weak::upgrade).find(is_it);
        if let Some(found) = found {
            return Ok(found);
        }
        let made = Arc::new(Inputs::new(&job.problem, job.input_seed)?);
        shelf.push(Arc::downgrade(&made));
        Ok(made)
    }
}
