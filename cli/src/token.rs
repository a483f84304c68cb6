//! `wavetune token`: creates, lists and revokes the tokens of a service's clients.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use answers::tokens::{NewToken, TokenInfo as Listed};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use comfy_table::Table;
use store::{AccessToken, Grant, TokenId, TokenScope, Tokens, check_name};

use crate::Exit;
use crate::database::{Database, block_on};
use crate::local_time::Zone;
use crate::output::{OutputFormat, print, print_json, tell_unreadable};
use crate::text_table;
use crate::value_parsers::scopes;
use crate::verbosity::note;

/// Create, list or revoke tokens of clients.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Subcommand)]
enum TokenCommand {
    Create(TokenCreateArguments),
    List(TokenListArguments),
    Revoke(TokenRevokeArguments),
}

/// Create a token.
///
/// Prints the token or writes it to a file, only once. The database stores only a hash.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune token create ann --scope read,submit")]
struct TokenCreateArguments {
    /// Owner of the token.
    ///
    /// The list of tokens and the audit log show this name.
    #[arg(value_parser = name)]
    name: String,
    /// Scopes of the token, such as read,submit.
    ///
    /// Commas separate scopes. No scope includes another.
    #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',', value_parser = scopes())]
    scopes: Vec<TokenScope>,
    /// Lifetime of the token.
    #[arg(long, value_name = "DURATION", default_value = "90days", value_parser = humantime::parse_duration)]
    expires_in: Duration,
    #[command(flatten)]
    database: Database,
    /// New file for the token.
    ///
    /// Only the owner of the file can read it. The command then prints nothing.
    #[arg(long, value_name = "FILE", conflicts_with = "output_format")]
    output: Option<PathBuf>,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

/// List all tokens, including expired and revoked ones.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune token list")]
struct TokenListArguments {
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

/// Revoke a token.
///
/// Services of the database refuse the token within 1 s.
#[derive(Args)]
#[command(after_long_help = "Examples:\n  wavetune token revoke 3")]
struct TokenRevokeArguments {
    /// Number of the token in the list.
    #[arg(value_name = "NUMBER")]
    id: i64,
    #[command(flatten)]
    database: Database,
}

const EXAMPLES: &str = "\
Scopes:

  read    read answers and the status of studies
  submit  submit, pause, resume and cancel studies
  agent   lend devices
  admin   delete data that others may need

A client sends the header Authorization: Bearer TOKEN. `wavetune agent` reads its token from \
WAVETUNE_TOKEN or from a file.

Exit codes: 0 done, 1 no such token, 2 error.

Examples:
  wavetune token create ann --scope read,submit
  wavetune token create rack-7 --scope agent --expires-in 1year \\
    --output rack-7.token
  wavetune token list
  wavetune token revoke 3";

/// Most characters of a name.
const NAME: usize = 64;

/// Checks a name, which must fit into a line of a table and of a log.
fn name(text: &str) -> Result<String, String> {
    let checked = check_name("name", text, NAME);
    checked.map_err(|wrong| wrong.reason)?;
    Ok(text.to_owned())
}

pub(crate) fn run(arguments: &TokenArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        TokenCommand::Create(arguments) => create(arguments),
        TokenCommand::List(arguments) => list(arguments),
        TokenCommand::Revoke(arguments) => revoke(arguments),
    }
}

fn create(arguments: &TokenCreateArguments) -> anyhow::Result<Exit> {
    let token = AccessToken::new(rand::random());
    // The file first: a token that cannot be saved is not created.
    let file = arguments.output.as_deref().map(new_file).transpose()?;
    let scopes = arguments.scopes.iter().copied().collect();
    let grant = block_on(async {
        let store = arguments.database.open().await?;
        // Only the hash is stored: a copy of the database opens no service.
        let (hash, lifetime) = (token.hash(), arguments.expires_in);
        let created = store.create_token(hash, &arguments.name, &scopes, lifetime);
        let created = created.await;
        store.close().await;
        Ok(created?)
    });
    let grant = grant.inspect_err(|_| {
        // An empty file would block the next attempt.
        if let Some(file) = &arguments.output {
            fs::remove_file(file).ok();
        }
    })?;
    let expires = answers::time(grant.expires);
    let text = format!("{}\n", token.reveal());
    match arguments.output_format {
        OutputFormat::Json => print_json(&NewToken {
            token: token.reveal().to_owned(),
            id: grant.id.0,
            scopes: grant.scopes.iter().map(TokenScope::name).collect(),
            name: grant.name,
            expires,
        })?,
        OutputFormat::Text => {
            let Grant { id, name, .. } = grant;
            // On standard error, so that redirected standard output has only the token.
            let expires = Zone::of(&std::io::stderr()).rfc3339(&expires);
            note!("token {}, {name}: {scopes}; until {expires}", id.0);
            match file {
                // The file exists since before the token was stored, so this can hardly fail.
                Some(mut file) => file.write_all(text.as_bytes())?,
                None => print(&text)?,
            }
        }
    }
    Ok(Exit::Found)
}

/// Creates a file that only its owner may read.
fn new_file(file: &Path) -> anyhow::Result<File> {
    let mut options = File::options();
    let options = options.write(true).create_new(true).mode(0o600);
    let created = options.open(file);
    created.with_context(|| format!("cannot create {}", file.display()))
}

/// Returns all tokens. Reports unreadable ones and leaves them out.
async fn all(tokens: &dyn Tokens) -> anyhow::Result<Vec<Grant>> {
    let known = tokens.tokens().await?;
    tell_unreadable(&known.unreadable);
    Ok(known.rows)
}

/// Returns whether the database has a valid token.
pub(crate) async fn is_any_good(tokens: &dyn Tokens) -> anyhow::Result<bool> {
    Ok(all(tokens).await?.iter().any(is_good))
}

fn is_good(grant: &Grant) -> bool {
    grant.revoked.is_none() && grant.expires > SystemTime::now()
}

fn list(arguments: &TokenListArguments) -> anyhow::Result<Exit> {
    let grants = block_on(async {
        let store = arguments.database.open_existing().await?;
        let grants = all(&*store).await;
        store.close().await;
        grants
    })?;
    if grants.is_empty() {
        eprintln!("there is no token; create one with `wavetune token create`");
        return Ok(Exit::NotFound);
    }
    match arguments.output_format {
        OutputFormat::Json => {
            for grant in &grants {
                print_json(&listed(grant))?;
            }
        }
        OutputFormat::Text => print(&text_table::text(&shown(&grants)))?,
    }
    Ok(Exit::Found)
}

fn listed(grant: &Grant) -> Listed {
    Listed {
        id: grant.id.0,
        name: grant.name.clone(),
        scopes: grant.scopes.iter().map(TokenScope::name).collect(),
        is_good: is_good(grant),
        created: answers::time(grant.created),
        expires: answers::time(grant.expires),
        revoked: grant.revoked.map(answers::time),
    }
}

fn shown(grants: &[Grant]) -> Table {
    let zone = Zone::of(&std::io::stdout());
    let expires = zone.heading("EXPIRES");
    let mut shown = text_table::table(&[">ID", "NAME", "SCOPES", "STATE", &expires]);
    for grant in grants {
        let state = match (grant.revoked.is_some(), is_good(grant)) {
            (true, _) => "revoked",
            (false, true) => "valid",
            (false, false) => "expired",
        };
        shown.add_row([
            grant.id.0.to_string(),
            grant.name.clone(),
            grant.scopes.to_string(),
            state.to_owned(),
            zone.minute(&answers::time(grant.expires)),
        ]);
    }
    shown
}

fn revoke(arguments: &TokenRevokeArguments) -> anyhow::Result<Exit> {
    let is_revoked = block_on(async {
        let store = arguments.database.open_existing().await?;
        let revoked = store.revoke_token(TokenId(arguments.id)).await;
        store.close().await;
        Ok(revoked?)
    })?;
    Ok(match is_revoked {
        true => {
            eprintln!("token {} is revoked", arguments.id);
            Exit::Found
        }
        false => {
            eprintln!(
                "there is no valid token with the number {}; see `wavetune token list`",
                arguments.id
            );
            Exit::NotFound
        }
    })
}
