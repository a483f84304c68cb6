//! Modules that iree-compile refuses, alone or with some candidates.

use super::comparison::total_times;
use super::verdict::{CandidateVerdict, GateVerdict, VerdictReason};
use super::{Gate, sorted};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// Candidates with which the module does not compile, each with the compiler's message.
pub(super) type Refusals = Vec<(usize, String)>;

impl<P> Gate<'_, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Returns the candidates with which the module compiles, and the compiler's messages about
    /// the others.
    pub(super) fn compiling(
        &mut self,
        is_plain_refused: bool,
    ) -> Result<(Vec<usize>, Refusals), ProfileError> {
        let all = self.candidates.iter().enumerate();
        let all: Vec<usize> = all
            .filter(|(_, it)| it.stands_in_for.is_none())
            .map(|(position, _)| position)
            .collect();
        let Err(message) = self.compile(&all)? else {
            return Ok((all, Vec::new()));
        };
        if is_plain_refused && all.len() > 2 {
            // Several candidates may each be needed, so one at a time is left out first.
            for &position in &all {
                let others = without(&all, &[position]);
                if self.compile(&others)?.is_ok() {
                    return Ok((others, vec![(position, message)]));
                }
            }
        }
        let (mut compiling, mut refused) = (Vec::new(), Vec::new());
        for position in all {
            let mut with: Vec<usize> = compiling.clone();
            with.push(position);
            match self.compile(&with)? {
                Ok(_) => compiling = with,
                Err(message) => refused.push((position, message)),
            }
        }
        Ok((compiling, refused))
    }

    /// Returns the verdict for a module that IREE alone does not compile.
    pub(super) fn without_plain(
        mut self,
        all: Vec<usize>,
        refused: Refusals,
    ) -> Result<GateVerdict, ProfileError> {
        let with_all = match all.is_empty() {
            true => None,
            false => self.compile(&all)?.ok(),
        };
        let Some(with_all) = with_all else {
            let message = match self.known.get(&Vec::new()) {
                Some(Err(message)) => message.clone(),
                _ => String::new(),
            };
            return Err(ProfileError::NotCompiled { message });
        };
        let is_placed = |it: &usize| self.launches(*it, &with_all) > 0;
        let placed: Vec<usize> = all.iter().copied().filter(is_placed).collect();
        // A candidate without a launch may be the one that lets the module compile.
        let (mut kept, mut chosen) = match self.compile(&placed)? {
            Ok(chosen) => (placed, chosen),
            Err(_) => (all.clone(), with_all),
        };
        let first = kept.clone();
        let (mut slower, mut not_compiled) = (Vec::new(), Refusals::new());
        for position in 0..self.candidates.len() {
            let out = self.rivals_in(position, &kept, &all);
            if out.is_empty() {
                continue;
            }
            let set = sorted(without(&kept, &out).into_iter().chain([position]));
            if let Some(Ok(predicted)) = self.predict(&set)?
                && !is_faster(&chosen, &predicted)
            {
                slower.push(position);
                continue;
            }
            match self.compile(&set)? {
                Ok(module) if is_faster(&chosen, &module) => (kept, chosen) = (set, module),
                Ok(_) => slower.push(position),
                Err(message) => not_compiled.push((position, message)),
            }
        }
        let refused: Refusals = refused.into_iter().chain(not_compiled).collect();
        let candidates = (0..self.candidates.len()).map(|position| {
            let refusal = refused.iter().find(|it| it.0 == position);
            let is_kept = kept.contains(&position);
            let is_variant = |it: usize| {
                let of = |it: usize| self.candidates[it].stands_in_for;
                of(it) == Some(position) || of(position) == Some(it)
            };
            let reason = match refusal {
                _ if is_kept => VerdictReason::NoPlainModule,
                Some((_, message)) => VerdictReason::NotCompiled {
                    message: message.clone(),
                },
                None if kept.iter().any(|&it| is_variant(it)) => VerdictReason::OtherIsFaster,
                None if slower.contains(&position) || first.contains(&position) => {
                    VerdictReason::RivalIsFaster
                }
                None if self.candidates[position].stands_in_for.is_some() => {
                    VerdictReason::OtherIsFaster
                }
                None => self.without_launches(position, &all),
            };
            CandidateVerdict {
                kept: is_kept,
                launches: self.launches(position, &chosen),
                ..CandidateVerdict::left_out(reason)
            }
        });
        Ok(GateVerdict {
            candidates: candidates.collect(),
            kept,
            plain: None,
            chosen,
            profiles: self.profiles,
            outlines: self.outlines.len(),
        })
    }

    /// Returns the candidates in place that have operations of this one.
    fn rivals_in(&self, position: usize, kept: &[usize], all: &[usize]) -> Vec<usize> {
        let other = self.candidates[position].stands_in_for;
        let is_tried = other.is_some() || all.contains(&position);
        if !is_tried || kept.contains(&position) {
            return Vec::new();
        }
        let is_rival = |it: &usize| other == Some(*it) || self.has_rival_in(position, &[*it]);
        kept.iter().copied().filter(is_rival).collect()
    }
}

/// Returns true if no call of the second module takes longer, and all together take less time.
fn is_faster(one: &ProfiledModule, other: &ProfiledModule) -> bool {
    total_times(one, other).gain_us().is_some()
}

/// Returns the candidates that are not among others.
pub(super) fn without(candidates: &[usize], others: &[usize]) -> Vec<usize> {
    let left = candidates.iter().copied();
    left.filter(|it| !others.contains(it)).collect()
}
