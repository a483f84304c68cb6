//! `wavetune db info`: prints the size and the contents of the database.

use answers::db::Info;
use clap::Args;
use indicatif::HumanBytes;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::local_time::Zone;
use crate::output::{OutputFormat, print, print_json};

/// Print the size and the contents of the database.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune db info")]
pub(crate) struct DbInfoArguments {
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(super) fn run(arguments: &DbInfoArguments) -> anyhow::Result<Exit> {
    let info = block_on(async {
        let store = arguments.database.open_file("psql").await?;
        let info = store.info().await;
        let database = store.path().display().to_string();
        store.close().await;
        // After closing, so that an error does not skip it.
        let info = info?;
        Ok(Info {
            database,
            bytes: info.bytes,
            schema: info.schema,
            problems: info.problems,
            provenances: info.provenances,
            studies: info.studies,
            trials: info.trials,
            finals: info.finals,
            wishes: info.wishes,
            opened: info.opened.map(answers::time),
            recorded: info.recorded.map(answers::time),
        })
    })?;
    match arguments.output_format {
        OutputFormat::Json => print_json(&info)?,
        OutputFormat::Text => print(&text(&info))?,
    }
    Ok(Exit::Found)
}

fn text(info: &Info) -> String {
    let zone = Zone::of(&std::io::stdout());
    let time = |time: &Option<String>| {
        let time = time.as_deref();
        time.map_or_else(|| "never".to_owned(), |it| zone.rfc3339(it))
    };
    let lines = [
        ("database", info.database.clone()),
        ("size", HumanBytes(info.bytes).to_string()),
        ("schema", info.schema.to_string()),
        ("problems", info.problems.to_string()),
        ("provenances", info.provenances.to_string()),
        ("studies", info.studies.to_string()),
        ("trials", info.trials.to_string()),
        ("finals", info.finals.to_string()),
        ("wishes", info.wishes.to_string()),
        ("opened", time(&info.opened)),
        ("recorded", time(&info.recorded)),
    ];
    let lines = lines
        .iter()
        .map(|(name, value)| format!("{name:<11} {value}\n"));
    lines.collect()
}
