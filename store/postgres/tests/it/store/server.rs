//! A server that goes away and comes back.

use std::thread;
use std::time::Duration;

use store::{Catalogue as _, Ledger as _, LedgerPosition};
use store_postgres::Postgres;
use testing::Failed;
use testing_postgres::Server;
use testing_store_contract::samples::{key, right, trial};

pub(crate) fn a_server_that_comes_back(mut server: Server) -> Result<(), Failed> {
    let url = server.create_database()?;
    // One runtime for all, because connections belong to theirs.
    let runtime = tokio::runtime::Runtime::new()?;
    let (store, study) = runtime.block_on(async {
        let store = Postgres::open(&url).await.unwrap();
        let study = store.open_study(&key(), None).await.unwrap();
        let made = trial(0, 1, right(8.0));
        store.record_trial(&study, &made).await.unwrap();
        (store, study)
    });
    // This query takes longer than the server lives.
    let mut holder = runtime.block_on(crate::store::raw(&url));
    let hold = "BEGIN; LOCK TABLE trial IN ACCESS EXCLUSIVE MODE";
    runtime.block_on(sqlx::raw_sql(hold).execute(&mut holder))?;
    let (asker, of) = (store.clone(), study.clone());
    let asked = runtime.spawn(async move { asker.trials_of(&of).await });
    thread::sleep(Duration::from_millis(300));
    server.crash()?;
    let error = runtime.block_on(asked)?.unwrap_err();
    assert!(error.fault.passes(), "{error}");
    let error = runtime.block_on(store.check()).unwrap_err();
    assert!(error.fault.passes(), "{error}");
    let part = "its server does not answer: ";
    assert!(error.to_string().contains(part), "{error}");

    server.resume()?;
    runtime.block_on(async {
        // No confirmed trial is lost, and everything goes on with new connections.
        assert_eq!(store.trials_of(&study).await.unwrap().len(), 1);
        let made = trial(1, 2, right(8.0));
        store.record_trial(&study, &made).await.unwrap();
        let (new, _) = store
            .trials_since(study.id, LedgerPosition::default())
            .await
            .unwrap();
        assert_eq!(new.len(), 2);
    });
    Ok(())
}
