//! The log of a run.

use serde_json::Value;
use testing::Failed;

use crate::tuning::tune;

/// Checks that `WAVETUNE_LOG` writes to standard error, and that standard output has only the
/// answer.
pub(crate) fn progress_is_apart_from_the_answer() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut answers = Vec::new();
    for log in ["", "tuner=debug"] {
        let mut command = tune(&folder.path().join(format!("{log}.db")), "4");
        let output = command.env("WAVETUNE_LOG", log).output()?;
        let said = String::from_utf8(output.stderr)?;
        assert!(output.status.success(), "{said}");
        answers.push(serde_json::from_slice::<Value>(&output.stdout)?["best"].clone());
        if log.is_empty() {
            assert_eq!(said, "");
            continue;
        }
        for part in [
            " INFO study{number=1 problem=argmax:4x[32000]xf32:i32 target=\"gfx942\" device=\"emulated:mi300x\" \
             generator=\"native\"}: tuner::director: study opened ",
            ": batch given batch=1 candidates=1 first=0 ",
            ":batch{study=1 number=1}: tuner::agent: batch built kernels=1 ",
            ": study ended trials=4 made=4 best_us=",
        ] {
            assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
        }
        assert!(!said.contains("TRACE") && !said.contains("sqlx"), "{said}");
    }
    assert_eq!(answers[0], answers[1]);
    Ok(())
}
