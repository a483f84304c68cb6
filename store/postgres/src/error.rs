//! What PostgreSQL says, in the words of the interface.

use std::io::ErrorKind;
use std::time::Duration;

use store::StoreFault;

/// Seconds for which a lock is waited for. The transactions of tuners take milliseconds, so whoever holds one for longer is
/// not about to give it back.
pub(crate) const LOCK_SECONDS: u64 = 3;

/// Seconds for which a connection is waited for: one that is busy, or a server that does not answer.
pub(crate) const ACQUIRE_SECONDS: u64 = 6;

/// Seconds after which the server ends a transaction whose process is silent: its machine may be gone, and what it has
/// locked is others' to use.
pub(crate) const IDLE_SECONDS: u64 = 10;

/// Connections of a process. A server has a hundred for all of them, unless it was told otherwise.
pub(crate) const CONNECTIONS: u32 = 8;

/// How long an owner of tasks may be silent. Those that live are heard of every second.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// What an error means.
///
/// Codes: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
pub(crate) fn of_sqlx(source: &sqlx::Error) -> StoreFault {
    let text = || one_line(&source.to_string());
    match source {
        sqlx::Error::Database(error) => {
            let message = one_line(error.message());
            match error.code().as_deref().unwrap_or_default() {
                "3D000" => StoreFault::NoSuchDatabase,
                // Invalid authorization, invalid password.
                "28000" | "28P01" => StoreFault::Denied(message),
                // What may not be done, and what may not be done in a server that only reads.
                "42501" | "25006" => StoreFault::ReadOnly,
                "53100" => StoreFault::DiskFull,
                // Lock not available, deadlock, serialization failure.
                "55P03" | "40P01" | "40001" => StoreFault::Locked {
                    seconds: LOCK_SECONDS,
                },
                // Too many connections; shut down, crashed, starting; a silent session that was ended.
                "53300" | "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => {
                    StoreFault::Unavailable(message)
                }
                // Exceptions of connections.
                code if code.starts_with("08") => StoreFault::Unavailable(message),
                // A time that is infinite is out of range where it is converted.
                "22003" | "22008" => StoreFault::Undecodable(message),
                _ => StoreFault::Database(message),
            }
        }
        sqlx::Error::Tls(reason) => StoreFault::Insecure(one_line(&reason.to_string())),
        // What TLS finds wrong with a server comes this way.
        sqlx::Error::Io(reason) if reason.kind() == ErrorKind::InvalidData => {
            StoreFault::Insecure(one_line(&reason.to_string()))
        }
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => StoreFault::Unavailable(text()),
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            StoreFault::Undecodable(text())
        }
        sqlx::Error::Configuration(reason) => StoreFault::Address(one_line(&reason.to_string())),
        _ => StoreFault::Database(text()),
    }
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
