//! The token that a command shows to a service.

use std::env;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use store::AccessToken;

/// The variable with the token. Other users can read a process's arguments, so none takes a
/// token.
const VARIABLE: &str = "WAVETUNE_TOKEN";

/// Most bytes read of a token's file: a token and a newline are fewer.
const FILE_BYTES: u64 = 1024;

/// The source of the token.
#[derive(Args)]
pub(crate) struct Credentials {
    /// File with the access token.
    ///
    /// The default is the token in WAVETUNE_TOKEN, if that variable is set.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Credentials {
    /// Returns the token, if there is one.
    pub(crate) fn token(&self) -> anyhow::Result<Option<AccessToken>> {
        match &self.token_file {
            Some(path) => read(path).with_context(|| path.display().to_string()),
            None => token(&env::var(VARIABLE).unwrap_or_default()).context(VARIABLE),
        }
    }
}

fn read(path: &Path) -> anyhow::Result<Option<AccessToken>> {
    let mut text = String::new();
    File::open(path)?
        // A wrong path, such as a device, must not fill the memory.
        .take(FILE_BYTES)
        .read_to_string(&mut text)?;
    Ok(Some(text.trim().parse()?))
}

/// Parses the token of a variable, which may be empty.
fn token(text: &str) -> anyhow::Result<Option<AccessToken>> {
    match text.trim() {
        // An empty variable counts as unset: a unit or a manifest may define it so.
        "" => Ok(None),
        text => Ok(Some(text.parse()?)),
    }
}
