//! Progress of a run on standard error: a bar on a terminal, elsewhere a line every 30 s.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use configgen::Problem;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc;
use tuner::TuneProgress;

use super::remaining_time::{Pace, remaining_text};
use super::signals::Signal;
use crate::local_time::Zone;
use crate::log;
use crate::verbosity::{is_quiet, note};

/// Time between two updates of the bar, which shows the elapsed time.
const TICK: Duration = Duration::from_secs(1);

/// Time between two lines if standard error is no terminal.
const LINE: Duration = Duration::from_secs(30);

/// A problem with trials that have begun and not ended.
struct ActiveProblem {
    problem: String,
    now: Option<TuneProgress>,
}

/// The progress of a run. The bar shows the active problem that began first.
pub(super) struct ProgressDisplay {
    began: Instant,
    /// Hidden if standard error is no terminal, and with `--quiet`.
    bar: ProgressBar,
    /// The active problems, by their positions in the list.
    under_way: RefCell<BTreeMap<usize, ActiveProblem>>,
    pace: Cell<Pace>,
}

impl ProgressDisplay {
    /// Creates the display of a run with this number of problems, and starts its clock.
    pub(super) fn new(problems: usize) -> Self {
        let style =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {elapsed}\n  {wide_msg}")
                .expect("the template is valid");
        let target = match is_quiet() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        log::set_progress_bar(&bar);
        ProgressDisplay {
            began: Instant::now(),
            bar,
            under_way: RefCell::default(),
            pace: Cell::new(Pace {
                problems,
                ..Pace::default()
            }),
        }
    }

    /// Marks the problem at position `place` of the list, counted from 0, as active.
    pub(super) fn begin(&self, place: usize, problem: &Problem) {
        let pace = self.pace.get();
        let begun = pace.begun + 1;
        self.pace.set(Pace { begun, ..pace });
        let problem = match pace.problems {
            1 => problem.to_string(),
            problems => format!("[{}/{problems}] {problem}", place + 1),
        };
        let under_way = ActiveProblem { problem, now: None };
        self.under_way.borrow_mut().insert(place, under_way);
        self.tick_bar();
    }

    /// Updates the counts of an active problem.
    pub(super) fn show(&self, place: usize, now: &TuneProgress) {
        if let Some(under_way) = self.under_way.borrow_mut().get_mut(&place) {
            let mut pace = self.pace.get();
            let before = under_way.now.replace(*now);
            // The first report counts from zero.
            let before = before.unwrap_or(TuneProgress {
                done: 0,
                others: 0,
                total: 0,
                ..*now
            });
            pace.trials += now.total - before.total;
            pace.ended += now.done - before.done;
            pace.others += now.others - before.others;
            self.pace.set(pace);
        }
        self.tick_bar();
    }

    /// Prints a line or redraws the bar.
    fn tick(&self) {
        match self.bar.is_hidden() {
            true => note!("{}", self.line(None)),
            false => self.tick_bar(),
        }
    }

    fn tick_bar(&self) {
        let all = self.under_way.borrow();
        let Some((_, first)) = all.first_key_value() else {
            return;
        };
        if self.bar.prefix() != first.problem {
            self.bar.set_prefix(first.problem.clone());
            // `{elapsed}` is the time of the shown problem, not of the run.
            self.bar.reset_elapsed();
        }
        self.bar.set_length(first.now.map_or(0, |now| now.total));
        self.bar.set_position(first.now.map_or(0, |now| now.done));
        let said = [first.found(), more(all.len()), self.left()];
        let said: Vec<String> = said.into_iter().flatten().collect();
        self.bar.set_message(said.join("; "));
        self.bar.tick();
    }

    /// Ends an active problem. Without a terminal, prints its line if the run has several.
    pub(super) fn end(&self, place: usize) {
        // The answer of a single problem follows at once.
        if self.bar.is_hidden() && self.pace.get().problems > 1 {
            note!("{}", self.line(Some(place)));
        }
        self.under_way.borrow_mut().remove(&place);
    }

    /// Runs `print` while the bar is suspended.
    pub(super) fn suspend_bar<T>(&self, print: impl FnOnce() -> T) -> T {
        log::suspend_bar(&self.bar, print)
    }

    /// Removes the bar at the end of the run.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Formats the status of a problem, or of the first active one, with the remaining time.
    fn line(&self, place: Option<usize>) -> String {
        let left = self.left().map(|left| format!("; {left}"));
        format!("{}{}", self.status_text(place), left.unwrap_or_default())
    }

    /// Formats an active problem: its name, its trials and its best time.
    fn status_text(&self, place: Option<usize>) -> String {
        let all = self.under_way.borrow();
        let one = place.map_or_else(|| all.values().next(), |place| all.get(&place));
        let Some(one) = one else {
            return "no problem is running".to_owned();
        };
        let trials = match one.now {
            Some(now) => format!("{} of {} trials", now.done, now.total),
            None => "no trial yet".to_owned(),
        };
        let found = one.found().map(|found| format!(", {found}"));
        let more = more(all.len()).filter(|_| place.is_none());
        let more = more.map(|more| format!("; {more}"));
        let problem = &one.problem;
        format!(
            "{problem}: {trials}{}{}",
            found.unwrap_or_default(),
            more.unwrap_or_default()
        )
    }

    /// Returns the remaining time of the run. Returns `None` if it is unknown or zero.
    fn left(&self) -> Option<String> {
        let remaining = self.pace.get().remaining(self.began.elapsed())?;
        (!remaining.is_zero())
            .then(|| remaining_text(remaining, SystemTime::now(), Zone::of(&std::io::stderr())))
    }

    /// Formats the message of an interrupted run: its status, its database and the command that
    /// continues it.
    pub(super) fn stopped(&self, signal: Signal, kept_in: &str, command: &str) -> String {
        let (signal, standing) = (signal.name(), self.status_text(None));
        format!("stopped by {signal}; {standing}\nkept in {kept_in}; to continue: {command}\n")
    }

    /// Runs `work` to its end with regular progress output. Returns the signal if one arrives
    /// first.
    pub(super) async fn watch<T>(
        &self,
        work: impl Future<Output = T>,
        stop: &mut mpsc::Receiver<Signal>,
    ) -> Result<T, Signal> {
        let every = match self.bar.is_hidden() {
            true => LINE,
            false => TICK,
        };
        watched(work, stop, every, || self.tick()).await
    }
}

impl ActiveProblem {
    /// Formats the best time so far, the default time and the final.
    fn found(&self) -> Option<String> {
        let now = self.now?;
        let best = now.best_us.map(|us| format!("best {us:.2} µs"));
        let default = now.default_us.map(|us| format!("default {us:.2} µs"));
        let finals = now.finals.then(|| "finals are running".to_owned());
        let said: Vec<String> = [best, default, finals].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}

/// Formats the number of active problems beside the shown one.
fn more(under_way: usize) -> Option<String> {
    (under_way > 1).then(|| format!("{} more running", under_way - 1))
}

/// Runs [`ProgressDisplay::watch`] with a given interval and output.
async fn watched<T>(
    work: impl Future<Output = T>,
    stop: &mut mpsc::Receiver<Signal>,
    every: Duration,
    mut tick: impl FnMut(),
) -> Result<T, Signal> {
    let mut work = pin!(work);
    let mut ticks = tokio::time::interval(every);
    // After a long pause one line, instead of all missed ones at once.
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // The first tick completes immediately.
    ticks.tick().await;
    loop {
        tokio::select! {
            // `biased` checks the signal first: work that is always ready must not hide it.
            biased;
            Some(signal) = stop.recv() => return Err(signal),
            done = &mut work => return Ok(done),
            _ = ticks.tick() => tick(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_a_run_is() {
        let overview = ProgressDisplay::new(3);
        #[track_caller]
        fn check(
            overview: &ProgressDisplay,
            place: usize,
            shown: [u64; 2],
            found: Found,
            said: &str,
        ) {
            let [done, others] = shown;
            if done > 0 {
                let (best_us, finals) = found;
                overview.show(
                    place,
                    &TuneProgress {
                        done,
                        others,
                        total: 4,
                        default_us: best_us.map(|us| 2.0 * us),
                        best_us,
                        finals,
                    },
                );
            }
            let line = overview.line(None);
            match said.ends_with("about ") {
                true => assert!(line.starts_with(said), "{line}"),
                false => assert_eq!(line, said),
            }
        }
        type Found = (Option<f64>, bool);
        const NOTHING: Found = (None, false);
        overview.begin(0, &"argmax:[8]xf32".parse().unwrap());
        let first = "[1/3] argmax:[8]xf32:i32: ";
        check(
            &overview,
            0,
            [0, 0],
            NOTHING,
            &format!("{first}no trial yet"),
        );
        // Trials of an earlier run or of another process say nothing of the time that one takes.
        let said = format!("{first}2 of 4 trials");
        check(&overview, 0, [2, 2], NOTHING, &said);
        let said = format!("{first}3 of 4 trials, best 7.00 µs, default 14.00 µs");
        let going = format!("{said}; about ");
        check(&overview, 0, [3, 2], (Some(7.0), false), &going);
        // Another one begins before the first has ended.
        overview.begin(1, &"argmin:[8]xf32".parse().unwrap());
        let going = format!("{said}; 1 more running; about ");
        check(&overview, 0, [0, 0], NOTHING, &going);
        overview.end(0);
        let going = "[2/3] argmin:[8]xf32:i32: no trial yet; about ";
        check(&overview, 1, [0, 0], NOTHING, going);
        overview.begin(2, &"argmin:[9]xf32".parse().unwrap());
        overview.end(1);
        overview.pace.set(Pace {
            trials: 0,
            ended: 0,
            others: 0,
            ..overview.pace.get()
        });
        let last = "[3/3] argmin:[9]xf32:i32: 4 of 4 trials, best 1.00 µs, default 2.00 µs, finals are running";
        check(&overview, 2, [4, 0], (Some(1.0), true), last);
        assert_eq!(
            overview.stopped(Signal::Interrupt, "a.db", "wavetune tune"),
            format!("stopped by SIGINT; {last}\nkept in a.db; to continue: wavetune tune\n")
        );
    }

    #[tokio::test]
    async fn a_run_is_shown_until_it_ends_or_a_signal_comes() {
        let (send, mut stop) = mpsc::channel(1);
        let every = Duration::from_millis(10);
        let ticks = Cell::new(0);
        let tick = || ticks.set(ticks.get() + 1);
        let enough = async {
            while ticks.get() < 3 {
                tokio::time::sleep(every).await;
            }
            "done"
        };
        assert_eq!(watched(enough, &mut stop, every, tick).await, Ok("done"));
        send.send(Signal::Terminate).await.unwrap();
        let never = std::future::pending::<()>();
        assert_eq!(
            watched(never, &mut stop, every, tick).await,
            Err(Signal::Terminate)
        );
        // Nobody can send any more.
        drop(send);
        let later = async { tokio::time::sleep(3 * every).await };
        assert_eq!(watched(later, &mut stop, every, tick).await, Ok(()));
    }
}
