//! Ctrl-C and SIGTERM during a run: the first one asks it to stop, the second one ends the program.

use std::io;
use std::process::Child;
use std::thread;

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// The signal that asked for an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, which a terminal sends on Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl Signal {
    /// What shells call a program that this signal ended: 128 and the signal's number.
    fn code(self) -> i32 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }

    /// Sends it to a process that has not been waited for.
    pub(crate) fn pass_on(self, child: &Child) {
        let signal = match self {
            Signal::Interrupt => libc::SIGINT,
            Signal::Terminate => libc::SIGTERM,
        };
        // SAFETY: the function has no conditions; that the number is still the child's is the caller's word.
        unsafe { libc::kill(child.id().cast_signed(), signal) };
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        }
    }
}

/// Catches both signals from now on. The first is received; at the second the program ends, whatever it does then.
///
/// They are waited for on a thread of their own, because the thread of a run does more than wait.
pub(crate) fn listen() -> io::Result<mpsc::Receiver<Signal>> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _entered = runtime.enter();
        (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        )
    };
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

/// Ends the program at once. What runs when a program ends in order would take libLLVM from the workers that are in it.
pub(crate) fn end(signal: Signal) -> ! {
    // SAFETY: the function has no conditions.
    unsafe { libc::_exit(signal.code()) }
}
