//! Spaces recorded on real GPUs: every configuration of a kernel, with 32 samples of each.
//!
//! The files are from Kernel Tuner's benchmark hub, in its cache format. They lie in
//! `../shared/data/hub` beside the repository, or in the folder that `WAVETUNE_HUB` names.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use testing::Failed;

/// The samples of one configuration.
#[derive(Debug)]
pub(crate) struct Series {
    /// The median of the samples after the warm-up, in microseconds.
    pub time_us: f64,
    /// These samples over their median, in order.
    pub factors: Vec<f64>,
}

/// One kernel on one GPU.
#[derive(Debug)]
pub(crate) struct Space {
    pub series: Vec<Series>,
}

/// The number of first samples that count as warm-up, which the recording lacked. The first was
/// up to 2.8 times the median, and the median sample was within 0.01 % of the level after eight
/// samples.
const WARM_UP: usize = 8;

/// The spaces with known samples.
pub(crate) const FILES: [&str; 2] = ["convolution_milo/MI250X", "dedispersion_milo/W6600"];

/// Returns the path of a space, or the reason why it is missing.
pub(crate) fn path(file: &str) -> Result<PathBuf, String> {
    let folder = match std::env::var_os("WAVETUNE_HUB") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/hub"),
    };
    let path = folder.join(format!("{file}.json.gz"));
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("recorded noise is not there: {}", path.display())),
    }
}

pub(crate) fn read(path: &Path) -> Result<Space, Failed> {
    let mut json = Vec::new();
    GzDecoder::new(File::open(path)?).read_to_end(&mut json)?;
    let root: serde_json::Value = serde_json::from_slice(&json)?;
    let cache = root["cache"].as_object().ok_or("it has no cache")?;
    let series = |row: &serde_json::Value| series(&row["times"]);
    Ok(Space {
        series: cache.values().filter_map(series).collect(),
    })
}

/// Parses a series. Returns `None` for a failed configuration, which has no times.
fn series(times: &serde_json::Value) -> Option<Series> {
    let samples: Vec<f64> = times
        .as_array()?
        .iter()
        .filter_map(|t| t.as_f64())
        .collect();
    let warm = samples.get(WARM_UP..).filter(|warm| !warm.is_empty())?;
    let time = bench_harness::timing::median(warm);
    Some(Series {
        time_us: 1e3 * time,
        factors: warm.iter().map(|sample| sample / time).collect(),
    })
}
