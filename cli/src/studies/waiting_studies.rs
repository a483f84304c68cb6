//! Studies that a service accepted and that wait for an agent. None has trials yet, so the
//! database lists them as runs.

use answers::runs::Run;
use server::describe_run;
use server_fleet::StudyStatus;
use store::{Readable, RunState, Store, StudyFilter, StudyId, Unreadable};

use crate::local_time::Zone;
use crate::text_table::{table, text};

/// Runs that are read at a time.
const PAGE: u32 = 1000;

/// Returns up to `limit` of the waiting studies that the filter selects, by number.
pub(super) async fn waiting_studies(
    store: &dyn Store,
    which: &StudyFilter,
    limit: usize,
) -> anyhow::Result<Readable<Run>> {
    let mut found = Vec::new();
    let (mut after, mut unreadable) = (None, Unreadable::default());
    while found.len() < limit {
        let runs = store.runs(Some(RunState::Waiting), after, PAGE).await?;
        unreadable.join(runs.unreadable);
        let Some(last) = runs.rows.last() else { break };
        after = Some(last.study);
        let listed = runs.rows.into_iter().map(StudyStatus::try_from);
        let listed = listed.filter_map(|row| unreadable.note(row));
        let selected = listed.filter(|listed| is_selected(listed, which));
        found.extend(selected.map(describe_run));
    }
    found.truncate(limit);
    Ok(Readable {
        rows: found,
        unreadable,
    })
}

/// Returns the waiting study with this number. Returns `None` if no waiting study has it.
pub(super) async fn waiting_study(store: &dyn Store, id: StudyId) -> anyhow::Result<Option<Run>> {
    let run = store.run(id).await?;
    let run = run.filter(|run| run.state == RunState::Waiting);
    let listed = run.map(StudyStatus::try_from).transpose()?;
    Ok(listed.map(describe_run))
}

fn is_selected(listed: &StudyStatus, which: &StudyFilter) -> bool {
    let (order, plan) = (&listed.order, listed.order.plan());
    let problem = &plan.problem;
    let operation = problem.reduction.operation();
    let targets = which.target.map(|target| target.name);
    which.problem.as_ref().is_none_or(|it| it == problem)
        && which.operation.as_deref().is_none_or(|it| it == operation)
        && which.element.is_none_or(|it| it == problem.element)
        && targets.is_none_or(|it| it == order.target().name)
        && (which.device.as_deref()).is_none_or(|it| order.device() == Some(it))
        && which.generator.is_none_or(|it| it == order.generator())
        && (which.strategy.as_deref()).is_none_or(|it| it == plan.strategy.name())
        && which.opened_since.is_none_or(|since| listed.asked >= since)
}

/// Returns the waiting studies as a table for people.
pub(super) fn waiting_text(waiting: &[Run], zone: Zone) -> String {
    let submitted = zone.heading("SUBMITTED");
    let mut shown = table(&[
        ">ID",
        "WAITS FOR AN AGENT",
        "DEVICE",
        "BY",
        ">TRIALS WANTED",
        &submitted,
    ]);
    for run in waiting {
        shown.add_row([
            run.id.to_string(),
            run.problem.to_string(),
            run.device
                .clone()
                .unwrap_or_else(|| format!("any {}", run.target)),
            run.generator.to_string(),
            run.budget.to_string(),
            zone.minute(&run.asked),
        ]);
    }
    text(&shown)
}
