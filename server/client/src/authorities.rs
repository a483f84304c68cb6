//! Authorities: who vouches for a service's certificate, where that is none of those that everybody knows.

use ureq::tls::{PemItem, RootCerts, parse_pem};

/// Certificates that vouch for that of a service.
#[derive(Debug, Clone)]
pub struct Authorities(RootCerts);

/// A text has no certificates in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; it has to be certificates as PEM")]
pub struct NoCertificates(String);

impl Authorities {
    /// Those of a PEM file.
    ///
    /// # Errors
    ///
    /// There are none in it, or one cannot be read.
    pub fn of(text: &[u8]) -> Result<Authorities, NoCertificates> {
        let mut certificates = Vec::new();
        for item in parse_pem(text) {
            match item {
                Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
                Ok(_) => {}
                Err(error) => return Err(NoCertificates(error.to_string())),
            }
        }
        match certificates.is_empty() {
            true => Err(NoCertificates("no certificate is in it".to_owned())),
            false => Ok(Authorities(RootCerts::new_with_certs(&certificates))),
        }
    }

    /// As the client takes them.
    pub(crate) fn roots(&self) -> RootCerts {
        self.0.clone()
    }
}
