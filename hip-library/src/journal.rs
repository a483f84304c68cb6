//! The journal: modelled times as lines of a file, for programs that do not time their kernels
//! with events.
//!
//! The journal knows no state; the command's executor writes to it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::error::explain;

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

    /// Records a launch with its microseconds, or `None` if its time is unknown.
    pub(crate) fn launch(
        &self,
        time_us: Option<f64>,
        kernel: &str,
        workgroups: [u32; 3],
        workgroup_size: [u32; 3],
    ) {
        let sizes = |sizes: [u32; 3]| sizes.map(|size| size.to_string()).join(",");
        self.line(|| {
            format!(
                "kernel\t{}\t{kernel}\t{}\t{}",
                time_us.map_or("-".to_owned(), |time| time.to_string()),
                sizes(workgroups),
                sizes(workgroup_size),
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
