//! TLS: a certificate and its key from files, which are read again, so that a certificate can
//! change while the service runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tracing::{info, warn};

/// Pause between two checks for changed files.
const LOOK_PAUSE: Duration = Duration::from_secs(10);

/// An error of the TLS setup.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// The reason.
        reason: std::io::Error,
    },
    /// A file is not PEM.
    #[error("{file}: {reason}; the file must be PEM")]
    Pem {
        /// The file.
        file: String,
        /// The fault.
        reason: pem::Error,
    },
    /// The certificate and the key do not match, or are of an unknown kind.
    #[error("{certificate} with {key}: {reason}")]
    Unfit {
        /// The file of the certificate.
        certificate: String,
        /// The file of the key.
        key: String,
        /// The fault.
        reason: rustls::Error,
    },
}

/// The files of a certificate and of its key.
#[derive(Debug, Clone)]
struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

/// The TLS setup of a service.
pub struct Tls {
    files: CertificateFiles,
    read: RwLock<LoadedCertificate>,
}

/// The last valid content of the files, and its configuration.
struct LoadedCertificate {
    texts: [Vec<u8>; 2],
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the certificate, followed by its intermediate authorities, and its key.
    ///
    /// # Errors
    ///
    /// A file cannot be read, is not PEM, or does not match the other.
    pub fn read(certificate: &Path, key: &Path) -> Result<Tls, TlsError> {
        let files = CertificateFiles {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        let read = RwLock::new(files.config(files.texts()?)?);
        Ok(Tls { files, read })
    }

    /// Returns an acceptor with the current certificate.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let read = self.read.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&read.config).into()
    }

    /// Reads the files every 10 s. If they are invalid, the old certificate stays, with a
    /// warning. Never ends.
    pub(crate) async fn follow(&self) {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            match self.renew() {
                Ok(false) => {}
                Ok(true) => info!("the certificate was renewed"),
                Err(error) => warn!(%error, "the certificate could not be renewed"),
            }
        }
    }

    /// Reads the files again. Returns true if they have changed. Two small files need no blocking
    /// thread.
    fn renew(&self) -> Result<bool, TlsError> {
        let texts = self.files.texts()?;
        let is_same = |read: &LoadedCertificate| read.texts == texts;
        if is_same(&self.read.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(false);
        }
        // Parsed before the lock is taken, so that no connection waits for it.
        let read = self.files.config(texts)?;
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(true)
    }
}

impl CertificateFiles {
    fn texts(&self) -> Result<[Vec<u8>; 2], TlsError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|reason| TlsError::File {
                file: path.display().to_string(),
                reason,
            })
        };
        Ok([read(&self.certificate)?, read(&self.key)?])
    }

    /// Parses the contents of the files.
    fn config(&self, texts: [Vec<u8>; 2]) -> Result<LoadedCertificate, TlsError> {
        let [certificate, key] =
            [&self.certificate, &self.key].map(|path| path.display().to_string());
        let pem = |file: &str, reason| TlsError::Pem {
            file: file.to_owned(),
            reason,
        };
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&texts[0]).collect();
        let chain = chain.map_err(|reason| pem(&certificate, reason))?;
        let private = PrivateKeyDer::from_pem_slice(&texts[1]);
        let private = private.map_err(|reason| pem(&key, reason))?;
        // An explicit provider: with two in one program, rustls would have no default.
        let made = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config
                    .with_no_client_auth()
                    .with_single_cert(chain, private)
            });
        match made {
            Ok(config) => Ok(LoadedCertificate {
                texts,
                config: Arc::new(config),
            }),
            Err(reason) => Err(TlsError::Unfit {
                certificate,
                key,
                reason,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a certificate and its key, as PEM.
    fn made() -> [String; 2] {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        [made.cert.pem(), made.signing_key.serialize_pem()]
    }

    #[test]
    fn a_certificate_is_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] = ["c.pem", "k.pem"].map(|name| folder.path().join(name));
        let write = |[chain, private]: &[String; 2]| {
            fs::write(&certificate, chain).unwrap();
            fs::write(&key, private).unwrap();
        };
        let (first, second) = (made(), made());
        write(&first);
        let tls = Tls::read(&certificate, &key).unwrap();
        let now = || Arc::clone(&tls.read.read().unwrap().config);
        let before = now();
        assert!(!tls.renew().unwrap());
        assert!(Arc::ptr_eq(&before, &now()));
        // Only one of the two files is new.
        write(&[second[0].clone(), first[1].clone()]);
        let error = tls.renew().unwrap_err();
        assert!(matches!(error, TlsError::Unfit { .. }), "{error}");
        assert!(Arc::ptr_eq(&before, &now()), "what was right goes on");
        write(&second);
        assert!(tls.renew().unwrap());
        assert!(!Arc::ptr_eq(&before, &now()));
        fs::remove_file(&key).unwrap();
        assert!(matches!(tls.renew(), Err(TlsError::File { .. })));
    }

    #[test]
    fn invalid_certificates_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [certificate, key] = ["c.pem", "k.pem"].map(|name| folder.path().join(name));
        let [chain, private] = made();
        #[track_caller]
        fn check(tls: Result<Tls, TlsError>, part: &str) {
            let error = tls.err().unwrap().to_string();
            assert!(
                error.contains(part) && error.lines().count() == 1,
                "{error}"
            );
        }
        let read = |chain: &str, private: &str| {
            fs::write(&certificate, chain).unwrap();
            fs::write(&key, private).unwrap();
            Tls::read(&certificate, &key)
        };
        check(Tls::read(&certificate, &key), "c.pem: No such file");
        check(read("", &private), "c.pem with ");
        check(read(&chain, ""), "k.pem: ");
        check(read(&chain, &chain), "k.pem: ");
        check(read(&private, &private), "c.pem with ");
        check(read(&chain.replace('M', "?"), &private), "c.pem: ");
        check(read(&chain, &made()[1]), "c.pem with ");
        read(&chain, &private).unwrap();
    }
}
