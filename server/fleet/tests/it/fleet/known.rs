//! The configuration that lookups served before a study.

use configgen::Configuration;
use configgen::seeded_random::{self, below};
use lookup::{LookupAnswer, LookupRequest, Rung, look};
use store::{RunState, StudyId};
use tuner::{PriorAnswer, Strategy};

use crate::fleet::PROBLEM;
use crate::fleet::bed::{Bed, Does, asked};
use testing_agent::offer;

/// Returns the configuration that lookups serve before a study; none if it is the default.
async fn served(bed: &Bed, problem: &str) -> Option<Configuration> {
    let question = PriorAnswer::of(&asked(problem, 1).plan, &offer("mi300x"));
    let stored = question.stored(&*bed.store).await.unwrap();
    stored.or_else(|| question.predicted())
}

/// Returns the second trial's configuration, as the bed shows it.
async fn second(bed: &Bed, study: StudyId) -> String {
    bed.trials(study).await[1].1.clone()
}

/// Checks studies with any budget, also of a single trial. The first problem has no neighbour, the
/// others have.
#[test]
async fn the_second_trial_is_the_served_configuration() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    for (problem, budget) in [
        (PROBLEM, 12),
        ("argmax:4x[4100]xf64", 1),
        ("argmax:4x[5000]xf64", 9),
    ] {
        let known = served(&bed, problem).await;
        assert_eq!(known.is_none(), problem == PROBLEM);
        let study = bed.submit(problem, budget).await;
        bed.work("agent", |_| Does::All).await;
        let trials = bed.trials(study).await;
        if known.is_some() {
            let known = format!("{known:?}");
            // It may be the default of this problem, which is the first trial.
            let place = usize::from(trials[0].1 != known);
            assert_eq!(trials.len(), (place + 1).max(budget as usize), "{problem}");
            assert_eq!(trials[place].1, known, "{problem}");
        }
        // The report has the trial, too.
        let findings = bed.fleet.findings(study).await.unwrap();
        assert_eq!(findings.report.counts.total, trials.len() as u64);
    }
}

/// Checks a study that begins long after its submission, in another process: what lookups served
/// at the submission counts.
#[test]
async fn a_late_study_has_the_configuration_of_its_submission() {
    let bed = Bed::new().await;
    bed.agent_comes().await;
    bed.submit(PROBLEM, 12).await;
    bed.work("agent", |_| Does::All).await;
    let problem = "argmax:4x[4600]xf64";
    let before = served(&bed, problem).await;
    let study = bed.submit(problem, 9).await;
    bed.fleet.pause(study).await.unwrap();
    // A nearer problem with another best configuration.
    bed.submit("argmax:4x[4601]xf64", 30).await;
    bed.work("agent", |_| Does::All).await;
    assert_ne!(served(&bed, problem).await, before);
    let (bed, _) = bed.again().await;
    bed.agent_comes().await;
    bed.fleet.resume(study).await.unwrap();
    bed.work("agent", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(second(&bed, study).await, format!("{before:?}"));
}

/// Checks that no study of a service makes a lookup's answer slower, for `count` random problems.
/// Each has a budget of 1 to 20 trials.
async fn check_never_worse(count: u64) {
    let mut random = seeded_random::generator(11, 0);
    let mut draw = |bound| below(&mut random, bound);
    let (mut rungs, mut bed) = ([0; 5], Bed::new().await);
    for number in 0..count {
        // A new database now and then, so that problems without neighbours occur.
        if number % 6 == 0 {
            bed = Bed::new().await;
            bed.agent_comes().await;
        }
        let element = ["f32", "f64"][draw(2) as usize];
        let problem = format!("argmax:{}x[{}]x{element}", 2 + draw(3), 256 + 4 * draw(256));
        let mut wanted = asked(&problem, 1 + draw(20) as u32);
        wanted.plan.strategy = Strategy::ALL[draw(7) as usize];
        let request = LookupRequest {
            at_least: Rung::Default,
            device: Some(offer("mi300x").provenance.device),
            ..LookupRequest::new(wanted.plan.problem.clone(), wanted.target)
        };
        let before = look(&*bed.store, &request).await.unwrap();
        let begun = bed.fleet.submit(vec![wanted.clone()], None, None).await;
        let study = begun.unwrap().studies[0].study;
        bed.work("agent", |_| Does::All).await;
        let study = bed.fleet.study(study).await.unwrap().study;
        rungs[before.rung().unwrap() as usize] += 1;
        let configuration = match before {
            LookupAnswer::Exact(it) => it.configuration,
            LookupAnswer::Sibling(it)
            | LookupAnswer::Neighbour(it)
            | LookupAnswer::Predicted(it)
            | LookupAnswer::Default(it) => it.configuration,
            LookupAnswer::None(it) => panic!("{it:?}"),
        };
        let trials = store::Ledger::trials_of(&*bed.store, &bed.study(study).await).await;
        let trials = trials.unwrap();
        let of_served = trials.iter().find(|it| {
            let tried = it.configuration.as_ref();
            tried.is_some_and(|it| it.canonical(&request.problem) == configuration)
        });
        let before_us = of_served.unwrap().outcome.timing().unwrap().time_us;
        let after = look(&*bed.store, &request).await.unwrap();
        let after_us = after.found().unwrap().time_us;
        assert!(after_us <= before_us, "{problem}: {after_us} {before_us}");
    }
    let [_, _, near, predicted, default] = rungs;
    assert!(near > 0 && predicted > 0 && default > 0, "{rungs:?}");
}

#[test]
async fn no_study_makes_an_answer_slower() {
    check_never_worse(18).await;
}

#[test]
#[ignore = "full: 300 studies"]
async fn no_study_of_many_makes_an_answer_slower() {
    check_never_worse(300).await;
}
