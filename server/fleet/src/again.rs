//! Trying again: a study goes on, also one that is done, when some of its trials were forgotten.

use std::sync::Arc;

use store::{RunState, StudyId};

use crate::Fleet;
use crate::error::FleetError;

impl Fleet {
    /// Goes on with a study that is not under way, to make the trials that it has not.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Store`.
    pub async fn try_again(self: &Arc<Fleet>, study: StudyId) -> Result<(), FleetError> {
        let from = [
            RunState::Paused,
            RunState::Cancelled,
            RunState::Done,
            RunState::Failed,
        ];
        self.go_on(study, &from, "tried again").await
    }
}
