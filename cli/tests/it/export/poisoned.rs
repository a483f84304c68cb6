//! Exports from a database with a row that no wavetune writes.

use serde_json::json;
use store::Ledger as _;
use store_sqlite::Sqlite;
use testing::Failed;
use testing_sqlite::spoil;
use testing_store_contract::block_on;
use testing_store_contract::samples::{key, right, trial};

use crate::export::{export, succeeded, wavetune};

/// Spoils the best trial of the first problem. An export leaves out and names its row, and has
/// the next best.
pub(crate) fn a_poisoned_database_is_exported() -> Result<(), Failed> {
    let (problem, other) = ("argmax:4x[32000]xf32:i32", "argmin:7x[64]xi32:i32");
    let expected = json!([[problem, 4.5], [other, 4.5]]);
    for (sql, row) in [
        (
            "UPDATE trial SET ended_ms = 253402300800000 WHERE id = 2",
            "trial 2, ended: 253402300800000 ms",
        ),
        (
            "UPDATE trial SET time_us = 1e-300, samples_us = '[1e-300]' WHERE id = 2",
            "trial 2, samples_us: ",
        ),
        (
            "UPDATE trial SET configuration = '{}' WHERE id = 2",
            "trial 2",
        ),
    ] {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("test.db");
        block_on(async {
            let store = Sqlite::open(db.to_str().unwrap()).await.unwrap();
            let trials = [trial(1, 256, right(4.5)), trial(2, 512, right(3.0))];
            let mut second = key();
            second.problem = other.parse().unwrap();
            for (key, trials) in [(key(), &trials[..]), (second, &trials[..1])] {
                let study = store.open_study(&key, Some(2.5)).await.unwrap();
                store.record_trials(study.id, trials).await.unwrap();
            }
            spoil(&store, sql).await;
            store.close().await;
        });
        let left_out =
            format!("skipped: 1 row that this build cannot read, the first of them {row}");
        let manifest = export(directory.path(), &["--target", "gfx942"])?;
        let kernels = manifest["kernels"].as_array().ok_or("no kernels")?;
        let exported = kernels
            .iter()
            .map(|it| json!([it["problem"], it["time_us"]]));
        assert_eq!(json!(exported.collect::<Vec<_>>()), expected, "{sql}");

        let out = directory.path().join("kernels");
        let table = directory.path().join("all.wtab");
        let [out, table] = [&out, &table].map(|it| it.to_str().unwrap_or_default());
        for arguments in [
            &["export", "kernels", "--out", out][..],
            &["export", "kernels", problem, "--out", out],
            &["export", "table", "--output", table],
        ] {
            let all = [arguments, &["--target", "gfx942"]].concat();
            let output = wavetune(directory.path(), &all)?;
            succeeded(&output)?;
            let said = String::from_utf8(output.stderr)?;
            assert!(said.contains(&left_out), "{sql}: {arguments:?}: {said}");
        }
        let found = wavetune(directory.path(), &["table", "lookup", table, other])?;
        succeeded(&found)?;
    }
    Ok(())
}
