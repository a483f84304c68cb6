//! The configuration that lookups served before a study.

use tuner::served_configuration;

use crate::fleet::bed::{Bed, Does, asked};
use testing_agent::offer;

/// Checks studies of a service with any budget: the second trial is the configuration that lookups
/// served before, so no study makes an answer slower.
#[test]
async fn the_second_trial_is_the_served_configuration() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    // The first problem has no neighbour but a prediction; the others are neighbours of it.
    for (problem, budget) in [
        ("argmax:4x[4096]xf32", 12),
        ("argmax:4x[4100]xf32", 1),
        ("argmax:4x[5000]xf32", 9),
    ] {
        let plan = asked(problem, budget).plan;
        let known = served_configuration(&plan, &offer("mi300x"), &*bed.store).await;
        let known = known.unwrap().unwrap();
        let study = bed.submit(problem, budget).await;
        bed.work("agent", |_| Does::All).await;
        let trials = bed.trials(study).await;
        assert_eq!(trials.len(), 2.max(budget as usize), "{problem}");
        assert_eq!(trials[1].1, format!("{:?}", Some(known)), "{problem}");
        // The report has the trial, too.
        let findings = bed.fleet.findings(study).await.unwrap();
        assert_eq!(findings.report.counts.total, trials.len() as u64);
    }
}
