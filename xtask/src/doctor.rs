//! `cargo xtask doctor`: lists the tools, their versions and their purposes.

use std::process::ExitCode;

use anyhow::Result;

use crate::tools::{Origin, TOOLS, Tool};

/// Prints the table. Returns 0 if no tool is missing, 1 otherwise.
pub(crate) fn run() -> Result<ExitCode> {
    println!("{:<15} {:<18} {:<62} path", "tool", "version", "what for");
    let missing = TOOLS.iter().filter(|tool| !show(tool)).count();
    if missing == 0 {
        println!("\nEverything is there.");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "\n{missing} missing: `cargo xtask setup` installs some of them, and prints instructions for the others."
    );
    Ok(ExitCode::from(1))
}

/// Prints the line of one tool. Returns false if it is missing.
fn show(tool: &Tool) -> bool {
    let found = tool.find();
    let (version, place) = match &found {
        Some(path) => (tool.version(path), path.display().to_string()),
        None => ("missing".to_string(), how_to_get(tool.origin)),
    };
    println!(
        "{:<15} {version:<18} {:<62} {place}",
        tool.name, tool.purpose
    );
    found.is_some()
}

fn how_to_get(origin: Origin) -> String {
    match origin {
        Origin::Given => "from the distribution, or https://rustup.rs for cargo".to_string(),
        Origin::LlvmPackage(package) => {
            format!("package {} (or 21, 20, 19)", package.replace('*', "22"))
        }
        Origin::Package(package) => format!("package {package}"),
        Origin::Venv | Origin::WheelOrBuild | Origin::Npm => "cargo xtask setup".to_string(),
    }
}
