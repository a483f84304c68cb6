//! Which kernels are exported: of each problem that of the best known configuration, or else of the untuned one.

use std::collections::HashSet;

use ::lookup::{FoundConfiguration, LookupRequest, Ranking, all_rankings};
use answers::kernels::{ConfigurationChoice, KnownTiming};
use configgen::{Configuration, Generator, Problem, Rejection, Target, native_default};
use store::{Catalogue, Readable, StoreError, Ties, Unreadable};

/// What is to be exported.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    /// The ISA; an export is for one.
    pub target: &'static Target,
    /// Only what was tuned on the device with this name.
    pub device: Option<&'a str>,
    /// Whether problems of which nothing is known are noted, to be tuned.
    pub wish: bool,
    /// Whether it is asked if IREE's own kernel of a problem is known to be the better one.
    pub beside_iree: bool,
}

impl ExportRequest<'_> {
    /// What to say where there is no such kernel.
    pub fn no_kernel_message(&self) -> String {
        let target = self.target;
        let command = lookup::advice::tune_some(target, self.device);
        format!("nothing to export for {target}; `{command}` finds configurations")
    }

    fn means(&self, ranking: &Ranking) -> bool {
        let made = &ranking.provenance;
        (made.target, made.generator) == (self.target, Generator::NATIVE)
            && self.device.is_none_or(|device| *device == made.device)
    }

    pub(crate) fn request(&self, problem: &Problem) -> LookupRequest {
        LookupRequest {
            device: self.device.map(str::to_owned),
            generator: Some(Generator::NATIVE),
            ..LookupRequest::new(problem.clone(), self.target)
        }
    }
}

/// A kernel to export.
#[derive(Debug, Clone)]
pub struct Choice {
    pub(crate) problem: Problem,
    pub(crate) configuration: Configuration,
    /// Why it is this one.
    pub(crate) chosen: ConfigurationChoice,
    /// Whether IREE's own kernel is known to be better.
    pub(crate) is_behind_iree: bool,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem.fmt(f)
    }
}

impl Choice {
    /// The kernel of a configuration that somebody names.
    ///
    /// # Errors
    ///
    /// [`Refused`]: the configuration is not legal.
    pub fn from_configuration(
        problem: Problem,
        target: &Target,
        configuration: Configuration,
    ) -> Result<Choice, Box<ExportRefusal>> {
        let choice = Choice {
            problem,
            configuration,
            chosen: ConfigurationChoice::Given,
            is_behind_iree: false,
        };
        choice.checked(target)
    }

    /// That of the best known configuration, or of the untuned one where nothing is known.
    fn of(
        problem: Problem,
        target: &Target,
        found: Option<FoundConfiguration>,
    ) -> Result<Choice, Box<ExportRefusal>> {
        let (configuration, chosen) = match found {
            Some(found) => (found.configuration.clone(), tuned_as(found)),
            None => match native_default(&problem, target) {
                Ok(configuration) => (configuration, ConfigurationChoice::Default),
                Err(rejection) => return Err(Box::new(ExportRefusal { problem, rejection })),
            },
        };
        let choice = Choice {
            problem,
            configuration,
            chosen,
            is_behind_iree: false,
        };
        choice.checked(target)
    }

    /// What was legal when it was tuned need not be so any more.
    fn checked(self, target: &Target) -> Result<Choice, Box<ExportRefusal>> {
        let Choice {
            problem,
            configuration,
            ..
        } = &self;
        match configgen::check(problem, target, Generator::NATIVE, configuration) {
            Ok(()) => Ok(self),
            Err(rejection) => Err(Box::new(ExportRefusal {
                problem: self.problem,
                rejection,
            })),
        }
    }
}

fn tuned_as(found: FoundConfiguration) -> ConfigurationChoice {
    ConfigurationChoice::Tuned(Box::new(KnownTiming {
        time_us: found.time_us,
        clock: found.clock,
        default_time_us: found.default_time_us,
        tuned_with: found.provenance,
    }))
}

/// A problem of which there is no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {rejection}")]
pub struct ExportRefusal {
    /// The problem.
    pub problem: Problem,
    /// The rule that is broken.
    pub rejection: Rejection,
}

/// What is to be exported of some problems.
#[derive(Debug, Default)]
pub struct Selection {
    /// The kernels, in the order of the problems.
    pub choices: Vec<Choice>,
    /// The problems of which there is none.
    pub refused: Vec<ExportRefusal>,
    /// How many problems were noted, to be tuned.
    pub noted: usize,
    /// What could not be read.
    pub unreadable: Unreadable,
}

/// The problems of which native kernels were tuned, each once.
///
/// # Errors
///
/// What reading the catalogue returns.
pub async fn tuned(
    catalogue: &dyn Catalogue,
    wanted: &ExportRequest<'_>,
) -> Result<Readable<Problem>, StoreError> {
    let known = all_rankings(catalogue, Ties::default(), 1).await?;
    let meant = known.rows.into_iter().filter(|it| wanted.means(it));
    Ok(Readable {
        rows: each_once(meant.map(|ranking| ranking.problem)),
        unreadable: known.unreadable,
    })
}

/// Chooses a configuration for each of these problems, which counts once: the best that is known, if there is a catalogue.
///
/// # Errors
///
/// What reading the catalogue returns. That nothing is known of a problem is none.
pub async fn choose(
    catalogue: Option<&dyn Catalogue>,
    wanted: &ExportRequest<'_>,
    problems: Vec<Problem>,
) -> Result<Selection, StoreError> {
    let mut selection = Selection::default();
    for problem in each_once(problems) {
        let found = match catalogue {
            Some(catalogue) => selection.ask(catalogue, wanted, &problem).await?,
            None => None,
        };
        let is_behind_iree = match catalogue.filter(|_| wanted.beside_iree) {
            Some(catalogue) => is_behind_iree(catalogue, wanted, &problem).await?,
            None => false,
        };
        match Choice::of(problem, wanted.target, found) {
            Ok(choice) => selection.choices.push(Choice {
                is_behind_iree,
                ..choice
            }),
            Err(refused) => selection.refused.push(*refused),
        }
    }
    Ok(selection)
}

/// Whether the best that is known of a problem, of whichever generator, is IREE's.
async fn is_behind_iree(
    catalogue: &dyn Catalogue,
    wanted: &ExportRequest<'_>,
    problem: &Problem,
) -> Result<bool, StoreError> {
    let request = LookupRequest {
        generator: None,
        ..wanted.request(problem)
    };
    let answer = ::lookup::look(catalogue, &request).await?;
    let best = answer.found().map(|found| found.generator);
    Ok(best == Some(Generator::IREE))
}

impl Selection {
    /// The best that is known of a problem.
    async fn ask(
        &mut self,
        catalogue: &dyn Catalogue,
        wanted: &ExportRequest<'_>,
        problem: &Problem,
    ) -> Result<Option<FoundConfiguration>, StoreError> {
        let request = wanted.request(problem);
        let mut answer = ::lookup::look(catalogue, &request).await?;
        if wanted.wish && ::lookup::note(catalogue, &request, &mut answer).await {
            self.noted += 1;
        }
        self.unreadable.join(answer.unreadable().clone());
        Ok(answer.found().cloned())
    }
}

fn each_once(problems: impl IntoIterator<Item = Problem>) -> Vec<Problem> {
    let mut seen = HashSet::new();
    let mut problems: Vec<Problem> = problems.into_iter().collect();
    problems.retain(|problem| seen.insert(problem.clone()));
    problems
}
