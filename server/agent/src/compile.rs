//! Compiling for others: a thread asks the service for batches to build, and hands in their kernels.

use std::time::Instant;

use client::ClientError;
use fleet::wire::{BuildLease, BuiltKernels, LeaseReference};
use tracing::{debug, warn};
use tuner::{Builder, Pack, Toolchain};

use crate::heartbeat::HeldLeases;
use crate::retry::{IdleBackoff, RetryingClient};

/// A lease that is held until it is dropped. What was not handed in then is given back: also where the thread dies.
struct OpenBuild<'a> {
    way: RetryingClient<'a>,
    held: &'a HeldLeases,
    number: usize,
    hold: Option<LeaseReference>,
}

impl Drop for OpenBuild<'_> {
    fn drop(&mut self) {
        self.held.end(self.number);
        if let Some(hold) = self.hold.take()
            && let Err(error) = self.way.service.give_back(&hold)
        {
            debug!(%error, "work could not be given back");
        }
    }
}

/// Builds until it is to stop; how many batches it has handed in.
pub(crate) fn compile(
    way: RetryingClient<'_>,
    held: &HeldLeases,
    builder: &dyn Builder,
    number: usize,
) -> Result<u64, ClientError> {
    let toolchain = Toolchain::of(builder);
    let (mut batches, mut idle) = (0, IdleBackoff::default());
    while !way.stop.is_set() {
        let asked = Instant::now();
        let Some(Some(build)) = way.retry(|service| service.build(&toolchain))? else {
            way.back_off(&mut idle, asked);
            continue;
        };
        idle.end();
        let hold = LeaseReference {
            token: build.token.clone(),
            batch: build.batch.id.clone(),
        };
        held.begin(number, hold.clone(), build.patience_s);
        let mut open = OpenBuild {
            way,
            held,
            number,
            hold: Some(hold),
        };
        // It came while this was being told to stop.
        if way.stop.is_set() {
            break;
        }
        let built = BuiltKernels {
            kernels: kernels(builder, &toolchain, &build),
            token: build.token,
            batch: build.batch,
        };
        if way.retry(|service| service.hand_in(&built))?.is_some() {
            open.hold = None;
            batches += u64::from(built.kernels.is_some());
        }
    }
    Ok(batches)
}

/// The kernels of a batch in writing; none where who has the device is to build it, and find out why it cannot be built.
fn kernels(builder: &dyn Builder, toolchain: &Toolchain, build: &BuildLease) -> Option<String> {
    let number = build.batch.id.number;
    if build.toolchain != *toolchain {
        warn!(
            batch = number,
            "the service asks for kernels of another toolchain"
        );
        return None;
    }
    match Pack::build(builder, build.target, &build.batch) {
        Ok(pack) => {
            let written = pack.to_text();
            let bytes = written.len();
            debug!(batch = number, bytes, "batch built");
            (bytes <= Pack::BYTES).then_some(written)
        }
        Err(error) => {
            debug!(batch = number, ?error, "a batch could not be built");
            None
        }
    }
}
