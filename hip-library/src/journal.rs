//! What took modelled time, as lines of a file: for who wants to know how long each kernel of a program takes whose times are
//! not events.
//!
//! It knows no state: who does a command tells it.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::error::explain;

/// Names the file, to which lines are added.
const FILE: &str = "WAVETUNE_HIP_TIMES";

/// The file; none where nobody asks for it.
pub(crate) struct Journal(Option<Mutex<File>>);

impl Journal {
    /// The one that the environment asks for. A file that cannot be opened is no reason to have no device: it is told.
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

    /// A launch took so many microseconds; none if its time is unknown.
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

    /// The device copied or filled so many bytes.
    pub(crate) fn bytes(&self, what: &str, time_us: f64, bytes: u64) {
        if bytes > 0 {
            self.line(|| format!("{what}\t{time_us}\t{bytes}"));
        }
    }

    fn line(&self, text: impl FnOnce() -> String) {
        let Some(file) = &self.0 else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // In one piece, so that programs with one file do not come in between.
        if let Err(error) = file.write_all((text() + "\n").as_bytes()) {
            explain(format!("{FILE}: {error}"));
        }
    }
}
