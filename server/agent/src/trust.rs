//! Trust: the kernels of other machines that an agent runs.
//!
//! The agent runs kernels that the service has signed for the lease at hand and for this agent's
//! toolchain and instruction set. Their launch parameters must also be those that its own builder
//! could produce. It builds all other batches itself. The key comes from the service over the
//! connection of the leases: with TLS, it is as trustworthy as the certificate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use server_client::ClientError;
use server_fleet::{PublicKey, Purpose, SignedKernels};
use tracing::{debug, warn};
use tuner::{Batch, BatchKernels, Builder, Offer, Pack, Toolchain};

/// The service's key, and the verification of kernels with it.
#[derive(Default)]
pub(crate) struct Trust {
    key: Mutex<Option<PublicKey>>,
    has_warned: AtomicBool,
}

impl Trust {
    /// Returns the verified kernels of a lease, or none. `ask` requests the service's key.
    pub(crate) fn built(
        &self,
        ask: impl FnOnce() -> Result<PublicKey, ClientError>,
        offer: &Offer,
        builder: &dyn Builder,
        batch: &Batch,
        kernels: &SignedKernels,
    ) -> Option<BatchKernels> {
        let key = match self.key(ask) {
            Ok(key) => key,
            Err(error) => {
                debug!(%error, "the service's key could not be fetched");
                return None;
            }
        };
        let made = &offer.provenance;
        let purpose = Purpose {
            batch,
            toolchain: &Toolchain::from(made),
            target: made.target,
        };
        let content = match kernels.verified(&key, purpose) {
            Ok(content) => content,
            Err(error) => {
                // A service may have another key after a restart.
                self.set(None);
                self.warn(&error.to_string());
                return None;
            }
        };
        let pack = match Pack::read(content) {
            Ok(pack) => pack,
            Err(error) => {
                self.warn(&error.to_string());
                return None;
            }
        };
        // The signature proves the origin alone. Launch parameters that no configuration of the
        // batch has could harm the device.
        let built = pack.into_kernels(builder, made.target, batch);
        if built.is_none() {
            self.warn("the launch parameters of another machine's kernels do not fit this lease");
        }
        built
    }

    fn key(
        &self,
        ask: impl FnOnce() -> Result<PublicKey, ClientError>,
    ) -> Result<PublicKey, ClientError> {
        // The lock is free again before the request: other devices must not wait for the network.
        let known = self
            .key
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(key) = known {
            return Ok(key);
        }
        let key = ask()?;
        self.set(Some(key.clone()));
        Ok(key)
    }

    fn set(&self, key: Option<PublicKey>) {
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }

    /// Warns once that the agent refuses kernels; later refusals are logged for debugging.
    fn warn(&self, reason: &str) {
        if self.has_warned.swap(true, Ordering::Relaxed) {
            debug!(reason, "another machine's kernels are refused");
        } else {
            warn!(
                reason,
                "another machine's kernels are refused, and built here; this is logged once"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use server_fleet::Keys;

    use super::*;
    use crate::tests::{Idle, batch, offer};

    const PACK: &str = r#"{"compile_ms":1.0,"code_objects":[],"kernels":[]}"#;

    fn keys(secret: u8) -> Keys {
        Keys::from_secret(&[secret; 32])
    }

    /// Signs content as a service with this secret.
    fn signed(secret: u8, version: &'static str, number: u64, content: &str) -> SignedKernels {
        let made = offer(version).provenance;
        let purpose = Purpose {
            batch: &batch(number),
            toolchain: &Toolchain::from(&made),
            target: made.target,
        };
        keys(secret).sign(purpose, content.to_owned())
    }

    /// Returns true if an agent of version 1 runs this for batch 3 of a service with the secret
    /// 7.
    fn runs(trust: &Trust, kernels: &SignedKernels) -> bool {
        let ask = || Ok(keys(7).public());
        let built = trust.built(ask, &offer("1"), &Idle("1"), &batch(3), kernels);
        built.is_some_and(|built| built.elsewhere && built.kernels.is_empty())
    }

    #[test]
    fn unsigned_kernels_are_built_locally() {
        let trust = Trust::default();
        let good = signed(7, "1", 3, PACK);
        assert!(runs(&trust, &good));
        assert!(!trust.has_warned.load(Ordering::Relaxed));
        assert!(!runs(&trust, &signed(7, "1", 4, PACK)), "another lease");
        assert!(trust.has_warned.load(Ordering::Relaxed));
        assert!(!runs(&trust, &signed(7, "2", 3, PACK)), "another compiler");
        assert!(!runs(&trust, &signed(8, "1", 3, PACK)), "another key");
        assert!(!runs(&trust, &signed(7, "1", 3, "garbage")), "no pack");
        let text = serde_json::to_string(&good).unwrap();
        let other = text.replace("1.0", "2.0");
        assert_ne!(other, text);
        let other = serde_json::from_str(&other).unwrap();
        assert!(!runs(&trust, &other), "other content");
        // Valid kernels still pass after all failures.
        assert!(runs(&trust, &good));
    }

    /// A service may have another key after a restart: a failed signature makes the agent ask for
    /// it.
    #[test]
    fn a_key_is_asked_for_again() {
        let trust = Trust::default();
        let taken = |service: u8, kernels: &SignedKernels| {
            let ask = || Ok(keys(service).public());
            let built = trust.built(ask, &offer("1"), &Idle("1"), &batch(3), kernels);
            built.is_some()
        };
        assert!(taken(7, &signed(7, "1", 3, PACK)));
        // The key is known, so there is no request.
        assert!(!taken(8, &signed(8, "1", 3, PACK)));
        assert!(taken(8, &signed(8, "1", 3, PACK)));
        assert!(!taken(8, &signed(7, "1", 3, PACK)));
    }

    #[test]
    fn without_a_key_nothing_is_run() {
        let trust = Trust::default();
        let ask = || {
            Err(ClientError::Lost {
                server: String::new(),
                reason: String::new(),
            })
        };
        let good = signed(7, "1", 3, PACK);
        let built = trust.built(ask, &offer("1"), &Idle("1"), &batch(3), &good);
        assert!(built.is_none());
        assert!(runs(&trust, &good));
    }
}
