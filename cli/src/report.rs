//! `wavetune report`: writes a study, or all facts about a problem, as one HTML file: the
//! dashboard's page with its answers.

use std::path::PathBuf;
use std::sync::Arc;

use ::server::{ErrorResponse, InProcessService};
use anyhow::Context;
use clap::Args;
use configgen::Target;

use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::output::print;
use crate::value_parsers::targets;
use crate::{Exit, input_parser, serve};

/// Write a study or a problem as one HTML file.
///
/// A browser opens the file without a service.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ReportArguments {
    /// Number of a study, or a problem.
    ///
    /// `wavetune studies` lists the numbers.
    #[arg(value_name = "STUDY|PROBLEM", required_unless_present = "comparator")]
    what: Option<String>,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// ISA that the page of a problem shows first.
    ///
    /// The default is the ISA of the newest study.
    #[arg(long, value_parser = targets())]
    target: Option<&'static Target>,
    #[command(flatten)]
    database: Database,
    /// File to write [default: stdout].
    #[arg(long, short)]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
The file contains the page and its data. The page shows the best and the default configuration of \
each study.

Exit codes: 0 written, 1 no such study or problem, 2 error.

Examples:
  wavetune tune 'argmax:4x[32000]xf32'
  wavetune studies
  wavetune report 1 --output study.html
  wavetune report 'argmax:4x[32000]xf32' --target gfx942 \\
    --output problem.html";

pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<Exit> {
    // A number is a study, because no problem's text is a number.
    let study = arguments.what.as_ref().and_then(|what| what.parse().ok());
    let problem = match study {
        Some(_) => None,
        None => {
            let words = Vec::from_iter(arguments.what.clone());
            let problems = input_parser::problems(&words, None, &arguments.comparator)?;
            Some(
                problems
                    .first()
                    .context("name a study or a problem")?
                    .to_string(),
            )
        }
    };
    let report = block_on(async {
        let served = arguments.database.open_existing_to_serve().await?;
        let catalogue = Arc::clone(&served.catalogue);
        // The page takes its answers from the service's own handlers, so a report shows what the
        // dashboard shows.
        let alone =
            InProcessService::new(Arc::clone(&catalogue), serve::settings(&served)?).await?;
        let target = arguments.target.map(|target| target.name);
        let asked = ReportService(alone);
        let report = match (study, &problem) {
            (Some(study), _) => web::report::study(&asked, study).await?,
            (None, Some(problem)) => web::report::problem(&asked, problem, target).await?,
            (None, None) => None,
        };
        catalogue.close().await;
        Ok(report)
    })?;
    let Some(report) = report else {
        match (study, problem) {
            (Some(study), _) => {
                eprintln!("there is no study {study}; `wavetune studies` lists them")
            }
            (None, problem) => eprintln!("there is no study of {}", problem.unwrap_or_default()),
        }
        return Ok(Exit::NotFound);
    };
    match &arguments.output {
        None => print(&report)?,
        Some(path) => std::fs::write(path, report)
            .with_context(|| format!("cannot write {}", path.display()))?,
    }
    Ok(Exit::Found)
}

/// The in-process service that answers the report's requests.
struct ReportService(InProcessService);

impl web::ApiProvider for ReportService {
    type Error = ErrorResponse;

    async fn get(&self, address: &str) -> Result<Option<String>, ErrorResponse> {
        match self.0.get(address).await {
            Err(ErrorResponse { status: 404, .. }) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Posts a request. Returns `None` on failure: it builds kernels, and a machine may lack the
    /// compilers.
    async fn post(&self, address: &str, body: &str) -> Result<Option<String>, ErrorResponse> {
        Ok(self.0.post(address, body).await.ok())
    }
}
