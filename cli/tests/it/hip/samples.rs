//! Samples on a GPU: the launches between two events, and the work before them. The library
//! pretends to be a GPU.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use testing::Failed;

use crate::hip::bed::Bed;

/// Twice the 8 MiB of L2, which is the last cache of an MI250X.
const FLUSH: &str = "memset 16777216";
/// More copies than a sample has launches. All but one of them, of 16 kB each, exceed that cache.
const COPIES: usize = 200;

/// A sample: the last call before its first event, and the input of each launch.
struct Sample<'a> {
    before: &'a str,
    inputs: Vec<&'a str>,
}

/// Returns the samples of kernels in a log. Those of the launch floor have no launches of ours.
fn samples(log: &str) -> Vec<Sample<'_>> {
    let mut samples: Vec<Sample<'_>> = Vec::new();
    let (mut before, mut is_open) = ("", false);
    for line in log.lines() {
        match (line, line.strip_prefix("launch ")) {
            ("event", _) => {
                is_open = !is_open;
                if is_open {
                    let inputs = Vec::new();
                    samples.push(Sample { before, inputs });
                }
            }
            (_, Some(input)) => {
                if let (true, Some(sample)) = (is_open, samples.last_mut()) {
                    sample.inputs.push(input);
                }
            }
            _ => {}
        }
        before = line;
    }
    samples.retain(|sample| !sample.inputs.is_empty());
    samples
}

/// Returns the answer of a study of two kernels on the pretending library, and checks their
/// samples.
fn study(bed: &Bed, caches: &str, check: impl Fn(&[Sample<'_>])) -> Result<Value, Failed> {
    let library = bed.in_front("pretend")?;
    let log = bed.path().join(format!("{caches}.log"));
    let answer = tune(bed, &library, &["--device=hip:0", "--caches", caches], &log)?;
    check(&samples(&fs::read_to_string(&log)?));
    Ok(answer)
}

fn tune(bed: &Bed, library: &Path, arguments: &[&str], log: &Path) -> Result<Value, Failed> {
    let mut command = bed.wavetune(library, &["tune", "argmax:4x[1000]xf32", "--budget=2"]);
    command.args(arguments).arg("--output-format=json");
    command
        .env("WAVETUNE_HIP_DEVICE", "mi250x")
        .env("PRETEND_LOG", log);
    let output = command.output()?;
    match output.status.success() {
        true => Ok(testing_conformance::answer("tune", &output.stdout)),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

pub(crate) fn samples_are_taken_as_the_protocol_says() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let cold = study(&bed, "cold", |samples| {
        assert!(samples.len() > 20, "{}", samples.len());
        assert!(samples.iter().any(|sample| sample.inputs.len() > 20));
        for Sample { before, inputs } in samples {
            assert_eq!(*before, FLUSH);
            let different: HashSet<_> = inputs.iter().collect();
            assert_eq!(different.len(), inputs.len().min(COPIES));
        }
    })?;
    let warm = study(&bed, "warm", |samples| {
        assert!(samples.len() > 20, "{}", samples.len());
        for Sample { before, inputs } in samples {
            assert_ne!(*before, FLUSH);
            let different: HashSet<_> = inputs.iter().collect();
            assert_eq!(different.len(), 1);
        }
    })?;
    // The clock gives the model's time and a little more.
    let emulated = tune(
        &bed,
        Path::new(""),
        &["--device=emulated:mi250x"],
        Path::new(""),
    )?;
    let time = |answer: &Value| answer["default"]["time_us"].as_f64().unwrap_or_default();
    for answer in [&cold, &warm] {
        assert_eq!(
            (&answer["device"], &answer["clock"]),
            (&"hip:mi250x".into(), &"measured".into())
        );
        // A clock's times vary, so there are finals.
        assert!(answer["finals"]["pairs"].as_u64() >= Some(16), "{answer}");
        let over = time(answer) / time(&emulated);
        assert!((1.0..1.011).contains(&over), "{over}: {answer}");
    }
    Ok(())
}
