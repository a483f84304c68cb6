//! How a server is known: what the URL says of TLS, and what sqlx would make less of it than its writer means.

use std::fs::File;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use store::StoreFault;

/// The parameters that name files.
const FILES: [&str; 3] = ["sslrootcert", "sslcert", "sslkey"];

/// Options with which the server's certificate is looked at where the URL names those who vouch for it: sqlx by itself would
/// then take any, unless `sslmode` says more.
pub(crate) fn verified(options: PgConnectOptions) -> Result<PgConnectOptions, StoreFault> {
    let url = options.to_url_lossy();
    let mut names_some = false;
    for (key, value) in url.query_pairs() {
        if !FILES.contains(&&*key) {
            continue;
        }
        names_some |= key == FILES[0];
        // sqlx tells that a file is missing, but not which. A variable of libpq's may hold the certificate itself, which is
        // no file.
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
