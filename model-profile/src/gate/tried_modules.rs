//! The modules of a judgement: compiled and profiled, or predicted by their outlines.

use super::Gate;
use super::sum_us;
use crate::error::ProfileError;
use crate::module_outline::ModuleOutline;
use crate::profiler::ProfiledModule;

/// The largest relative difference between a predicted time and the profiled one.
const PREDICTED: f64 = 0.01;

impl<P> Gate<'_, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Returns the profile of the module with some candidates, known or predicted, or the
    /// compiler's message.
    pub(super) fn profile(
        &mut self,
        candidates: &[usize],
    ) -> Result<Result<ProfiledModule, String>, ProfileError> {
        if let Some(Err(message)) = self.known.get(candidates) {
            return Ok(Err(message.clone()));
        }
        match self.predict(candidates)? {
            Some(predicted) => Ok(predicted),
            None if self.is_at_limit() && !self.known.contains_key(candidates) => {
                self.is_stopped = true;
                Ok(Err("enough modules were compiled".to_owned()))
            }
            None => self.compile(candidates),
        }
    }

    /// Returns the known profile of the module with some candidates. It is better than a predicted
    /// one, which only stands in for it.
    pub(super) fn known_or_profile(
        &mut self,
        candidates: &[usize],
    ) -> Result<Result<ProfiledModule, String>, ProfileError> {
        match self.known.get(candidates) {
            Some(known) => Ok(known.clone()),
            None => self.profile(candidates),
        }
    }

    /// Returns the predicted profile, if outlines predict anything.
    pub(super) fn predict(
        &mut self,
        candidates: &[usize],
    ) -> Result<Option<Result<ProfiledModule, String>>, ProfileError> {
        if self.source.is_none() {
            return Ok(None);
        }
        if let Some(predicted) = self.predicted.get(candidates) {
            return Ok(Some(Ok(predicted.clone())));
        }
        let outline = match self.outline(candidates)? {
            Ok(outline) => outline,
            Err(message) => return Ok(Some(Err(message))),
        };
        let is_tuned = self.is_tuned(candidates);
        let Some(source) = &self.source else {
            return Ok(None);
        };
        let predicted = source.prediction.of(&outline, is_tuned, &source.bound_us);
        if let Some(predicted) = &predicted {
            self.predicted
                .insert(candidates.to_vec(), predicted.clone());
        }
        Ok(predicted.map(Ok))
    }

    /// Returns true if a candidate without kernels, such as a tuning spec, changes the code of
    /// IREE's kernels.
    fn is_tuned(&self, candidates: &[usize]) -> bool {
        let mut candidates = candidates.iter();
        candidates.any(|&it| self.candidates[it].kernels.is_empty())
    }

    fn outline(
        &mut self,
        candidates: &[usize],
    ) -> Result<Result<ModuleOutline, String>, ProfileError> {
        if let Some(known) = self.outlines.get(candidates) {
            return Ok(known.clone());
        }
        let Some(source) = &mut self.source else {
            return Ok(Ok(ModuleOutline::default()));
        };
        let outline = compiled((source.outline)(candidates))?;
        self.outlines.insert(candidates.to_vec(), outline.clone());
        Ok(outline)
    }

    /// Compiles and profiles the module with some candidates, or returns the compiler's message.
    pub(super) fn compile(
        &mut self,
        candidates: &[usize],
    ) -> Result<Result<ProfiledModule, String>, ProfileError> {
        if let Some(known) = self.known.get(candidates) {
            return Ok(known.clone());
        }
        let outline = match self.source.is_some() {
            true => Some(self.outline(candidates)?),
            false => None,
        };
        let profiled = match &outline {
            Some(Err(message)) => Err(message.clone()),
            outline => match outline.as_ref().and_then(|it| self.equal(it, candidates)) {
                Some(equal) => Ok(equal),
                None => {
                    self.profiles += 1;
                    compiled((self.profile)(candidates))?
                }
            },
        };
        self.known.insert(candidates.to_vec(), profiled.clone());
        if let (Ok(profiled), Some(Ok(outline))) = (&profiled, &outline) {
            let is_tuned = self.is_tuned(candidates);
            self.predicted.clear();
            let prediction = self.source.as_mut().map(|it| &mut it.prediction);
            if prediction.is_some_and(|it| !it.learn(outline, is_tuned, profiled)) {
                self.source = None;
            }
        }
        Ok(profiled)
    }

    /// Returns the profile of a module with the same outline. A candidate that is placed nowhere
    /// changes none.
    fn equal(
        &self,
        outline: &Result<ModuleOutline, String>,
        candidates: &[usize],
    ) -> Option<ProfiledModule> {
        let is_equal = |(others, other): &(&Vec<usize>, &Result<ModuleOutline, String>)| {
            *other == outline && self.is_tuned(others) == self.is_tuned(candidates)
        };
        let mut equal = self.outlines.iter().filter(is_equal);
        equal.find_map(|(others, _)| self.known.get(others)?.as_ref().ok().cloned())
    }

    /// Predicts no more if the prediction of a profiled module is another one.
    pub(super) fn check_prediction(&mut self, candidates: &[usize], profiled: &ProfiledModule) {
        let predicted = match self.predict(candidates) {
            Ok(Some(Ok(predicted))) => sum_us(&predicted),
            _ => return,
        };
        if (predicted - sum_us(profiled)).abs() > PREDICTED * sum_us(profiled) {
            self.source = None;
        }
    }

    pub(super) fn expect(&mut self, candidates: &[usize]) -> Result<ProfiledModule, ProfileError> {
        let profiled = self.profile(candidates)?;
        profiled.map_err(|message| ProfileError::NotCompiled { message })
    }
}

/// Returns the compiler's message in place of its error.
fn compiled<T>(result: Result<T, ProfileError>) -> Result<Result<T, String>, ProfileError> {
    match result {
        Ok(module) => Ok(Ok(module)),
        Err(error) if error.is_of_compilation() => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}
