//! The input cache: inputs that the agents of a process share while they work on the same study.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bench_harness::{Inputs, InputsError};

use crate::message::StudySetup;

/// The inputs in use. They are freed with their last user.
#[derive(Debug, Default)]
pub struct InputCache(Mutex<Vec<Weak<Inputs>>>);

impl InputCache {
    /// Returns the inputs of a study. Concurrent callers wait while they are made.
    ///
    /// # Errors
    ///
    /// [`InputsError`].
    pub(crate) fn inputs(&self, job: &StudySetup) -> Result<Arc<Inputs>, InputsError> {
        // A poisoned lock is harmless: making inputs changes the cache only at its end.
        // Two agents that need the same inputs make them once, because the lock is held
        // meanwhile.
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
