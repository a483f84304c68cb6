//! Tests of studies that stop before their budget is spent.

use answers::tune::SearchEnd;
use tuner::{Effort, Plan, Strategy};

use super::bed::{ALL_RIGHT, Bed};
use super::plan;

async fn report(plan: &Plan, jobs: usize) -> tuner::Report {
    Bed::new(ALL_RIGHT).report(plan, jobs).await
}

fn with(effort: Option<Effort>, strategy: Strategy, budget: u32) -> Plan {
    Plan {
        effort,
        strategy,
        ..plan(budget)
    }
}

/// Checks the ends of searches on a device with best times far above the bound.
#[tokio::test]
async fn a_search_ends_when_its_model_expects_too_little() {
    let check = async |effort, strategy, end, most: u64| {
        let report = report(&with(effort, strategy, 300), 2).await;
        assert_eq!(report.end, end, "{effort:?} {strategy}");
        assert!(report.counts.total <= most, "{effort:?} {strategy}");
        report.counts.total
    };
    check(None, Strategy::Auto, SearchEnd::Budget, 300).await;
    // Without a model, only the bound ends a search.
    let quick = Some(Effort::Quick);
    check(quick, Strategy::Evolution, SearchEnd::Budget, 300).await;
    let quick = check(quick, Strategy::Auto, SearchEnd::Gain, 299).await;
    let thorough = with(Some(Effort::Thorough), Strategy::Auto, 300);
    assert!(quick < report(&thorough, 2).await.counts.total, "{quick}");
}

/// Checks that the end does not depend on the number of agents. A study with more effort continues
/// the trials of one with less.
#[tokio::test]
async fn more_effort_continues_the_same_study() {
    let quick = with(Some(Effort::Quick), Strategy::Auto, 200);
    let whole = with(None, Strategy::Auto, 60);
    let first = Bed::new(ALL_RIGHT);
    let few = first.report(&quick, 1).await.counts.total;
    assert_eq!(report(&quick, 4).await.counts.total, few);
    assert!(few < 60, "{few}");
    // The same study again makes no trial.
    let again = first.report(&quick, 2).await;
    assert_eq!((again.counts.total, again.resumed), (few, few));
    let continued = first.trials(&whole).await;
    let undisturbed = Bed::new(ALL_RIGHT).trials(&whole).await;
    let all = |trials: &[store::Trial]| -> Vec<_> {
        trials.iter().map(|it| it.configuration.clone()).collect()
    };
    assert_eq!(all(&continued), all(&undisturbed));
}
