//! Missing wait states: instructions that a wave executes too early.

use super::Checker;
use super::finding::FindingKind;
use crate::execute::Wave;
use crate::hazards::Hazard;

impl Checker<'_> {
    /// Reports that the wave's instruction comes too early, if it does.
    #[cold]
    pub(super) fn check_wait_states(&mut self, wave: &Wave) {
        let Some(&hazard) = self.hazards.get(&(wave.current as u32)) else {
            return;
        };
        let Hazard {
            earlier,
            needed,
            found,
            cause,
        } = hazard;
        let earlier = self.describe(earlier);
        self.report(FindingKind::MissingWaitState, wave, None, None, || {
            format!("{cause}: needs {needed} wait states after {earlier}, has {found}")
        });
    }
}
