//! The name of a database for people: its URL without the password.

use sqlx::postgres::PgConnectOptions;

/// Returns the name, built from the parsed URL: its text may contain a password in two places.
pub(crate) fn name(options: &PgConnectOptions) -> String {
    let (user, port) = (options.get_username(), options.get_port());
    let database = options.get_database().unwrap_or(user);
    let name = match options.get_socket() {
        Some(folder) => format!(
            "postgres://{user}@/{database}?host={}&port={port}",
            folder.display()
        ),
        None => format!("postgres://{user}@{}:{port}/{database}", options.get_host()),
    };
    // A control character in the URL must not reach a terminal or a log.
    name.replace(char::is_control, "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let options: PgConnectOptions = url.parse().unwrap();
        assert_eq!(name(&options), expected);
    }

    #[test]
    fn names_have_no_passwords() {
        check(
            "postgres://ann:secret@db.lan/tuning",
            "postgres://ann@db.lan:5432/tuning",
        );
        check(
            "postgresql://ann@db.lan:7/tuning?password=secret&sslmode=prefer",
            "postgres://ann@db.lan:7/tuning",
        );
        check(
            "postgres:///tuning?host=/run/db&user=ann&password=secret&port=5432",
            "postgres://ann@/tuning?host=/run/db&port=5432",
        );
        check(
            "postgres://ann:secret@h:1/a%0Ab",
            "postgres://ann@h:1/a\u{FFFD}b",
        );
    }
}
