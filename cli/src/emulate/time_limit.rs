//! How long a launch may take, and how far it is: a bar on a terminal.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use emulator::LaunchProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two looks at the launch.
const TICK: Duration = Duration::from_millis(100);

/// Does the work, a launch of so many workgroups that tells `progress`; a launch that takes longer than `limit` is ended.
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
        drop(done);
        result
    })
}

/// On a terminal a bar, in a pipe nothing.
fn bar(workgroups: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("workgroups {bar:30} {pos}/{len} {elapsed}")
        .expect("the template is valid");
    ProgressBar::with_draw_target(Some(workgroups), ProgressDrawTarget::stderr()).with_style(style)
}
