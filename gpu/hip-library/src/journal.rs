//! The journal: modelled times as lines of a file, for programs that do not time their kernels
//! with events.
//!
//! The journal knows no state; the command's executor writes to it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use emulator::ArgumentKind;
use emulator::model::Estimate;

use crate::error::explain;
use crate::known_times::KnownTime;
use crate::launch::LaunchCommand;
use crate::unknown_time::UnknownTime;

/// The environment variable that names the file. Lines are appended.
const FILE: &str = "WAVETUNE_HIP_TIMES";

/// The file, or `None` if the environment names none.
pub(crate) struct Journal(Option<Mutex<File>>);

impl Journal {
    /// Opens the file that the environment names. A file that cannot be opened is explained, and
    /// is no reason to have no device.
    pub(crate) fn of_environment() -> Journal {
        let Some(name) = std::env::var_os(FILE).filter(|name| !name.is_empty()) else {
            return Journal(None);
        };
        let opened = OpenOptions::new().append(true).create(true).open(&name);
        Journal(match opened {
            Ok(file) => Some(Mutex::new(file)),
            Err(error) => {
                explain(format!("{FILE}={}: {error}", name.display()));
                None
            }
        })
    }

    /// Records a launch with its time, or the reason that it has none.
    pub(crate) fn launch(&self, time: &Result<Estimate, UnknownTime>, launch: &LaunchCommand) {
        let time_us = time.as_ref().ok().map(|it| it.time_us);
        self.kernel(time_us, launch, || match time {
            Ok(it) => format!(
                "read={}\twritten={}\tbottleneck={}\twaves={}\tlimit={}",
                it.footprint.read_bytes,
                it.footprint.written_bytes,
                it.bottleneck.name(),
                it.waves_per_simd,
                it.limited_by.name(),
            ),
            Err(UnknownTime { reason, least_us }) => format!(
                "{}reason={}",
                least_us.map_or(String::new(), |least| format!("least={least}\t")),
                reason.replace(['\t', '\n'], " ")
            ),
        });
    }

    /// Records a launch with a time that an earlier run has found.
    pub(crate) fn known_launch(&self, time: &KnownTime, launch: &LaunchCommand) {
        self.kernel(time.time_us, launch, || time.estimate.clone());
    }

    fn kernel(
        &self,
        time_us: Option<f64>,
        launch: &LaunchCommand,
        estimate: impl FnOnce() -> String,
    ) {
        self.line(|| {
            format!(
                "kernel\t{}\t{}\t{}\t{}",
                time_us.map_or("-".to_owned(), |it| it.to_string()),
                launch.function.kernel().name,
                identity(launch),
                estimate(),
            )
        });
    }

    /// Records a copy or fill of `bytes` bytes of the device.
    pub(crate) fn bytes(&self, what: &str, time_us: f64, bytes: u64) {
        if bytes > 0 {
            self.line(|| format!("{what}\t{time_us}\t{bytes}"));
        }
    }

    fn line(&self, text: impl FnOnce() -> String) {
        let Some(file) = &self.0 else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for each line, so that several programs can share a file.
        if let Err(error) = file.write_all((text() + "\n").as_bytes()) {
            explain(format!("{FILE}: {error}"));
        }
    }
}

/// Returns the columns that identify a launch: grid, machine code and scalars.
pub(crate) fn identity(launch: &LaunchCommand) -> String {
    let code = &launch.function.code;
    let code = code.machine_code(launch.function.kernel());
    format!(
        "{}\t{}\tcode={}\tscalars={}",
        listed(launch.workgroups),
        listed(launch.workgroup_size),
        // 64 bits: a model has hundreds of kernels, and no adversary gains by a collision.
        &blake3::hash(code).to_hex()[..16],
        listed(scalars(launch)),
    )
}

/// Returns the arguments that are no buffers, as words of four bytes.
fn scalars(launch: &LaunchCommand) -> Vec<u32> {
    let arguments = launch.function.kernel().arguments.iter();
    let scalars = arguments.filter(|argument| argument.kind == ArgumentKind::Value);
    let bytes = scalars.filter_map(|argument| {
        let start = argument.offset as usize;
        launch.kernarg.get(start..start + argument.size as usize)
    });
    let words = bytes.flat_map(|bytes| bytes.chunks(4)).map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    });
    words.collect()
}

/// Formats numbers with commas.
fn listed(numbers: impl IntoIterator<Item = u32>) -> String {
    let numbers = numbers.into_iter().map(|number| number.to_string());
    numbers.collect::<Vec<_>>().join(",")
}
