//! The choice of the kernels to export: for each problem, that of the best known configuration,
//! or else of the untuned one.

use std::cmp::Reverse;
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

    /// Returns the lookup of the exact answer for a problem.
    pub fn request(&self, problem: &Problem) -> LookupRequest {
        LookupRequest {
            device: self.device.map(str::to_owned),
            generator: Some(Generator::NATIVE),
            ..LookupRequest::new(problem.clone(), self.target)
        }
    }
}

/// The largest tensor of a launch with an open count, in bytes.
const LONGEST_BYTES: u64 = 1 << 31;

/// The largest count of a launch. 1,024 threads of each row then fit a grid of one dimension.
const LARGEST_COUNT: u32 = 1 << 21;

/// A kernel to export.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The problem.
    pub problem: Problem,
    /// The configuration, which is legal.
    pub configuration: Configuration,
    /// The reason for this configuration.
    pub chosen: ConfigurationChoice,
    /// True if IREE's own kernel is known to be better.
    pub is_behind_iree: bool,
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

    /// Returns a configuration without split rows, unless this one splits none. Such a kernel
    /// needs no workspace, which a module would clear before each launch.
    ///
    /// A workgroup takes the parts of all that shared its rows. Its step is as much longer as
    /// rules allow, up to the row, so that it reads a row once. It has as few more subgroups as
    /// that needs.
    pub fn without_split(&self, target: &Target) -> Option<Choice> {
        if self.configuration.knobs.split == Knobs::DEFAULT.split {
            return None;
        }
        let lowering = &self.configuration.lowering;
        let shape = &self.problem.shape;
        // Native kernels split the outermost of the dimensions with most steps.
        let steps = |&d: &usize| shape.sizes()[d].div_ceil(lowering.partial_reduction[d].max(1));
        let longest = shape.reduced().min_by_key(|d| Reverse(steps(d)))?;
        let longer = (0..=steps(&longest).next_power_of_two().ilog2()).rev();
        let mut factors =
            longer.flat_map(|step| (0..=step).map(move |more| (1 << step, 1 << more)));
        factors.find_map(|(step, subgroups)| self.spread(target, longest, (step, subgroups)))
    }

    /// Returns a configuration without split rows, with so many times the step and the subgroups
    /// along a dimension; none if it is illegal.
    fn spread(
        &self,
        target: &Target,
        dimension: usize,
        (step, subgroups): (u32, u32),
    ) -> Option<Choice> {
        let mut configuration = self.configuration.clone();
        configuration.knobs.split = Knobs::DEFAULT.split;
        let lowering = &mut configuration.lowering;
        let tile = &mut lowering.partial_reduction[dimension];
        *tile = tile.checked_mul(step)?;
        let digit = usize::from(lowering.subgroup_basis.mapping[dimension]);
        let count = &mut lowering.subgroup_basis.counts[digit];
        *count = count.checked_mul(subgroups)?;
        let threads = &mut configuration.workgroup_size[0];
        *threads = threads.checked_mul(subgroups)?;
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

    /// Returns the same configuration for as many rows as one launch can take: the kernel then
    /// needs no second launch above its problem's largest count. Returns the choice itself if the
    /// count is known, if rows are split, or if the longer range would be illegal.
    pub fn of_longest_range(&self, target: &Target) -> Choice {
        let longer = || {
            let counts = self.problem.shape.counts()?;
            // The workgroups of a split row share a workspace, which grows with the largest count.
            if self.configuration.knobs.split != Knobs::DEFAULT.split {
                return None;
            }
            // An offset of 32 bits reaches all rows of each tensor.
            let of_tensors = [
                self.problem.input_bytes(),
                self.problem.operand_bytes(),
                self.problem.output_bytes(),
            ];
            let bytes = of_tensors.into_iter().max()?.max(1);
            let rows = LONGEST_BYTES * u64::from(*counts.end()) / bytes;
            let largest = u32::try_from(rows).unwrap_or(u32::MAX).min(LARGEST_COUNT);
            let longest = *counts.start()..=largest.max(*counts.end());
            let choice = Choice {
                problem: self.problem.with_counts(&longest).ok()?,
                ..self.clone()
            };
            choice.checked(target).ok()
        };
        longer().unwrap_or_else(|| self.clone())
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

#[cfg(test)]
mod tests {
    use configgen::{Problem, Target, native_default};

    use super::Choice;

    /// Returns the problem that a kernel with this split is built for.
    fn built_for(problem: &str, split: Option<u32>) -> String {
        let target = Target::named("gfx942").unwrap();
        let problem: Problem = problem.parse().unwrap();
        let mut configuration = native_default(&problem, target).unwrap();
        if let Some(split) = split {
            configuration.knobs.split = split;
        }
        let choice = Choice::from_configuration(problem, target, configuration).unwrap();
        choice.of_longest_range(target).problem.to_string()
    }

    /// Checks the step, the threads and the split of the untuned kernel without split rows.
    #[track_caller]
    fn check_unsplit(problem: &str, split: u32, expected: Option<(u32, u32)>) {
        let target = Target::named("gfx942").unwrap();
        let problem: Problem = problem.parse().unwrap();
        let mut configuration = native_default(&problem, target).unwrap();
        configuration.knobs.split = split;
        let choice = Choice::from_configuration(problem, target, configuration).unwrap();
        let found = choice.without_split(target).map(|it| {
            let configuration = it.configuration;
            assert_eq!(configuration.knobs.split, 1);
            let step = configuration.lowering.partial_reduction[1];
            (step, configuration.workgroup_size[0])
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_row_that_is_not_shared_is_read_at_once() {
        check_unsplit("softmax:64x[4096]xf32", 1, None);
        check_unsplit("softmax:64x[4096]xf32", 2, Some((4096, 256)));
        check_unsplit("softmax:8x[32000]xf32", 4, Some((32768, 512)));
        check_unsplit("sum:2x[1048576]xf32", 64, Some((65536, 1024)));
    }

    #[test]
    fn one_launch_takes_as_many_rows_as_it_can() {
        for (problem, built) in [
            (
                "softmax:?x[512]xf32:count=1..512",
                "softmax:?x[512]xf32:count=1..1048576",
            ),
            (
                "argmax:?x[1024]xf16:i32:count=4..512",
                "argmax:?x[1024]xf16:i32:count=4..1048576",
            ),
            // The rows alone would reach further than a grid of one dimension.
            (
                "sum:?x[4]xf32:count=1..512",
                "sum:?x[4]xf32:count=1..2097152",
            ),
        ] {
            assert_eq!(built_for(problem, None), built);
        }
    }

    #[test]
    fn a_range_stays_if_rows_are_split_or_their_number_is_known() {
        let split = "sum:?x[1048576]xf32:count=1..8";
        assert_eq!(built_for(split, Some(4)), split);
        assert_eq!(
            built_for("softmax:64x[512]xf32", None),
            "softmax:64x[512]xf32"
        );
    }
}
