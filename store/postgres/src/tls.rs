//! Verification of a server's certificate, in the cases in which sqlx checks less than the URL
//! intends.

use std::fs::File;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use store::StoreFault;

/// The parameters that name files.
const FILES: [&str; 3] = ["sslrootcert", "sslcert", "sslkey"];

/// Returns options that verify the server's certificate if the URL names root certificates. sqlx
/// alone would accept any certificate, unless `sslmode` demands more.
pub(crate) fn verified(options: PgConnectOptions) -> Result<PgConnectOptions, StoreFault> {
    let url = options.to_url_lossy();
    let mut names_some = false;
    for (key, value) in url.query_pairs() {
        if !FILES.contains(&&*key) {
            continue;
        }
        names_some |= key == FILES[0];
        // sqlx reports that a file is missing, but not its name. A variable of libpq may contain
        // the certificate itself instead of a file's name.
        if let Some(file) = value.strip_prefix("file: ")
            && let Err(reason) = File::open(file)
        {
            return Err(StoreFault::File {
                file: file.replace(char::is_control, "\u{FFFD}"),
                reason: reason.to_string(),
            });
        }
    }
    Ok(match options.get_ssl_mode() {
        PgSslMode::Prefer | PgSslMode::Require if names_some => {
            options.ssl_mode(PgSslMode::VerifyFull)
        }
        _ => options,
    })
}
