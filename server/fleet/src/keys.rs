//! Keys: they seal the leases of a service, and sign the kernels that it passes on to agents.
//!
//! A build agent sends its kernels to a service, which signs them for one batch, one toolchain
//! and one target. An agent runs kernels with that signature, and otherwise only kernels that it
//! built itself. So a corrupt or forged item in the queue never becomes code that an agent runs.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use configgen::Target;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use server_dispatch::SealingKey;
use tuner::{Batch, Toolchain};

/// The context of the derived key: other uses of the secret have keys of their own.
const CONTEXT: &str = "fleet 2026-11 signature of kernels";

/// The keys of a service. Replicas that share a secret have the same.
pub struct Keys {
    /// Seals leases.
    pub(crate) leases: SealingKey,
    /// Signs kernels.
    kernels: Ed25519KeyPair,
}

impl Keys {
    /// Derives the keys from a secret. It must have at least 32 random bytes, or an attacker can
    /// guess it.
    pub fn from_secret(secret: &[u8]) -> Keys {
        let seed = blake3::derive_key(CONTEXT, secret);
        let kernels = Ed25519KeyPair::from_seed_unchecked(&seed);
        Keys {
            leases: SealingKey::from_secret(secret),
            kernels: kernels.expect("a seed has 32 bytes"),
        }
    }

    /// Signs kernels for a purpose.
    pub fn sign(&self, purpose: Purpose<'_>, content: String) -> SignedKernels {
        let signature = self.kernels.sign(purpose.statement(&content).as_bytes());
        SignedKernels {
            signature: STANDARD.encode(signature),
            content,
        }
    }

    /// Returns the key that verifies the signatures.
    pub fn public(&self) -> PublicKey {
        PublicKey {
            ed25519: STANDARD.encode(self.kernels.public_key()),
        }
    }
}

impl fmt::Debug for Keys {
    // No field is printed: a log must not contain key material.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys")
    }
}

/// The purpose of kernels.
#[derive(Clone, Copy)]
pub struct Purpose<'a> {
    /// The batch, with its ID in the service.
    pub batch: &'a Batch,
    /// The toolchain that builds them.
    pub toolchain: &'a Toolchain,
    /// Their instruction set.
    pub target: &'a Target,
}

impl Purpose<'_> {
    /// Returns the signed text: hashes of the purpose and of the kernels.
    fn statement(&self, content: &str) -> String {
        let toolchain = serde_json::to_string(self.toolchain).expect("its keys are text");
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex();
        // The number is the version of the text; hashes of fixed length leave no doubt about the
        // ends of fields.
        format!(
            "kernels 1\n{}\n{}\n{}\n{}\n",
            digest(self.batch),
            hash(&toolchain),
            hash(self.target.name),
            hash(content)
        )
    }
}

/// Returns the digest that tells one batch from another.
pub(crate) fn digest(batch: &Batch) -> String {
    let text = serde_json::to_vec(batch).expect("its keys are text");
    blake3::hash(&text).to_hex().to_string()
}

/// The key that verifies the signatures of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicKey {
    /// The Ed25519 key (RFC 8032), in base64.
    ed25519: String,
}

/// Kernels with a service's signature: the holder of a lease for this purpose sent them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedKernels {
    /// The kernels: a [`tuner::Pack`] as text.
    content: String,
    /// The Ed25519 signature, in base64.
    signature: String,
}

/// The service did not sign the kernels for this purpose, or they changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the service's signature of another machine's kernels is not valid for this lease")]
pub struct InvalidSignature;

impl SignedKernels {
    /// Returns the kernels, if the service with this key signed them for this purpose.
    ///
    /// # Errors
    ///
    /// [`InvalidSignature`].
    pub fn verified(
        &self,
        key: &PublicKey,
        purpose: Purpose<'_>,
    ) -> Result<&str, InvalidSignature> {
        let key = STANDARD
            .decode(&key.ed25519)
            .map_err(|_| InvalidSignature)?;
        let signature = STANDARD
            .decode(&self.signature)
            .map_err(|_| InvalidSignature)?;
        let key = UnparsedPublicKey::new(&ED25519, key);
        let statement = purpose.statement(&self.content);
        match key.verify(statement.as_bytes(), &signature) {
            Ok(()) => Ok(&self.content),
            Err(_) => Err(InvalidSignature),
        }
    }
}

#[cfg(test)]
mod tests {
    use configgen::{Generator, default_configuration};
    use tuner::{BatchContent, BatchId, Choice, StudySetup};

    use super::*;

    fn target(name: &str) -> &'static Target {
        Target::named(name).unwrap()
    }

    fn batch() -> Batch {
        let problem = "argmax:4x[1000]xf32".parse().unwrap();
        let generator = Generator::NATIVE;
        let default = default_configuration(&problem, target("gfx942"), generator).unwrap();
        Batch {
            id: BatchId {
                owner: "a replica".to_owned(),
                study: 7,
                number: 3,
            },
            job: StudySetup {
                problem,
                generator: generator.name().to_owned(),
                input_seed: 0,
                default: Choice::Default(default),
            },
            work: BatchContent::Try(Vec::new()),
        }
    }

    fn toolchain() -> Toolchain {
        Toolchain {
            compiler: "LLVM".to_owned(),
            compiler_version: "22.1.8".to_owned(),
            linker: "LLD 22.1.8".to_owned(),
            generator: Generator::NATIVE,
            generator_version: "1".to_owned(),
            compile_limit_s: 0,
        }
    }

    fn key() -> Keys {
        Keys::from_secret(&[7; 32])
    }

    fn signed() -> SignedKernels {
        let (batch, toolchain) = (batch(), toolchain());
        let purpose = Purpose {
            batch: &batch,
            toolchain: &toolchain,
            target: target("gfx942"),
        };
        key().sign(purpose, "kernels".to_owned())
    }

    /// Checks if an agent accepts the kernels after a change.
    #[track_caller]
    fn check(
        change: impl FnOnce(&mut SignedKernels, &mut Batch, &mut Toolchain, &mut &'static Target),
        expected: bool,
    ) {
        let (mut signed, mut batch, mut toolchain) = (signed(), batch(), toolchain());
        let mut target = target("gfx942");
        change(&mut signed, &mut batch, &mut toolchain, &mut target);
        let purpose = Purpose {
            batch: &batch,
            toolchain: &toolchain,
            target,
        };
        let verified = signed.verified(&key().public(), purpose);
        assert_eq!(verified.is_ok(), expected, "{signed:?}");
    }

    #[test]
    fn a_signature_is_valid_for_its_lease_alone() {
        check(|_, _, _, _| {}, true);
        check(|_, batch, _, _| batch.id.number = 4, false);
        check(|_, batch, _, _| batch.id.study = 8, false);
        check(|_, batch, _, _| batch.id.owner.push('x'), false);
        check(|_, batch, _, _| batch.job.input_seed = 1, false);
        check(|_, _, by, _| by.compiler.push('x'), false);
        check(|_, _, by, _| by.compiler_version.push('x'), false);
        check(|_, _, by, _| by.linker.push('x'), false);
        check(|_, _, by, _| by.generator = Generator::IREE, false);
        check(|_, _, by, _| by.generator_version.push('x'), false);
        check(|_, _, by, _| by.compile_limit_s = 1, false);
        check(|_, _, _, of| *of = target("gfx950"), false);
        check(|it, _, _, _| it.content.push(' '), false);
        check(|it, _, _, _| it.content.clear(), false);
        check(|it, _, _, _| it.signature.clear(), false);
        check(|it, _, _, _| it.signature = "no base64!".to_owned(), false);
        check(|it, _, _, _| it.signature = "A".repeat(1 << 20), false);
        let other = Keys::from_secret(&[8; 32]);
        let (batch, toolchain) = (batch(), toolchain());
        let purpose = Purpose {
            batch: &batch,
            toolchain: &toolchain,
            target: target("gfx942"),
        };
        let theirs = other.sign(purpose, "kernels".to_owned());
        check(|it, _, _, _| *it = theirs, false);
    }

    #[test]
    fn every_flipped_bit_of_a_signature_is_noticed() {
        let good = STANDARD.decode(signed().signature).unwrap();
        assert_eq!(good.len(), 64);
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            check(|it, _, _, _| it.signature = STANDARD.encode(bad), false);
        }
    }

    /// Replicas with the same secret accept each other's signatures, and no others.
    #[test]
    fn a_key_follows_from_the_secret() {
        assert_eq!(key().public(), Keys::from_secret(&[7; 32]).public());
        assert_ne!(key().public(), Keys::from_secret(&[8; 32]).public());
        assert_eq!(format!("{:?}", Keys::from_secret(&[7; 32])), "Keys");
    }

    #[test]
    fn invalid_keys_verify_nothing() {
        for text in ["", "no base64!", "AAAA"] {
            let key = PublicKey {
                ed25519: text.to_owned(),
            };
            let (batch, toolchain) = (batch(), toolchain());
            let purpose = Purpose {
                batch: &batch,
                toolchain: &toolchain,
                target: target("gfx942"),
            };
            assert_eq!(signed().verified(&key, purpose), Err(InvalidSignature));
        }
    }
}
