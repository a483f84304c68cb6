//! `wavetune studies requeue`: lets a study repeat its abandoned trials.

use answers::records::RequeueReport;
use clap::Args;
use store::StudyId;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json};

#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune studies requeue 12")]
pub(super) struct StudyRequeueArguments {
    /// Number of the study.
    id: i64,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(super) fn run(arguments: &StudyRequeueArguments) -> anyhow::Result<Exit> {
    let study = arguments.id;
    let trials = block_on(async {
        let store = arguments.database.open_existing().await?;
        let trials = store.forget_abandoned(StudyId(study)).await?;
        store.close().await;
        Ok(trials)
    })?;
    if trials == 0 {
        eprintln!(
            "study {study} has no abandoned trial; see `wavetune trials --failure abandoned`"
        );
        return Ok(Exit::NotFound);
    }
    match arguments.output_format {
        OutputFormat::Json => print_json(&RequeueReport { study, trials })?,
        OutputFormat::Text => print(&format!(
            "study {study} repeats {trials} trials when it continues: tune its problem, or resume it in its service\n"
        ))?,
    }
    Ok(Exit::Found)
}
