//! What is seen of a run while it lasts, on standard error: on a terminal a bar, elsewhere a line every so often.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use configgen::Problem;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::mpsc;
use tuner::Progress;

use super::pace::{Pace, left};
use super::stop::Signal;

/// Time between two looks at the clock on a terminal, where the bar says how long it has been.
const TICK: Duration = Duration::from_secs(1);

/// Time between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(30);

/// How far a run is, and who shows it.
pub(super) struct Overview {
    began: Instant,
    /// The bar of the problem under way; hidden where there is no terminal.
    bar: RefCell<ProgressBar>,
    problem: RefCell<String>,
    now: Cell<Option<Progress>>,
    pace: Cell<Pace>,
}

impl Overview {
    /// Of a run that has so many problems and begins now.
    pub(super) fn new(problems: usize) -> Self {
        Overview {
            began: Instant::now(),
            bar: RefCell::new(ProgressBar::hidden()),
            problem: RefCell::new(String::new()),
            now: Cell::new(None),
            pace: Cell::new(Pace {
                problems,
                ..Pace::default()
            }),
        }
    }

    /// The next problem is under way.
    pub(super) fn begin(&self, problem: &Problem) {
        let pace = self.pace.get();
        let begun = pace.begun + 1;
        self.pace.set(Pace { begun, ..pace });
        self.now.set(None);
        *self.problem.borrow_mut() = match pace.problems {
            1 => problem.to_string(),
            problems => format!("[{begun}/{problems}] {problem}"),
        };
        let style =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {elapsed}\n  {wide_msg}")
                .expect("the template is valid");
        *self.bar.borrow_mut() =
            ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr())
                .with_style(style)
                .with_prefix(self.problem.borrow().clone());
    }

    /// A trial of the problem under way has ended, or its study has begun.
    pub(super) fn show(&self, now: &Progress) {
        let mut pace = self.pace.get();
        match self.now.replace(Some(*now)) {
            // What is there when a study begins was made earlier.
            None => {
                pace.trials += now.total;
                pace.ended += now.done;
                pace.resumed += now.done;
            }
            Some(before) => pace.ended += now.done - before.done,
        }
        self.pace.set(pace);
        let bar = self.bar.borrow();
        bar.set_length(now.total);
        bar.set_position(now.done);
        self.tick_bar(&bar);
    }

    /// Some time has passed.
    fn tick(&self) {
        let bar = self.bar.borrow();
        match bar.is_hidden() {
            true => eprintln!("{}", self.line()),
            false => self.tick_bar(&bar),
        }
    }

    fn tick_bar(&self, bar: &ProgressBar) {
        let said = [self.found(), self.left()];
        let said: Vec<String> = said.into_iter().flatten().collect();
        bar.set_message(said.join("; "));
        bar.tick();
    }

    /// The problem under way is under way no more. Of several, one that has ended is told where there is no terminal.
    pub(super) fn end(&self, has_ended: bool) {
        let bar = self.bar.borrow();
        if has_ended && bar.is_hidden() && self.pace.get().problems > 1 {
            eprintln!("{}", self.line());
        }
        bar.finish_and_clear();
    }

    /// All that a bar would show.
    fn line(&self) -> String {
        let left = self.left().map(|left| format!("; {left}"));
        format!("{}{}", self.standing(), left.unwrap_or_default())
    }

    /// The problem under way, its trials and what they found.
    fn standing(&self) -> String {
        let trials = match self.now.get() {
            Some(now) => format!("{} of {} trials", now.done, now.total),
            None => "no trial yet".to_owned(),
        };
        let found = self.found().map(|found| format!(", {found}"));
        let problem = self.problem.borrow();
        format!("{problem}: {trials}{}", found.unwrap_or_default())
    }

    /// The best of the problem under way, and its default.
    fn found(&self) -> Option<String> {
        let now = self.now.get()?;
        let best = now.best_us.map(|us| format!("best {us:.2} µs"));
        let default = now.default_us.map(|us| format!("default {us:.2} µs"));
        let finals = now.finals.then(|| "finals are held".to_owned());
        let said: Vec<String> = [best, default, finals].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// What remains of the run; none where nothing can be said, or where it is done.
    fn left(&self) -> Option<String> {
        let remaining = self.pace.get().remaining(self.began.elapsed())?;
        (!remaining.is_zero()).then(|| left(remaining, SystemTime::now()))
    }

    /// What there is when a signal has ended the run, and what goes on with it.
    pub(super) fn stopped(&self, signal: Signal, kept_in: &str, command: &str) -> String {
        let (signal, standing) = (signal.name(), self.standing());
        format!("stopped by {signal}; {standing}\nkept in {kept_in}; to go on: {command}\n")
    }

    /// Does `work` to its end, and shows at times how far it is; the signal that came before, if one did.
    pub(super) async fn watch<T>(
        &self,
        work: impl Future<Output = T>,
        stop: &mut mpsc::Receiver<Signal>,
    ) -> Result<T, Signal> {
        let every = match self.bar.borrow().is_hidden() {
            true => LINE,
            false => TICK,
        };
        watched(work, stop, every, || self.tick()).await
    }
}

/// [`Overview::watch`], with what is done so often.
async fn watched<T>(
    work: impl Future<Output = T>,
    stop: &mut mpsc::Receiver<Signal>,
    every: Duration,
    mut tick: impl FnMut(),
) -> Result<T, Signal> {
    let mut work = pin!(work);
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    // The first is at once.
    ticks.tick().await;
    loop {
        tokio::select! {
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
        let overview = Overview::new(3);
        #[track_caller]
        fn check(
            overview: &Overview,
            shown: Option<(u64, Option<f64>, bool)>,
            expected: &str,
            ends: bool,
        ) {
            if let Some((done, best_us, finals)) = shown {
                overview.show(&Progress {
                    done,
                    total: 4,
                    default_us: best_us.map(|us| 2.0 * us),
                    best_us,
                    finals,
                });
            }
            let line = overview.line();
            match ends {
                true => assert_eq!(line, expected),
                false => assert!(line.starts_with(expected), "{line}"),
            }
        }
        overview.begin(&"argmax:[8]xf32".parse().unwrap());
        let problem = "[1/3] argmax:[8]xf32:i32: ";
        check(&overview, None, &format!("{problem}no trial yet"), true);
        // Trials of an earlier run say nothing of the time that one takes.
        check(
            &overview,
            Some((2, None, false)),
            &format!("{problem}2 of 4 trials"),
            true,
        );
        let found = format!("{problem}3 of 4 trials, best 7.00 µs, default 14.00 µs");
        check(
            &overview,
            Some((3, Some(7.0), false)),
            &format!("{found}; about "),
            false,
        );
        overview.begin(&"argmin:[8]xf32".parse().unwrap());
        check(
            &overview,
            None,
            "[2/3] argmin:[8]xf32:i32: no trial yet; about ",
            false,
        );
        overview.begin(&"argmin:[9]xf32".parse().unwrap());
        let last = "[3/3] argmin:[9]xf32:i32: 4 of 4 trials, best 1.00 µs, default 2.00 µs, finals are held";
        overview.pace.set(Pace {
            trials: 0,
            ended: 0,
            resumed: 0,
            ..overview.pace.get()
        });
        check(
            &overview,
            Some((0, None, false)),
            "[3/3] argmin:[9]xf32:i32: 0 of 4 trials",
            true,
        );
        check(&overview, Some((4, Some(1.0), true)), last, true);
        assert_eq!(
            overview.stopped(Signal::Interrupt, "a.db", "wavetune tune"),
            format!("stopped by SIGINT; {last}\nkept in a.db; to go on: wavetune tune\n")
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
