//! Candidates in place of others: stand-ins, which are other kernels of the same operations.

use std::collections::BTreeMap;

use super::group_trials::Group;
use super::refusals::without;
use super::verdict::CandidateVerdict;
use super::{Gate, sorted};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

impl<P> Gate<'_, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Replaces candidates of groups by their stand-ins if the group is then faster. Returns the
    /// candidates that lose. Hidden candidates are compared in a module without those that hide
    /// them.
    pub(super) fn stand_in(
        &mut self,
        groups: &mut [Group],
        all: &[usize],
        plain: &ProfiledModule,
        verdicts: &mut [CandidateVerdict],
    ) -> Result<Vec<usize>, ProfileError> {
        let stand_ins = self.candidates.iter().enumerate();
        let stand_ins: BTreeMap<usize, usize> = stand_ins
            .filter_map(|(position, it)| Some((it.stands_in_for?, position)))
            .collect();
        let mut out: Vec<usize> = stand_ins.values().copied().collect();
        if out.is_empty() {
            return Ok(out);
        }
        let hidden: Vec<usize> = groups.iter().flat_map(|it| it.hidden.clone()).collect();
        let hiding = |it: &usize| hidden.iter().any(|one| self.has_rival_in(*one, &[*it]));
        let hiding: Vec<usize> = all.iter().copied().filter(hiding).collect();
        for of_hidden in [false, true] {
            let base = match of_hidden {
                false => without(all, &hidden),
                true => without(all, &hiding),
            };
            let of = |group: &Group| match of_hidden {
                false => group.members.clone(),
                true => group.hidden.clone(),
            };
            let replaced = |positions: &[usize]| {
                let positions = positions.iter();
                sorted(positions.map(|it| *stand_ins.get(it).unwrap_or(it)))
            };
            let mut changing = groups.iter().map(of);
            if !changing.any(|group| replaced(&group) != group) {
                continue;
            }
            // Hidden candidates make no difference to the first module.
            let first = if of_hidden { &*base } else { all };
            let (Ok(one), Ok(two)) = (self.profile(first)?, self.profile(&replaced(&base))?) else {
                continue;
            };
            for group in groups.iter_mut() {
                let (before, after) = (of(group), replaced(&of(group)));
                if before == after {
                    continue;
                }
                let times = self.times(&before, &base, plain, &one);
                let others = self.times(&after, &replaced(&base), plain, &two);
                if others.untimed.is_some() || others.sums().saved_us() <= times.sums().saved_us() {
                    continue;
                }
                out.retain(|it| !after.contains(it));
                out.extend(without(&before, &after));
                for &position in &after {
                    verdicts[position].launches = self.launches(position, &two);
                }
                match of_hidden {
                    false => group.members = after,
                    true => group.hidden = after,
                }
            }
        }
        Ok(out)
    }
}
