//! The time limit and the progress bar of a launch.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use emulator::LaunchProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two checks of the launch.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work`, a launch of `workgroups` workgroups that reports to `progress`. Stops the launch
/// after `limit`.
pub(super) fn limit_launch<R>(
    limit: Option<Duration>,
    workgroups: u64,
    progress: &LaunchProgress,
    work: impl FnOnce() -> R,
) -> R {
    let (done, ended) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let begin = Instant::now();
            let bar = bar(workgroups);
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(progress.workgroups());
                if limit.is_some_and(|limit| begin.elapsed() >= limit) {
                    progress.stop();
                }
            }
            bar.finish_and_clear();
        });
        let result = work();
        // The dropped sender wakes the watching thread, so that the scope need not wait for a
        // tick.
        drop(done);
        result
    })
}

/// Creates the bar, hidden if standard error is no terminal.
fn bar(workgroups: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("workgroups {bar:30} {pos}/{len} {elapsed}")
        .expect("the template is valid");
    ProgressBar::with_draw_target(Some(workgroups), ProgressDrawTarget::stderr()).with_style(style)
}
