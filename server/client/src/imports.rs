//! Imports: the client sends the studies of a database to a service.

use std::thread;
use std::time::Duration;

use answers::db::ImportReport;
use store::{ImportSummary, Portion, StudyId};

use crate::{Client, ClientError};

/// Largest body of a request, in bytes: the limit of the service.
const LARGEST: usize = 1 << 20;

/// Attempts for a portion. The service may import it twice without harm.
const ATTEMPTS: u32 = 4;

/// Pause before the first retry; each further pause is twice as long.
const PAUSE: Duration = Duration::from_millis(250);

impl Client {
    /// Imports a portion, in pieces that fit into requests.
    ///
    /// # Errors
    ///
    /// `Lost`; `Refused`, with status 413 also if one trial or finals exceed a request.
    pub fn import(&self, portion: Portion, only_try: bool) -> Result<ImportSummary, ClientError> {
        let pieces = pieces(portion, LARGEST);
        let pieces = pieces.map_err(|bytes| {
            let reason = format!(
                "a trial or finals has {bytes} bytes; a request may have at most {LARGEST}"
            );
            self.refused(413, reason)
        })?;
        let mut taken: Option<ImportSummary> = None;
        for piece in &pieces {
            let one = self.import_piece(piece, only_try)?;
            taken = Some(match taken {
                None => one,
                Some(before) => ImportSummary {
                    study: one.study,
                    // Only the first piece can create the study.
                    is_new: before.is_new,
                    added: before.added + one.added,
                    replaced: before.replaced + one.replaced,
                    parted: before.parted.or(one.parted),
                    finals: before.finals + one.finals,
                },
            });
        }
        taken.ok_or_else(|| self.lost("nothing was sent"))
    }

    fn import_piece(&self, piece: &Portion, only_try: bool) -> Result<ImportSummary, ClientError> {
        let mut pause = PAUSE;
        for _ in 1..ATTEMPTS {
            match self.import_once(piece, only_try) {
                // An import may run twice, so a lost answer does no harm.
                Err(error) if error.passes() => thread::sleep(pause),
                imported => return imported,
            }
            pause *= 2;
        }
        self.import_once(piece, only_try)
    }

    fn import_once(&self, piece: &Portion, only_try: bool) -> Result<ImportSummary, ClientError> {
        let path = match only_try {
            true => "/api/v1/imports?dry_run=true",
            false => "/api/v1/imports",
        };
        let imported: ImportReport = self.decode(&self.post(path, &[], piece)?)?;
        Ok(ImportSummary {
            study: StudyId(imported.study),
            is_new: imported.new,
            added: imported.added,
            replaced: imported.replaced,
            parted: imported.parted,
            finals: imported.finals,
        })
    }
}

/// Splits a portion into pieces of at most `most` bytes, in order. Fails with the size of a trial
/// or finals that exceed it alone.
fn pieces(portion: Portion, most: usize) -> Result<Vec<Portion>, usize> {
    let bytes = serde_json::to_vec(&portion).map_or(usize::MAX, |json| json.len());
    if bytes <= most {
        return Ok(vec![portion]);
    }
    let (trials, finals) = (portion.trials.len(), portion.finals.len());
    let mut first = portion;
    // Finals go last, behind the trials that won them.
    let second = match (trials, finals) {
        (2.., _) => Portion {
            // Halves, because the sizes of trials differ: no count of them fits a size.
            trials: first.trials.split_off(trials / 2),
            finals: std::mem::take(&mut first.finals),
            ..first.clone()
        },
        (_, 2..) => Portion {
            trials: Vec::new(),
            finals: first.finals.split_off(finals / 2),
            ..first.clone()
        },
        _ => return Err(bytes),
    };
    let mut pieces = self::pieces(first, most)?;
    pieces.extend(self::pieces(second, most)?);
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns a portion with messages of these lengths, and so many finals.
    fn portion(messages: &[usize], finals: u32) -> Portion {
        let second = |second: u32| json!({ "secs_since_epoch": second, "nanos_since_epoch": 0 });
        let trial = |(ordinal, bytes): (u32, &usize)| {
            json!({
                "ordinal": ordinal, "role": "default", "configuration": null, "input_seed": 1, "compile_ms": null,
                "outcome": { "Failed": ["crash", "x".repeat(*bytes)] }, "started": second(1), "ended": second(2),
            })
        };
        let held = |trials: u32| {
            json!({
                "trials": trials, "winner": 0, "ties": "fold", "speedup": 2.0, "interval": [1.5, 2.5], "samples": "{}",
                "ended": second(3),
            })
        };
        let provenance = json!({
            "target": "gfx942", "device": "d", "part": null, "driver": "d", "driver_version": "", "runtime_version": "",
            "kernel_driver_version": "", "model": "", "compiler": "c", "compiler_version": "1", "linker": "",
            "generator": "native", "generator_version": "1", "compile_limit_s": 0, "clock": "modelled", "mode": "cold",
            "protocol": 0, "inputs": 1,
        });
        let key = json!({
            "problem": "argmax:[8]xf32", "provenance": provenance, "strategy": "random", "space": "s", "ties": null,
            "seed": 0,
        });
        let trials: Vec<Value> = (0..).zip(messages).map(trial).collect();
        let finals: Vec<Value> = (1..=finals).map(held).collect();
        let portion = json!({
            "key": key, "bound_us": null, "first_opened": second(0), "last_opened": second(0), "trials": trials,
            "finals": finals,
        });
        serde_json::from_value(portion).unwrap()
    }

    /// Checks the numbers of trials and finals in each piece.
    #[track_caller]
    fn check(messages: &[usize], finals: u32, expected: Option<&[(usize, usize)]>) {
        const MOST: usize = 3000;
        let whole = portion(messages, finals);
        let Ok(pieces) = pieces(whole.clone(), MOST) else {
            assert_eq!(expected, None);
            return;
        };
        let counts = pieces.iter().map(|it| (it.trials.len(), it.finals.len()));
        let counts: Vec<(usize, usize)> = counts.collect();
        assert_eq!(Some(&counts[..]), expected);
        let mut joined = Portion {
            trials: Vec::new(),
            finals: Vec::new(),
            ..whole.clone()
        };
        for piece in pieces {
            assert!(serde_json::to_vec(&piece).unwrap().len() <= MOST);
            joined.trials.extend(piece.trials);
            joined.finals.extend(piece.finals);
        }
        assert_eq!(joined, whole);
    }

    #[test]
    fn a_portion_goes_in_pieces() {
        check(&[], 0, Some(&[(0, 0)]));
        check(&[10, 10, 10], 1, Some(&[(3, 1)]));
        check(&[1500, 1500, 10], 1, Some(&[(1, 0), (2, 1)]));
        check(&[1500; 4], 0, Some(&[(1, 0); 4]));
        check(&[1500], 8, Some(&[(1, 4), (0, 4)]));
        check(&[], 20, Some(&[(0, 10); 2]));
        check(&[10, 3000], 0, None);
    }
}
