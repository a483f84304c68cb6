//! The journal of the emulated device, line by line (`docs/hip-library.md`).

use crate::command::{CommandKind, DeviceCommand, KernelLaunch, UnknownTime};
use crate::error::ProfileError;

/// Parses a line. Operations and bounds are unknown to the journal.
///
/// # Errors
///
/// [`ProfileError::Journal`].
pub(crate) fn command(line: &str) -> Result<DeviceCommand, ProfileError> {
    parsed(line).ok_or_else(|| ProfileError::Journal {
        line: line.chars().take(200).collect(),
    })
}

fn parsed(line: &str) -> Option<DeviceCommand> {
    let mut cells = line.split('\t');
    let kind = cells.next()?;
    let time = cells.next()?;
    // A time that is no number would spread through every sum.
    let us = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite());
    if kind != "kernel" {
        let bytes: u64 = cells.next()?.parse().ok()?;
        let (kind, read) = match kind {
            "copy" => (CommandKind::Copy, bytes),
            "fill" => (CommandKind::Fill, 0),
            _ => return None,
        };
        return Some(DeviceCommand {
            kind,
            time_us: Ok(us(time)?),
            read_bytes: Some(read),
            written_bytes: Some(bytes),
            bound_us: None,
        });
    }
    let name = cells.next()?.to_owned();
    let (workgroups, workgroup_size) = (sizes(cells.next()?)?, sizes(cells.next()?)?);
    let facts: Vec<(&str, &str)> = cells.filter_map(|cell| cell.split_once('=')).collect();
    // By name, because later versions of the library may add columns.
    let fact = |name: &str| facts.iter().find(|it| it.0 == name).map(|it| it.1);
    let number = |name: &str| fact(name).and_then(|value| value.parse::<u64>().ok());
    let text = |name: &str| fact(name).map(str::to_owned);
    let scalars = fact("scalars")?.split(',').filter(|word| !word.is_empty());
    let time_us = match time {
        "-" => Err(UnknownTime {
            reason: text("reason").unwrap_or_else(|| "unknown".to_owned()),
            least_us: match fact("least") {
                Some(least) => Some(us(least)?),
                None => None,
            },
        }),
        _ => Ok(us(time)?),
    };
    Some(DeviceCommand {
        kind: CommandKind::Kernel(KernelLaunch {
            name,
            code: text("code")?,
            workgroups,
            workgroup_size,
            scalars: scalars
                .map(|word| word.parse().ok())
                .collect::<Option<_>>()?,
            operations: Vec::new(),
            bottleneck: text("bottleneck"),
            waves_per_simd: number("waves").and_then(|waves| waves.try_into().ok()),
            limited_by: text("limit"),
        }),
        time_us,
        read_bytes: number("read"),
        written_bytes: number("written"),
        bound_us: None,
    })
}

/// Parses `4,1,1`.
fn sizes(text: &str) -> Option<[u32; 3]> {
    let sizes = text.split(',').map(|size| size.parse().ok());
    sizes.collect::<Option<Vec<u32>>>()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of a command, its time, and the bytes that it reads and writes.
    type Parsed<'a> = (&'a str, Option<f64>, Option<u64>, Option<u64>);

    #[track_caller]
    fn check(line: &str, expected: Option<Parsed<'_>>) {
        let found = command(line).ok();
        let found = found.as_ref().map(|it| {
            let time = it.time_us.as_ref().ok().copied();
            (it.name(), time, it.read_bytes, it.written_bytes)
        });
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines() {
        check(
            "kernel\t4.5\tmain\t37,1,1\t128,1,1\tcode=8c65\tscalars=37,0\tread=75776\twritten=160\tbottleneck=launch\twaves=1\tlimit=workgroups",
            Some(("main", Some(4.5), Some(75776), Some(160))),
        );
        check(
            "kernel\t-\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\treason=it = never ends",
            Some(("main", None, None, None)),
        );
        check(
            "copy\t6.25\t4096",
            Some(("copy", Some(6.25), Some(4096), Some(4096))),
        );
        check(
            "fill\t4.25\t64",
            Some(("fill", Some(4.25), Some(0), Some(64))),
        );
    }

    #[test]
    fn other_lines_are_refused() {
        for line in [
            "",
            "copy\t-\t4",
            "copy\tNaN\t4",
            "copy\t1.0\t-4",
            "move\t1.0\t4",
            "kernel\t1.0\tmain",
            "kernel\t1.0\tmain\t1,1\t64,1,1\tcode=8c\tscalars=",
            "kernel\t1.0\tmain\t1,1,1\t64,1,1\tcode=8c",
            "kernel\tinf\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=",
            "kernel\t1.0\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=1,x",
            "kernel\t-\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\tleast=inf\treason=long",
            "kernel\t-\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\tleast=-\treason=long",
        ] {
            check(line, None);
        }
    }

    #[test]
    fn unknown_times() {
        let check = |columns: &str, reason: &str, least_us| {
            let line = format!("kernel\t-\tmain\t1,1,1\t64,1,1\tcode=8c\tscalars=\t{columns}");
            let reason = reason.to_owned();
            let expected = Err(UnknownTime { reason, least_us });
            assert_eq!(command(&line).unwrap().time_us, expected);
        };
        // A reason is kept whole.
        check("reason=a=b: c", "a=b: c", None);
        check("least=95.5\treason=too long", "too long", Some(95.5));
    }
}
