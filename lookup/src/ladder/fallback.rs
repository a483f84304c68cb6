//! The rungs below `exact`, for a problem that was not tuned as requested: the same from a
//! database, from memory and from a table.

use answers::lookup::{EmptyRung, ExpectedTime, FallbackAnswer, PrintedAnswer, Rung};
use configgen::{Configuration, Generator, Pipeline, Problem, Target, default_configuration};
use store::Unreadable;

use super::LookupRequest;
use super::prediction_rung::predicted;
use crate::answer::{LookupAnswer, LookupMiss};
use crate::neighbour::{
    BestOfDevice, NeighbourRejection, RefusedConfigurations, configuration, nearest,
};

/// A descent of the ladder, from the rung below `exact`.
#[derive(Debug)]
pub(crate) struct FallbackLadder<'a> {
    request: &'a LookupRequest,
    refused: &'a RefusedConfigurations,
    /// The reason that there is no exact answer.
    reason: String,
    tried: Vec<EmptyRung>,
    /// The rung and configuration of the answer, once found.
    found: Option<(Rung, FallbackConfiguration)>,
}

#[derive(Debug)]
struct FallbackConfiguration {
    configuration: Configuration,
    generator: Generator,
    tuned: Option<PrintedAnswer>,
    expected: Option<ExpectedTime>,
}

impl<'a> FallbackLadder<'a> {
    /// Starts below `exact`, which has no answer for this reason. Skips refused configurations,
    /// which were tried for this problem.
    pub(crate) fn new(
        request: &'a LookupRequest,
        refused: &'a RefusedConfigurations,
        reason: String,
    ) -> FallbackLadder<'a> {
        let exact = EmptyRung {
            rung: Rung::Exact,
            reason: reason.clone(),
        };
        FallbackLadder {
            request,
            refused,
            reason,
            tried: vec![exact],
            found: None,
        }
    }

    /// Returns whether the next rung, `rung`, may answer.
    pub(crate) fn asks(&self, rung: Rung) -> bool {
        self.request.target.is_some() && self.found.is_none() && rung <= self.request.at_least
    }

    /// Takes the best configuration of the same problem on another device. `known` is in the
    /// order of preference.
    pub(crate) fn sibling<B: BestOfDevice>(&mut self, known: impl Iterator<Item = B>) {
        let Some(device) = &self.request.device else {
            return self.pass(
                Rung::Sibling,
                "the request names no device, so every device of the target was considered"
                    .to_owned(),
            );
        };
        let mut known =
            known.filter(|best| self.request.takes(best.generator()) && best.device() != device);
        let taken = known.find_map(|best| {
            let (tuned, generator) = (best.line()?, best.generator());
            let configuration = configuration(&tuned)?;
            let is_refused = self.refused.verdict(generator, &configuration).is_some();
            (!is_refused).then_some(FallbackConfiguration {
                configuration,
                generator,
                tuned: Some(tuned),
                expected: None,
            })
        });
        match taken {
            Some(taken) => self.found = Some((Rung::Sibling, taken)),
            None => {
                let by = by_generator(self.request.generator);
                let target = of_target(self.request.target);
                let reason = format!("no other device{target} has a configuration{by}");
                self.pass(Rung::Sibling, reason);
            }
        }
    }

    /// Takes the configuration of the nearest problem. `near` has the nearest first.
    pub(crate) fn neighbour<B: BestOfDevice>(
        &mut self,
        near: impl Iterator<Item = (Problem, Vec<B>)>,
    ) {
        let LookupRequest {
            problem,
            target,
            device,
            ..
        } = self.request;
        let Some(target) = target else { return };
        match nearest(problem, target, device.as_deref(), near, self.refused) {
            Ok(taken) => {
                let took = FallbackConfiguration {
                    configuration: taken.configuration,
                    generator: taken.generator,
                    tuned: Some(taken.line),
                    expected: None,
                };
                self.found = Some((Rung::Neighbour, took));
            }
            Err(vain) => {
                let by = by_generator(self.request.generator);
                let known = match vain.problems {
                    1 => format!("1 problem of similar sizes is tuned for {target}{by}"),
                    many => format!("{many} problems of similar sizes are tuned for {target}{by}"),
                };
                let reason = match vain.first {
                    Some((nearest, NeighbourRejection::Illegal(rejection))) => format!(
                        "{known}, and none of their configurations is legal here; that of {nearest}: {rejection}"
                    ),
                    Some((nearest, NeighbourRejection::Refused(verdict))) => format!(
                        "{known}, and none of their configurations can be served; that of {nearest} was tried for \
                         this problem, and is {}",
                        verdict.name()
                    ),
                    None if vain.problems > 0 => {
                        format!("{known}, and none of their configurations can be read")
                    }
                    None => format!(
                        "no problem for {target} with half to twice as many rows and columns has a configuration{by}"
                    ),
                };
                self.pass(Rung::Neighbour, reason);
            }
        }
    }

    /// Takes the time model's first choice, or else the generator's untuned configuration. Neither
    /// needs a trial.
    pub(crate) fn untried(&mut self) {
        if self.asks(Rung::Predicted) {
            self.predicted();
        }
        if self.asks(Rung::Default) {
            self.default();
        }
    }

    fn predicted(&mut self) {
        let Some(target) = self.request.target else {
            return;
        };
        let predicted = predicted(self.request, target).and_then(|it| {
            match self.refused.verdict(it.generator, &it.configuration) {
                Some(verdict) => Err(format!(
                    "the predicted configuration was tried for this problem, and is {}",
                    verdict.name()
                )),
                None => Ok(it),
            }
        });
        match predicted {
            Ok(it) => {
                let took = FallbackConfiguration {
                    configuration: it.configuration,
                    generator: it.generator,
                    tuned: None,
                    expected: Some(it.expected),
                };
                self.found = Some((Rung::Predicted, took));
            }
            Err(reason) => self.pass(Rung::Predicted, reason),
        }
    }

    fn default(&mut self) {
        let Some(target) = self.request.target else {
            return;
        };
        let generator = self.request.generator.unwrap_or_default();
        let untuned = untuned(&self.request.problem, target, generator).and_then(|it| {
            match self.refused.verdict(generator, &it) {
                Some(verdict) => Err(format!(
                    "the untuned configuration of {generator} was tried for this problem, and is {}",
                    verdict.name()
                )),
                None => Ok(it),
            }
        });
        match untuned {
            Ok(configuration) => {
                let took = FallbackConfiguration {
                    configuration,
                    generator,
                    tuned: None,
                    expected: None,
                };
                self.found = Some((Rung::Default, took));
            }
            Err(reason) => self.pass(Rung::Default, reason),
        }
    }

    /// Returns the configuration that would be the answer.
    pub(crate) fn taken(&self) -> Option<(Generator, &Configuration)> {
        let (_, took) = self.found.as_ref()?;
        Some((took.generator, &took.configuration))
    }

    fn pass(&mut self, rung: Rung, reason: String) {
        self.tried.push(EmptyRung { rung, reason });
    }

    /// Returns the answer, with the rows that were unreadable.
    pub(crate) fn end(mut self, unreadable: Unreadable) -> LookupAnswer {
        let LookupRequest {
            problem,
            target,
            at_least,
            ..
        } = self.request;
        let (Some((rung, took)), Some(target)) = (self.found.take(), *target) else {
            let tried = match at_least {
                // The list would repeat the reason.
                Rung::Exact => Vec::new(),
                _ => self.tried,
            };
            return LookupAnswer::None(Box::new(LookupMiss {
                problem: problem.clone(),
                target: *target,
                reason: self.reason,
                tried,
                wished: false,
                unreadable,
            }));
        };
        let instead = Box::new(FallbackAnswer {
            problem: problem.clone(),
            target,
            configuration: took.configuration,
            generator: took.generator,
            tuned: took.tuned,
            expected: took.expected,
            tried: self.tried,
            wished: false,
            unreadable,
        });
        match rung {
            Rung::Sibling => LookupAnswer::Sibling(instead),
            Rung::Neighbour => LookupAnswer::Neighbour(instead),
            Rung::Predicted => LookupAnswer::Predicted(instead),
            Rung::Exact | Rung::Default => LookupAnswer::Default(instead),
        }
    }
}

fn by_generator(generator: Option<Generator>) -> String {
    generator.map_or_else(String::new, |generator| format!(" by {generator}"))
}

fn of_target(target: Option<&Target>) -> String {
    target.map_or_else(String::new, |target| format!(" of {target}"))
}

/// Returns the untuned configuration, if the generator has a legal one.
fn untuned(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<Configuration, String> {
    let refused =
        |rejection| format!("the {generator} generator does not support the problem: {rejection}");
    let default = default_configuration(problem, target, generator).map_err(refused)?;
    let configuration = match &default {
        Pipeline::VectorDistribute(configuration) => configuration,
        Pipeline::TileAndFuse(fallback) => {
            return Err(format!(
                "the default of {generator} does not distribute over lanes ({fallback})"
            ));
        }
    };
    configgen::check(problem, target, generator, configuration).map_err(|rejection| {
        format!("the untuned configuration of {generator} is not legal: {rejection}")
    })?;
    Ok(configuration.canonical(problem))
}
