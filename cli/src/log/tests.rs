use std::fmt;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressDrawTarget, ProgressStyle, TermLike};

use super::*;

#[track_caller]
fn check(value: &str, expected: Result<Option<&str>, &str>) {
    let found = parse_filter(Some(value.into())).map_err(|error| error.to_string());
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            assert_eq!(found.map(|it| it.to_string()).as_deref(), expected);
        }
        (Err(found), Err(part)) => {
            assert!(found.contains(part), "{found}");
            assert!(found.contains("such as tuner=debug,server=info"), "{found}");
        }
        (found, expected) => panic!("{value}: {found:?}, and not {expected:?}"),
    }
}

#[test]
fn a_filter_is_read_or_refused() {
    assert!(parse_filter(None).unwrap().is_none());
    check("", Ok(None));
    check("info", Ok(Some("info")));
    check("tuner=debug", Ok(Some("tuner=debug")));
    check("tuner::pool=trace", Ok(Some("tuner::pool=trace")));
    check("tuner", Ok(Some("tuner=trace")));
    check("off", Ok(Some("off")));
    check("tuner=loud", Err("WAVETUNE_LOG=tuner=loud: "));
    check("tuner=", Err("one part is empty"));
    check("info,", Err("one part is empty"));
    check("info, tuner=debug", Err("\" tuner\" is neither a level"));
    check(
        "loud",
        Err("\"loud\" is neither a level nor a crate that logs"),
    );
    check(
        "info,emulator=debug",
        Err("\"emulator\" is neither a level"),
    );
    check("tuner[study]=debug", Err("such as"));
}

/// The events of a terminal, in order.
#[derive(Clone)]
struct Terminal(mpsc::Sender<String>);

impl Terminal {
    fn told(&self, what: impl Into<String>) -> io::Result<()> {
        self.0.send(what.into()).map_err(io::Error::other)
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a terminal")
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        80
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.told(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.told(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.told("clear")
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Checks that a line does not wait forever if it is logged while the bar is suspended.
#[test]
fn a_line_is_written_while_nothing_of_the_bar_is_to_be_seen() {
    let (told, tells) = mpsc::channel();
    let terminal = Terminal(told);
    let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
    let style = ProgressStyle::with_template("the bar").unwrap();
    let bar = ProgressBar::with_draw_target(Some(1), target).with_style(style);
    let logging = thread::spawn(move || {
        bar.tick();
        suspend_bar(&bar, || {
            suspend_bar(&bar, || terminal.told("a line of the log")).unwrap();
            terminal.told("an answer").unwrap();
        });
    });
    let mut all = Vec::new();
    loop {
        match tells.recv_timeout(Duration::from_secs(20)) {
            Ok(one) => all.push(one.trim().to_owned()),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("it waits for itself: {all:?}"),
        }
    }
    logging.join().unwrap();
    all.retain(|one| !one.is_empty());
    let at = all
        .iter()
        .position(|one| one == "a line of the log")
        .unwrap();
    assert_eq!(all[at - 1], "clear", "{all:?}");
    assert_eq!(all[at + 1], "an answer", "{all:?}");
    assert!(all[..at].iter().any(|one| one == "the bar"), "{all:?}");
    assert!(all[at + 1..].iter().any(|one| one == "the bar"), "{all:?}");
}

/// Checks that the limit shows some of many events, and counts the others.
#[test]
fn a_limit_counts_hidden_lines() {
    let mut limit = EventRateLimit::new();
    let seen = (0..30).filter(|_| limit.event() == (None, true)).count();
    assert_eq!(seen, 10);
    let said = limit.end().unwrap();
    assert!(said.starts_with("20 more events in "), "{said}");
    assert_eq!(limit.end(), None);
}
