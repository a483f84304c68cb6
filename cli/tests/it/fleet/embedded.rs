//! A service with SQLite and an embedded queue is killed a hundred times during studies. It loses
//! no reported trial and repeats none, and each restart continues by itself.

use std::time::{Duration, Instant};

use rand::{RngExt as _, SeedableRng as _};
use testing::Failed;

use crate::fleet::running::Running;
use crate::fleet::survives::{check, problem, submit, under_way};
use crate::fleet::wavetune;

const KILLS: usize = 100;
const BUDGET: u64 = 60;

/// Time from listening to the kill.
const PAUSE_MS: std::ops::Range<u64> = 20..3000;

/// Submits studies as others end, until the last kill.
pub(crate) fn is_killed_often() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("embedded.db");
    let db = db.to_str().ok_or("not UTF-8")?;
    let seed = rand::random();
    println!("seed {seed}");
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let mut service = Running::service(wavetune(db), "127.0.0.1:0")?;
    let address = [service.address().to_owned()];
    let _agent = Running::agent(wavetune(db), &address[0])?;
    let (mut problems, mut studies) = (Vec::new(), Vec::new());
    for _ in 0..KILLS {
        if under_way(&address, &studies) == 0 {
            let problem = problem(problems.len());
            studies.extend(submit(&address[0], std::slice::from_ref(&problem), BUDGET)?);
            problems.push(problem);
        }
        std::thread::sleep(Duration::from_millis(random.random_range(PAUSE_MS)));
        service.kill()?;
        service = Running::service(wavetune(db), &address[0])?;
    }
    let begun = Instant::now();
    while under_way(&address, &studies) > 0 {
        if begun.elapsed() > Duration::from_secs(120) {
            return Err("a study does not end".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(service.end()?, Some(0));
    println!("{KILLS} kills, {} studies", studies.len());
    let checked = wavetune(db).args(["db", "check"]).output()?;
    assert!(checked.status.success(), "{checked:?}");
    check(db, directory.path(), &problems, BUDGET)
}
