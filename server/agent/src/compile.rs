//! Build threads: a thread leases batches to build from the service, and sends back their
//! kernels.

use std::time::Instant;

use server_client::ClientError;
use server_fleet::wire::{BuildLease, BuiltKernels, LeaseReference};
use tracing::{debug, warn};
use tuner::{Builder, Pack, Toolchain};

use crate::heartbeat::HeldLeases;
use crate::retry::{IdleBackoff, RetryingClient};

/// A build lease until it is dropped. The drop gives back a lease without kernels, also if the
/// thread dies.
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
            debug!(%error, "a build lease could not be given back");
        }
    }
}

/// Builds until the agent stops. Returns the number of batches that it built.
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
        // The lease came during the stop.
        if way.stop.is_set() {
            break;
        }
        let built = BuiltKernels {
            kernels: kernels(builder, &toolchain, &build),
            token: build.token,
            batch: build.batch,
        };
        if way.retry(|service| service.hand_in(&built))?.is_some() {
            // The service has the kernels: the drop must not give the lease back.
            open.hold = None;
            batches += u64::from(built.kernels.is_some());
        }
    }
    Ok(batches)
}

/// Returns the kernels of a batch as text. If the build fails, returns none, and the agent with
/// the device builds the batch and reports the reason.
fn kernels(builder: &dyn Builder, toolchain: &Toolchain, build: &BuildLease) -> Option<String> {
    let number = build.batch.id.number;
    if build.toolchain != *toolchain {
        warn!(
            batch = number,
            "the service requests kernels of another toolchain"
        );
        return None;
    }
    match Pack::build(builder, build.target, &build.batch) {
        Ok(pack) => {
            let written = pack.to_text();
            let bytes = written.len();
            debug!(batch = number, bytes, "batch built");
            // The service refuses a larger pack, so none is sent.
            (bytes <= Pack::BYTES).then_some(written)
        }
        Err(error) => {
            debug!(batch = number, ?error, "a batch could not be built");
            None
        }
    }
}
