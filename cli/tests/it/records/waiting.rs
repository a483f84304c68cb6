//! Studies that wait for an agent.

use serde_json::Value;
use store::{Priority, RunState, Runs as _, Submission, Ties};

use testing_sqlite::key;

use crate::records::{Bed, trials};

/// Checks the list and the details of a study that a service accepted for a device without an
/// agent. It has no row of its own yet.
#[test]
fn studies_that_wait_for_an_agent_are_listed_and_shown() {
    let bed = Bed::new();
    let wanted = |problem: &str, device: Option<&str>| {
        let order = server_fleet::UnofferedStudy {
            plan: server_fleet::Plan {
                problem: problem.parse().unwrap(),
                strategy: server_fleet::Strategy::Evolution,
                seed: 0,
                budget: 64,
                effort: None,
                ties: Ties::Fold,
            },
            target: key().provenance.target,
            device: device.map(str::to_owned),
            generator: key().provenance.generator,
            is_urgent: false,
            submitter: None,
            served: None,
        };
        serde_json::to_string(&order).unwrap()
    };
    let submit = |state, orders: &[String]| {
        let submission = Submission {
            orders,
            priority: Priority::default(),
            state,
            most_open: None,
            request: None,
        };
        let submitted = bed.store.submit_runs(submission);
        bed.runtime.block_on(submitted).unwrap();
    };
    let orders = [
        wanted("sum:[4096]xf32", Some("hip:0")),
        wanted("argmin:[7]xf16", None),
        "{}".to_owned(),
    ];
    submit(RunState::Waiting, &orders);
    submit(RunState::Cancelled, &[wanted("max:[9]xf32", None)]);
    let both = [
        "ID  WAITS FOR AN AGENT",
        " 1  sum:[4096]xf32",
        "hip:0",
        " 2  argmin:[7]xf16",
        "any gfx942",
        "64",
    ];
    bed.check("studies", 0, &both, "skipped: 1 row");
    let (out, _) = bed.run("studies", 0);
    assert!(!out.contains("max:") && !out.contains("OPENED"), "{out}");
    let json = bed.json("run", "studies", 0);
    let states: Vec<&Value> = json.iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["waiting", "waiting"]);
    assert_eq!(json[1]["device"], Value::Null);
    // Filters select them as they select studies.
    for filter in [
        "--problem sum:[4096]xf32",
        "--operation reduce",
        "--element f32",
        "--device hip:0",
    ] {
        let selected = bed.json("run", &format!("studies {filter}"), 0);
        assert_eq!(selected.len(), 1, "{filter}");
        assert_eq!(selected[0]["problem"], "sum:[4096]xf32", "{filter}");
    }
    for filter in [
        "--target gfx90a",
        "--generator iree",
        "--strategy random",
        "--since 2999-01-01T00:00:00Z",
    ] {
        let none = "there is no such study";
        let (_, err) = bed.run(&format!("studies {filter}"), 1);
        assert!(err.contains(none), "{filter}: {err}");
    }
    let (out, err) = bed.run("studies --limit 1", 0);
    assert!(!out.contains("argmin"), "{out}");
    assert!(err.contains("the list is incomplete"), "{err}");
    assert_eq!(bed.json("run", "studies show 2", 0), json[1..]);
    bed.check("studies show 1", 0, &["sum:[4096]xf32"], "");
    bed.check("studies show 4", 1, &[], "there is no study 4");
    // Studies precede them.
    bed.record(&key(), &trials());
    let (out, _) = bed.run("studies", 0);
    let places = ["OPENED", "argmax:", "WAITS", "sum:"].map(|part| out.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{out}");
}
