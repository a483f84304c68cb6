//! Ctrl-C and SIGTERM during a run: the first one asks it to stop, the second one ends the
//! program.

use std::io;
use std::process::Child;
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// The signal that asked the program to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, which a terminal sends on Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// Returns the exit code by the shells' convention: 128 plus the signal's number.
    fn code(self) -> i32 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }

    /// Sends the signal to a child that has not been waited for.
    pub(crate) fn pass_on(self, child: &Child) {
        let signal = match self {
            Signal::Interrupt => libc::SIGINT,
            Signal::Terminate => libc::SIGTERM,
        };
        // SAFETY: the function has no conditions. The caller has not waited for the child, so the
        // number is still the child's.
        unsafe { libc::kill(child.id().cast_signed(), signal) };
    }

    /// Returns the signal's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        }
    }
}

/// Catches both signals. The receiver gets the first; the second ends the program at once.
///
/// A thread of its own waits for them, because a run's thread is also busy with other work.
pub(crate) fn listen() -> io::Result<mpsc::Receiver<Signal>> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        // tokio registers a handler in the current runtime.
        let _entered = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
    // Room for the first signal, since the run may not be receiving at that moment.
    let (first, received) = mpsc::channel(1);
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::Terminate,
        }
    };
    let wait = async move {
        first.send(next().await).await.ok();
        end(next().await);
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(wait))?;
    Ok(received)
}

/// Ends the program at once, without exit handlers. Those would unload libLLVM while worker
/// threads still use it.
pub(crate) fn end(signal: Signal) -> ! {
    // SAFETY: the function has no conditions.
    unsafe { libc::_exit(signal.code()) }
}
