//! Conversion of PostgreSQL's errors to those of the interface.

use std::io::ErrorKind;
use std::time::Duration;

use store::StoreFault;

/// The time to wait for a lock, in seconds. The transactions of tuners take milliseconds, so a
/// longer holder will not release the lock soon.
pub(crate) const LOCK_SECONDS: u64 = 3;

/// The time to wait for a connection, in seconds, from a busy pool or from a server that does not
/// answer.
pub(crate) const ACQUIRE_SECONDS: u64 = 6;

/// The time in seconds after which the server ends a transaction of a silent process. Its machine
/// may be gone, and others need the locked rows.
pub(crate) const IDLE_SECONDS: u64 = 10;

/// The number of connections of a process. A server has a hundred for all processes by default.
pub(crate) const CONNECTIONS: u32 = 8;

/// The time after which a silent owner loses its tasks. A live owner reports every second.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Converts an error of PostgreSQL or of the connection.
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
                // Insufficient privilege, read-only transaction on a read-only server.
                "42501" | "25006" => StoreFault::ReadOnly,
                "53100" => StoreFault::DiskFull,
                // Lock not available, deadlock, serialization failure.
                "55P03" | "40P01" | "40001" => StoreFault::Locked {
                    seconds: LOCK_SECONDS,
                },
                // Too many connections; a server that shuts down, has crashed or is starting; a
                // silent session that was ended.
                "53300" | "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => {
                    StoreFault::Unavailable(message)
                }
                // Connection exceptions.
                code if code.starts_with("08") => StoreFault::Unavailable(message),
                // An infinite time is out of range in the conversion to milliseconds.
                "22003" | "22008" => StoreFault::Undecodable(message),
                _ => StoreFault::Database(message),
            }
        }
        sqlx::Error::Tls(reason) => StoreFault::Insecure(one_line(&reason.to_string())),
        // A fault that TLS finds in a server arrives as this kind of I/O error.
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
