//! Tasks as the columns `kind` and `number`.

use store::Task;

/// Returns the columns of a task.
pub fn columns(task: Task) -> (&'static str, i64) {
    match task {
        Task::Trial(ordinal) => ("trial", i64::from(ordinal)),
        Task::Finals(trials) => ("finals", i64::from(trials)),
    }
}

/// Returns whether a task is among these columns.
pub fn is_among(task: Task, mut rows: impl Iterator<Item = (impl AsRef<str>, i64)>) -> bool {
    let (kind, number) = columns(task);
    rows.any(|row| row.0.as_ref() == kind && row.1 == number)
}
