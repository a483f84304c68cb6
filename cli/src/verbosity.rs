//! `--quiet` and `--verbose`: the output on standard error beside errors.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use tracing::level_filters::LevelFilter;

/// True after `--quiet`. A static, because notes arise in all commands and on all threads.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// The options of every command that concern standard error.
#[derive(Args)]
pub(crate) struct VerbosityArguments {
    /// Suppress progress and notes.
    ///
    /// Errors, warnings and the reason for a missing answer still go to standard error.
    #[arg(
        long,
        short,
        global = true,
        conflicts_with = "verbose",
        display_order = 990
    )]
    quiet: bool,
    /// Log debug events to standard error.
    ///
    /// WAVETUNE_LOG selects the events more precisely and takes precedence.
    #[arg(long, short, global = true, display_order = 991)]
    verbose: bool,
}

impl VerbosityArguments {
    /// Stores `--quiet` for [`note`]. Returns the level of the log, `unasked` without an option.
    pub(crate) fn apply(&self, unasked: LevelFilter) -> LevelFilter {
        IS_QUIET.store(self.quiet, Ordering::Relaxed);
        match self.verbose {
            true => LevelFilter::DEBUG,
            false => unasked,
        }
    }

    /// Returns whether the user asked for the log.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }
}

/// Returns whether the user asked for no progress and no notes.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a line to standard error, unless `--quiet` is given.
macro_rules! note {
    ($($text:tt)*) => {
        if !$crate::verbosity::is_quiet() {
            eprintln!($($text)*);
        }
    };
}
pub(crate) use note;
