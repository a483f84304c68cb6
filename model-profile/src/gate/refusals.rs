//! Modules that iree-compile refuses, alone or with some candidates.

use super::comparison::total_times;
use super::verdict::{CandidateVerdict, GateVerdict, VerdictReason};
use super::{Gate, sorted};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// Candidates with which the module does not compile, each with the compiler's message.
pub(super) type Refusals = Vec<(usize, String)>;

/// The choice among candidates for the same operations.
struct RivalChoice {
    kept: Vec<usize>,
    /// The module with them.
    module: ProfiledModule,
    /// The candidates that were compared.
    tried: Vec<usize>,
    refused: Refusals,
}

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
        let (first, with_first) = match self.compile(&placed)? {
            Ok(with_placed) => (placed, with_placed),
            Err(_) => (all.clone(), with_all),
        };
        let choice = loop {
            let (compiled, is_predicted) = (self.profiles, self.source.is_some());
            let choice = self.fastest_rivals(&first, &with_first, &all)?;
            if is_predicted && self.profiles > compiled {
                continue;
            }
            match self.known.get(&choice.kept) {
                Some(Ok(_)) => break choice,
                _ if self.is_at_limit() => {
                    let (kept, module) = self.fastest_refused(&first, &with_first);
                    break RivalChoice {
                        kept: kept.to_vec(),
                        module: module.clone(),
                        ..choice
                    };
                }
                _ => {
                    if let Ok(profiled) = self.compile(&choice.kept)? {
                        self.check_prediction(&choice.kept, &profiled);
                    }
                }
            }
        };
        let refused = || refused.iter().chain(&choice.refused);
        let candidates = (0..self.candidates.len()).map(|position| {
            let refusal = refused().find(|it| it.0 == position);
            let is_kept = choice.kept.contains(&position);
            let is_variant = |it: usize| {
                let of = |it: usize| self.candidates[it].stands_in_for;
                of(it) == Some(position) || of(position) == Some(it)
            };
            let reason = match refusal {
                _ if is_kept => VerdictReason::NoPlainModule,
                Some((_, message)) => VerdictReason::NotCompiled {
                    message: message.clone(),
                },
                None if choice.kept.iter().any(|&it| is_variant(it)) => {
                    VerdictReason::OtherIsFaster
                }
                None if choice.tried.contains(&position) || first.contains(&position) => {
                    VerdictReason::RivalIsFaster
                }
                None if self.candidates[position].stands_in_for.is_some() => {
                    VerdictReason::OtherIsFaster
                }
                None => self.without_launches(position, &all),
            };
            CandidateVerdict {
                kept: is_kept,
                launches: self.launches(position, &choice.module),
                ..CandidateVerdict::left_out(reason)
            }
        });
        Ok(GateVerdict {
            candidates: candidates.collect(),
            kept: choice.kept,
            plain: None,
            chosen: choice.module,
            profiles: self.profiles,
            outlines: self.outlines.len(),
        })
    }

    /// Replaces candidates by their rivals, as far as the module is then faster by the times that
    /// are known or predicted.
    fn fastest_rivals(
        &mut self,
        first: &[usize],
        with_first: &ProfiledModule,
        all: &[usize],
    ) -> Result<RivalChoice, ProfileError> {
        let mut choice = RivalChoice {
            kept: first.to_vec(),
            module: with_first.clone(),
            tried: Vec::new(),
            refused: Refusals::new(),
        };
        for position in 0..self.candidates.len() {
            let out = self.rivals_in(position, &choice.kept, all);
            if out.is_empty() {
                continue;
            }
            let set = sorted(without(&choice.kept, &out).into_iter().chain([position]));
            match self.known_or_profile(&set)? {
                Err(message) if !self.is_stopped => choice.refused.push((position, message)),
                Ok(module) if is_faster(&choice.module, &module) => {
                    (choice.kept, choice.module) = (set, module);
                    choice.tried.push(position);
                }
                _ => choice.tried.push(position),
            }
        }
        Ok(choice)
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
pub(super) fn is_faster(one: &ProfiledModule, other: &ProfiledModule) -> bool {
    total_times(one, other).gain_us().is_some()
}

/// Returns the candidates that are not among others.
pub(super) fn without(candidates: &[usize], others: &[usize]) -> Vec<usize> {
    let left = candidates.iter().copied();
    left.filter(|it| !others.contains(it)).collect()
}
