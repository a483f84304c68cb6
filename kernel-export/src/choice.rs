//! The choice of the kernels to export: for each problem, that of the best known configuration,
//! or else of the untuned one.

use std::collections::HashSet;

use ::lookup::{FoundConfiguration, LookupRequest, Ranking, all_rankings};
use answers::kernels::{ConfigurationChoice, KnownTiming};
use configgen::{Configuration, Generator, Knobs, Problem, Rejection, Target, native_default};
use store::{Catalogue, Readable, StoreError, Ties, Unreadable};

/// The selection criteria of an export.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    /// The target; an export is for one.
    pub target: &'static Target,
    /// The name of the device on which the problems must have been tuned.
    pub device: Option<&'a str>,
    /// True to note unknown problems as wishes for tuning.
    pub wish: bool,
    /// True to check if IREE's own kernel of a problem is known to be the better one.
    pub beside_iree: bool,
}

impl ExportRequest<'_> {
    /// Returns the message for an export without kernels.
    pub fn no_kernel_message(&self) -> String {
        let target = self.target;
        let command = lookup::advice::tune_some(target, self.device);
        format!("nothing to export for {target}; `{command}` finds configurations")
    }

    fn means(&self, ranking: &Ranking) -> bool {
        let made = &ranking.provenance;
        // Code objects exist for native kernels alone; IREE's kernels come from iree-compile.
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
    /// The reason for this configuration.
    pub(crate) chosen: ConfigurationChoice,
    /// True if IREE's own kernel is known to be better.
    pub(crate) is_behind_iree: bool,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.problem.fmt(f)
    }
}

impl Choice {
    /// Chooses the kernel of a given configuration.
    ///
    /// # Errors
    ///
    /// [`ExportRefusal`]: the configuration is not legal.
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

    /// Returns the same configuration without split rows, unless it splits none or would be
    /// illegal. Such a kernel needs no workspace, which a module would clear before each launch.
    pub fn without_split(&self, target: &Target) -> Option<Choice> {
        let mut configuration = self.configuration.clone();
        if configuration.knobs.split == Knobs::DEFAULT.split {
            return None;
        }
        // A workgroup then takes the steps of all that shared its rows.
        configuration.knobs.split = Knobs::DEFAULT.split;
        let choice = Choice {
            problem: self.problem.clone(),
            configuration,
            chosen: match self.chosen {
                ConfigurationChoice::Default => ConfigurationChoice::Default,
                _ => ConfigurationChoice::Given,
            },
            is_behind_iree: self.is_behind_iree,
        };
        choice.checked(target).ok()
    }

    /// Chooses the best known configuration, or the untuned one if nothing is known.
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

    /// Checks the configuration: one that was legal when it was tuned need not be legal now.
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

/// The refusal of a problem that has no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: {rejection}")]
pub struct ExportRefusal {
    /// The problem.
    pub problem: Problem,
    /// The broken rule.
    pub rejection: Rejection,
}

/// The kernels to export for some problems.
#[derive(Debug, Default)]
pub struct Selection {
    /// The kernels, in the order of the problems.
    pub choices: Vec<Choice>,
    /// The problems without a kernel.
    pub refused: Vec<ExportRefusal>,
    /// The number of problems noted for tuning.
    pub noted: usize,
    /// The rows that could not be read.
    pub unreadable: Unreadable,
}

/// Returns the problems with tuned native kernels, each once.
///
/// # Errors
///
/// Those of reading the catalogue.
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

/// Chooses a configuration for each distinct problem: the best known one, if there is a
/// catalogue.
///
/// # Errors
///
/// Those of reading the catalogue. An unknown problem is no error.
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

/// Returns true if the best known kernel of a problem, by any generator, is IREE's.
async fn is_behind_iree(
    catalogue: &dyn Catalogue,
    wanted: &ExportRequest<'_>,
    problem: &Problem,
) -> Result<bool, StoreError> {
    let request = LookupRequest {
        // Without a generator, the lookup compares the kernels of all generators.
        generator: None,
        ..wanted.request(problem)
    };
    let answer = ::lookup::look(catalogue, &request).await?;
    let best = answer.found().map(|found| found.generator);
    Ok(best == Some(Generator::IREE))
}

impl Selection {
    /// Returns the best known configuration of a problem.
    async fn ask(
        &mut self,
        catalogue: &dyn Catalogue,
        wanted: &ExportRequest<'_>,
        problem: &Problem,
    ) -> Result<Option<FoundConfiguration>, StoreError> {
        let request = wanted.request(problem);
        let mut answer = ::lookup::look(catalogue, &request).await?;
        // A wish makes the service tune the problem later. This export takes what is known now.
        if wanted.wish && ::lookup::note(catalogue, &request, &mut answer).await {
            self.noted += 1;
        }
        // An unreadable row may hide a better configuration, so the caller reports it.
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
