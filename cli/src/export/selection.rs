//! The selection of native kernels, for `export kernels` and `export iree-kernels`.

use std::path::PathBuf;

use anyhow::bail;
use bench_harness::emulated_device;
use clap::Args;
use configgen::{Problem, Target};
use kernel_export::{Choice, ExportRequest, Selection, choose, tuned};
use store::{Catalogue, StoreError, Unreadable};

use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::output::tell_unreadable;
use crate::value_parsers::{device_error, devices, problem_texts, targets};
use crate::{input_parser, model};

/// Problems, and the source of their configurations.
#[derive(Args)]
pub(super) struct SelectionArguments {
    /// Problems [default: all tuned].
    ///
    /// A problem is a text such as 'argmax:4x[32000]xf32'. The default is every problem that was
    /// tuned for the target.
    #[arg(value_parser = problem_texts(), hide_possible_values = true)]
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// ISA [default: the device's].
    #[arg(long, required_unless_present = "device", value_parser = targets())]
    target: Option<&'static Target>,
    /// Only tunings on this device.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Configuration of a single problem, as JSON.
    ///
    /// The default is the best known configuration, or else the untuned one.
    #[arg(long, value_name = "JSON")]
    configuration: Option<String>,
    #[command(flatten)]
    database: Database,
}

impl SelectionArguments {
    /// Returns the export request. `beside_iree` leaves a problem out if IREE's own kernel is
    /// better.
    pub(super) fn wanted(&self, beside_iree: bool) -> anyhow::Result<ExportRequest<'_>> {
        Ok(ExportRequest {
            target: self.target()?,
            device: self.device.as_deref(),
            wish: true,
            beside_iree,
        })
    }

    fn target(&self) -> anyhow::Result<&'static Target> {
        let of_device = match &self.device {
            Some(name) => {
                let device = emulated_device(name).map_err(|error| device_error(name, error));
                Some(device?.target())
            }
            None => None,
        };
        match (self.target, of_device) {
            // A kernel of another ISA would not load on the device.
            (Some(named), Some(of_device)) if named != of_device => {
                bail!("the ISA of the device is {of_device}, not {named}")
            }
            (Some(target), _) | (None, Some(target)) => Ok(target),
            (None, None) => bail!("no target; name one with --target"),
        }
    }

    /// Returns the name of the device.
    pub(super) fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    /// Parses the named problems.
    pub(super) fn problems(&self) -> anyhow::Result<Vec<Problem>> {
        input_parser::problems(&self.problems, None, &self.comparator)
    }

    /// Splits the named models from the named problems.
    pub(super) fn models_and_problems(&self) -> anyhow::Result<(Vec<PathBuf>, Vec<Problem>)> {
        let (models, problems) = model::split(&self.problems);
        let problems = input_parser::problems(&problems, None, &self.comparator)?;
        Ok((models, problems))
    }

    /// Returns true if the command line has a configuration, which is for one problem.
    pub(super) fn has_configuration(&self) -> bool {
        self.configuration.is_some()
    }

    /// Selects the kernels of these problems, or of all tuned ones.
    pub(super) fn select(
        &self,
        problems: Vec<Problem>,
        wanted: &ExportRequest<'_>,
    ) -> anyhow::Result<Selection> {
        match &self.configuration {
            Some(json) => configured_selection(json, problems, wanted),
            None => self.stored_selection(problems, wanted),
        }
    }

    /// Selects the stored configurations. Named problems need no database.
    fn stored_selection(
        &self,
        problems: Vec<Problem>,
        wanted: &ExportRequest<'_>,
    ) -> anyhow::Result<Selection> {
        block_on(async {
            let store = match problems.is_empty() {
                true => Some(self.database.open_existing().await?),
                false => self.database.open_if_there().await?,
            };
            let Some(store) = store else {
                return Ok(choose(None, wanted, problems).await?);
            };
            let selection = select(&*store, problems, wanted).await;
            store.close().await;
            let selection = selection?;
            tell_unreadable(&selection.unreadable);
            Ok(selection)
        })
    }
}

/// Returns the configuration of the command line, for its one problem.
fn configured_selection(
    json: &str,
    problems: Vec<Problem>,
    wanted: &ExportRequest<'_>,
) -> anyhow::Result<Selection> {
    let count = problems.len();
    let Ok([problem]) = <[Problem; 1]>::try_from(problems) else {
        bail!("--configuration needs exactly one problem, not {count}");
    };
    let mut selection = Selection::default();
    match Choice::from_configuration(problem, wanted.target, input_parser::configuration(json)?) {
        Ok(choice) => selection.choices.push(choice),
        Err(refused) => selection.refused.push(*refused),
    }
    Ok(selection)
}

async fn select(
    store: &dyn Catalogue,
    mut problems: Vec<Problem>,
    wanted: &ExportRequest<'_>,
) -> Result<Selection, StoreError> {
    let mut unreadable = Unreadable::default();
    if problems.is_empty() {
        let known = tuned(store, wanted).await?;
        (problems, unreadable) = (known.rows, known.unreadable);
    }
    let mut selection = choose(Some(store), wanted, problems).await?;
    selection.unreadable.join(unreadable);
    Ok(selection)
}
