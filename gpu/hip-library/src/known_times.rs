//! Times that earlier runs have found, from their journals. A launch with the same machine code,
//! grid and scalars need not be profiled again.
//!
//! They serve runs without execution, in which buffers are never written: equal launches then
//! have equal times.

use std::collections::HashMap;

use crate::error::explain;

/// The environment variable that names the file of lines.
const FILE: &str = "WAVETUNE_HIP_KNOWN_TIMES";

/// A time in the form of the journal.
#[derive(Clone)]
pub(crate) struct KnownTime {
    /// The microseconds, `None` if they are unknown.
    pub(crate) time_us: Option<f64>,
    /// The columns of the estimate, or of the reason that there is none.
    pub(crate) estimate: String,
}

/// The known times by the columns that identify a launch.
#[derive(Default)]
pub(crate) struct KnownTimes(HashMap<String, KnownTime>);

impl KnownTimes {
    /// Reads the file that the environment names. A missing file holds no times.
    pub(crate) fn of_environment() -> KnownTimes {
        let Some(name) = std::env::var_os(FILE).filter(|name| !name.is_empty()) else {
            return KnownTimes::default();
        };
        match std::fs::read_to_string(&name) {
            Ok(text) => KnownTimes(text.lines().filter_map(known).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => KnownTimes::default(),
            Err(error) => {
                explain(format!("{FILE}={}: {error}", name.display()));
                KnownTimes::default()
            }
        }
    }

    /// Returns the time of a launch with these columns.
    pub(crate) fn of(&self, identity: &str) -> Option<&KnownTime> {
        self.0.get(identity)
    }
}

/// Parses a line of the journal: `kernel`, time, name, then four columns of identity, then the
/// estimate.
fn known(line: &str) -> Option<(String, KnownTime)> {
    let rest = line.strip_prefix("kernel\t")?;
    let (time, rest) = rest.split_once('\t')?;
    let (_name, rest) = rest.split_once('\t')?;
    let (end, _) = rest.match_indices('\t').nth(3)?;
    let (identity, estimate) = rest.split_at(end);
    let time_us = match time {
        "-" => None,
        _ => Some(time.parse().ok().filter(|it: &f64| it.is_finite())?),
    };
    let estimate = estimate.trim_start_matches('\t').to_owned();
    Some((identity.to_owned(), KnownTime { time_us, estimate }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, Option<f64>, &str)>) {
        let found = known(line);
        let found = found.as_ref();
        let found = found.map(|(identity, it)| (&**identity, it.time_us, &*it.estimate));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_of_journals() {
        check(
            "kernel\t4.5\tmain\t37,1,1\t128,1,1\tcode=8c\tscalars=37,0\tread=64\twritten=4",
            Some((
                "37,1,1\t128,1,1\tcode=8c\tscalars=37,0",
                Some(4.5),
                "read=64\twritten=4",
            )),
        );
        check(
            "kernel\t-\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\treason=a b",
            Some(("1,1,1\t64,1,1\tcode=8c\tscalars=", None, "reason=a b")),
        );
        check(
            "kernel\tNaN\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\tread=1",
            None,
        );
        check("kernel\t1.0\tmain\t1,1,1\t64,1,1", None);
        check("copy\t4.25\t64", None);
    }
}
