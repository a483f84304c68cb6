//! Output: the two formats, and the pieces of human-readable text that several subcommands print.

use std::io::{self, Write};

use clap::ValueEnum;
use configgen::{Configuration, Knobs};
use serde::Serialize;
use store::Unreadable;

/// Who reads the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A person.
    Text,
    /// A program: JSON on standard output.
    Json,
}

/// Prints one JSON value on a line of its own.
pub(crate) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    io::stdout().lock().write_all(&line)?;
    Ok(())
}

/// Prints text as it is.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Tells on standard error what was left out of an answer.
pub(crate) fn tell_unreadable(unreadable: &Unreadable) {
    if !unreadable.is_none() {
        eprintln!("left out: {unreadable}");
    }
}

/// A configuration as one short line.
pub(crate) fn short(configuration: &Configuration) -> String {
    let lowering = &configuration.lowering;
    let knobs = match configuration.knobs {
        Knobs::DEFAULT => String::new(),
        knobs => format!(", {knobs}"),
    };
    format!(
        "workgroup {:?}, partial_reduction {:?}, thread {:?}, lanes {:?}{}, subgroups {:?}{}, {} threads{}",
        &lowering.workgroup[..],
        &lowering.partial_reduction[..],
        &lowering.thread[..],
        &lowering.lane_basis.counts[..],
        permutation(&lowering.lane_basis.mapping),
        &lowering.subgroup_basis.counts[..],
        permutation(&lowering.subgroup_basis.mapping),
        configuration.workgroup_size.iter().product::<u32>(),
        knobs,
    )
}

/// A mapping, where it is not the identity.
fn permutation(mapping: &[u8]) -> String {
    let identity = mapping
        .iter()
        .enumerate()
        .all(|(j, &d)| j == usize::from(d));
    if identity {
        String::new()
    } else {
        format!(" mapped {mapping:?}")
    }
}

/// A usage error of clap without the usage: its first paragraph on one line, and how to get help.
pub(crate) fn one_line(error: &str) -> String {
    let paragraph = error.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    format!("{}; see --help", words.join(" "))
}

/// Whether an error says that nobody reads standard output any more (`wavetune … | head`).
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
