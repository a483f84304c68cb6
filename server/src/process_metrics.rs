//! Metrics of the process, as Prometheus' own clients define them. Linux reports them in `/proc`.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::Unit;
use rustix::process::{Resource, getrlimit};

use crate::metric_collector::MetricWriter;

/// Clock ticks per second in `/proc`, on every architecture of Linux.
const TICKS: f64 = 100.0;

/// The metrics of this process. Values that the system does not report are left out.
#[derive(Debug)]
pub(crate) struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut writer = MetricWriter(encoder);
        // Other systems than Linux have no `/proc`.
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        if let Some(seconds) = cpu_seconds(&stat) {
            let help = "Processor time of the process";
            writer.counter("cpu", help, Some(&Unit::Seconds), seconds)?;
        }
        let system = fs::read_to_string("/proc/stat").unwrap_or_default();
        if let Some(seconds) = start_seconds(&stat, &system) {
            let help = "Start time of the process, since 1970";
            writer.gauge("start_time", help, Some(&Unit::Seconds), seconds)?;
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        if let Some(bytes) = resident_bytes(&status) {
            let help = "Resident memory of the process";
            writer.gauge("resident_memory", help, Some(&Unit::Bytes), bytes)?;
        }
        if let Ok(descriptors) = fs::read_dir("/proc/self/fd") {
            let help = "Open file descriptors";
            // One of them reads the folder itself.
            let open = descriptors.count().saturating_sub(1);
            writer.gauge("open_fds", help, None, open)?;
        }
        if let Some(most) = getrlimit(Resource::Nofile).current {
            let help = "Largest number of open file descriptors";
            writer.gauge("max_fds", help, None, most as f64)?;
        }
        Ok(())
    }
}

/// Returns the field of `/proc/self/stat` with this number in proc_pid_stat(5). The second field
/// is a name, which may contain blanks.
fn field(stat: &str, number: usize) -> Option<f64> {
    // The last parenthesis: the name may contain some itself.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(number - 3)?.trim().parse().ok()
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    Some((field(stat, 14)? + field(stat, 15)?) / TICKS)
}

fn start_seconds(stat: &str, system: &str) -> Option<f64> {
    let booted = system.lines().find_map(|line| line.strip_prefix("btime "));
    Some(booted?.trim().parse::<f64>().ok()? + field(stat, 22)? / TICKS)
}

fn resident_bytes(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(1024 * kibibytes)
}

#[cfg(test)]
mod tests {
    use super::{cpu_seconds, resident_bytes, start_seconds};

    const STAT: &str = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 1250 250 7 8 20 0 5 0 6000 9 10\n";

    #[test]
    fn figures_are_read_from_proc() {
        assert_eq!(cpu_seconds(STAT), Some(15.0));
        let system = "cpu  1 2 3\nbtime 1700000000\nprocesses 9\n";
        assert_eq!(start_seconds(STAT, system), Some(1_700_000_060.0));
        let status = "Name:\twavetune\nVmRSS:\t    2048 kB\nVmSwap:\t 1 kB\n";
        assert_eq!(resident_bytes(status), Some(2 << 20));
        for text in ["", "7 (a", "Name:\tx\n"] {
            assert_eq!(cpu_seconds(text), None, "{text}");
            assert_eq!(start_seconds(text, text), None, "{text}");
            assert_eq!(resident_bytes(text), None, "{text}");
        }
    }
}
