//! Several processes tune one study: they share its work, whichever is killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use testing::Failed;

use crate::tuning::{json, wait_for_trials_of, wavetune};

/// A small problem: trials of a larger one cost more in the emulator, and show nothing else.
const PROBLEM: &str = "argmax:4x[8192]xf32";

/// Trials of the study. They take some seconds, longer than two processes need to find each
/// other.
const TRIALS: u64 = 60;

/// Time after which a silent process counts as dead.
const PATIENCE: Duration = Duration::from_secs(6);

fn tune(db: &Path) -> Command {
    let trials = TRIALS.to_string();
    let mut command = wavetune(
        db,
        &[
            "tune",
            PROBLEM,
            "--budget",
            &trials,
            "--jobs",
            "2",
            "--output-format",
            "json",
        ],
    );
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns the answer of a process that found something.
fn answer(child: Child) -> Result<Value, Failed> {
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(testing_conformance::answer("tune", &output.stdout))
}

/// Returns the number of trials that a process has made itself.
fn made(answer: &Value) -> Result<u64, Failed> {
    let of = |name: &str| answer["trials"][name].as_u64().ok_or("no count");
    Ok(of("total")? - of("resumed")?)
}

/// Checks that the answers equal those of an undisturbed study, with as many trials and no
/// process at work.
fn check(db: &Path, answers: &[Value], undisturbed: &Value) -> Result<(), Failed> {
    for answer in answers {
        for same in ["best", "default", "speedup"] {
            assert_eq!(answer[same], undisturbed[same], "{same}");
        }
        assert_eq!(answer["trials"]["total"], TRIALS);
    }
    let location = db.to_str().ok_or("not UTF-8")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(location);
        let pool = sqlx::SqlitePool::connect_with(options).await?;
        let count = async |query: &'static str| {
            let counted: Result<i64, _> = sqlx::query_scalar(query).fetch_one(&pool).await;
            counted
        };
        assert_eq!(count("SELECT count(*) FROM study").await?, 1);
        assert_eq!(count("SELECT count(*) FROM trial").await?, TRIALS as i64);
        let configurations = "SELECT count(DISTINCT coalesce(configuration_hash, '')) FROM trial";
        let different = count(configurations).await?;
        // The space may contain the default, too.
        assert!((TRIALS as i64 - different) <= 1, "{different}");
        assert_eq!(count("SELECT count(*) FROM worker").await?, 0);
        assert_eq!(count("SELECT count(*) FROM taken").await?, 0);
        Ok(())
    })
}

/// Checks the same once the killed processes count as dead: a new process finds all done, and
/// forgets them.
fn check_after(
    last_kill: Instant,
    db: &Path,
    mut answers: Vec<Value>,
    undisturbed: &Value,
) -> Result<(), Failed> {
    std::thread::sleep(PATIENCE.saturating_sub(last_kill.elapsed()));
    let late = json(tune(db), 0)?;
    assert_eq!(made(&late)?, 0);
    answers.push(late);
    check(db, &answers, undisturbed)
}

fn undisturbed(folder: &Path) -> Result<Value, Failed> {
    json(tune(&folder.join("undisturbed.db")), 0)
}

/// Checks that two processes share the trials of a study, and give the same answer.
pub(crate) fn two_processes_share_a_study() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let undisturbed = undisturbed(folder.path())?;
    // On a fast machine one process may end before the other begins.
    for round in 0..20 {
        let db = folder.path().join(format!("shared{round}.db"));
        let children = [tune(&db).spawn()?, tune(&db).spawn()?];
        let answers: Result<Vec<Value>, Failed> = children.into_iter().map(answer).collect();
        let answers = answers?;
        check(&db, &answers, &undisturbed)?;
        let made = [made(&answers[0])?, made(&answers[1])?];
        assert_eq!(made[0] + made[1], TRIALS, "{made:?}");
        if made.iter().all(|made| *made > 0) {
            return Ok(());
        }
    }
    Err("one process only waits for the other".into())
}

/// Checks that others, and a later process, make the trials of a killed one.
pub(crate) fn a_killed_process_leaves_its_share_to_others() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let undisturbed = undisturbed(folder.path())?;
    let db = folder.path().join("shared.db");
    let mut killed = tune(&db).spawn()?;
    let other = tune(&db).spawn()?;
    wait_for_trials_of(PROBLEM, &mut killed, &db, 20)?;
    killed.kill()?;
    killed.wait()?;
    let third = tune(&db).spawn()?;
    let last = Instant::now();
    let answers = vec![answer(other)?, answer(third)?];
    check_after(last, &db, answers, &undisturbed)
}

/// Checks that a problem under two names is tuned once.
pub(crate) fn a_problem_that_is_named_twice_is_tuned_once() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("twice.db");
    let same = format!("{PROBLEM}:i32");
    let arguments = [
        "tune",
        PROBLEM,
        &same,
        "--budget",
        "8",
        "--output-format",
        "json",
    ];
    let output = wavetune(&db, &arguments).output()?;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answers = testing_conformance::answers("tune", &output.stdout);
    let [first, second] = answers.as_slice() else {
        return Err(format!("{} answers", answers.len()).into());
    };
    assert_eq!(first["best"], second["best"]);
    // Either process may have opened the study.
    assert_eq!(made(first)? + made(second)?, 8);
    Ok(())
}

/// Kills one of four processes each second and restarts it, twenty times.
pub(crate) fn many_are_killed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let undisturbed = undisturbed(folder.path())?;
    for turn in 0..20 {
        let db = folder.path().join(format!("{turn}.db"));
        let mut children = Vec::new();
        for _ in 0..4 {
            children.push(tune(&db).spawn()?);
        }
        for victim in &mut children {
            std::thread::sleep(Duration::from_secs(1));
            victim.kill()?;
            victim.wait()?;
            *victim = tune(&db).spawn()?;
        }
        let last = Instant::now();
        let answers: Result<Vec<Value>, Failed> = children.into_iter().map(answer).collect();
        check_after(last, &db, answers?, &undisturbed)?;
    }
    Ok(())
}
