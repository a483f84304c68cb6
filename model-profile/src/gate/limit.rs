//! The limit of compilations, and the choice among the compiled modules if it is reached.

use super::comparison::{TimePair, is_no_slower, total_times};
use super::refusals::is_faster;
use super::verdict::{CandidateVerdict, VerdictReason};
use super::{Gate, sum_us};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// The number of candidates that have two selections.
const CANDIDATES: usize = 10;

impl<P> Gate<'_, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Limits the compilations from here on. Up to ten candidates have two selections or trials,
    /// beside the plain module and the one with all candidates.
    pub(super) fn set_limit(&mut self) {
        let candidates = self.candidates.iter();
        let count = candidates.filter(|it| it.stands_in_for.is_none()).count();
        self.limit = self.profiles + 2 * count.div_ceil(CANDIDATES);
    }

    /// Returns true if no other module is compiled.
    pub(super) fn is_at_limit(&self) -> bool {
        self.profiles >= self.limit
    }

    /// Returns the candidates of the fastest compiled module, the module, and the verdicts with
    /// its times. `verdicts` are those of a selection that was not compiled. A module that takes
    /// longer than the plain one in some call does not count.
    pub(super) fn fastest_compiled(
        &self,
        plain: &ProfiledModule,
        mut verdicts: Vec<CandidateVerdict>,
    ) -> (Vec<usize>, ProfiledModule, Vec<CandidateVerdict>) {
        let compiled = self.known.iter().filter_map(|(set, module)| {
            let module = module.as_ref().ok()?;
            let times = is_no_slower(plain, module).then(|| total_times(plain, module).sums());
            Some((set, module, times?))
        });
        let mut compiled: Vec<(&Vec<usize>, &ProfiledModule, TimePair)> = compiled.collect();
        compiled.sort_by(|one, other| other.2.saved_us().total_cmp(&one.2.saved_us()));
        let (kept, chosen, gain) = match compiled.first() {
            Some(&(set, module, times)) => (set.clone(), module.clone(), times),
            None => (Vec::new(), plain.clone(), TimePair::default()),
        };
        for (position, verdict) in verdicts.iter_mut().enumerate() {
            let with = compiled.iter().find(|it| it.0.contains(&position));
            if kept.contains(&position) {
                verdict.is_with_others = kept.len() > 1;
                verdict.set_times(gain, false);
            } else if verdict.reason.is_of_times() {
                // The commands that a module does not change are those of the plain one.
                let pair = with.map(|(_, _, times)| TimePair {
                    before_us: gain.after_us,
                    after_us: gain.before_us - times.saved_us(),
                    bounded: 0,
                });
                verdict.reason = match pair {
                    Some(_) => VerdictReason::SlowerModule,
                    None => VerdictReason::NoFastModule,
                };
                verdict.set_times(pair.unwrap_or_default(), false);
            }
        }
        (kept, chosen, verdicts)
    }

    /// Returns the candidates of the fastest compiled module, and the module, if IREE alone
    /// refuses the plain one. A module that is slower than the first one in some call does not
    /// count.
    pub(super) fn fastest_refused<'m>(
        &'m self,
        first: &'m [usize],
        with_first: &'m ProfiledModule,
    ) -> (&'m [usize], &'m ProfiledModule) {
        let compiled = self.known.iter();
        let compiled = compiled.filter_map(|(set, it)| Some((&**set, it.as_ref().ok()?)));
        let faster = compiled.filter(|it| is_faster(with_first, it.1));
        let fastest = faster.min_by(|one, two| sum_us(one.1).total_cmp(&sum_us(two.1)));
        fastest.unwrap_or((first, with_first))
    }
}
