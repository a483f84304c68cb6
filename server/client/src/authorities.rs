//! Certificate authorities of a service, if the public ones do not suffice.

use ureq::tls::{PemItem, RootCerts, parse_pem};

/// Certificate authorities that sign a service's certificate.
#[derive(Debug, Clone)]
pub struct Authorities(RootCerts);

/// A text without certificates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; the file must have certificates in PEM")]
pub struct NoCertificates(String);

impl Authorities {
    /// Parses the certificates of a PEM file.
    ///
    /// # Errors
    ///
    /// There are none in it, or one is malformed.
    pub fn of(text: &[u8]) -> Result<Authorities, NoCertificates> {
        let mut certificates = Vec::new();
        for item in parse_pem(text) {
            match item {
                Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
                // A PEM file often contains keys as well; they are no authorities.
                Ok(_) => {}
                Err(error) => return Err(NoCertificates(error.to_string())),
            }
        }
        match certificates.is_empty() {
            true => Err(NoCertificates("it has no certificate".to_owned())),
            false => Ok(Authorities(RootCerts::new_with_certs(&certificates))),
        }
    }

    /// Returns them as the HTTP client needs them.
    pub(crate) fn roots(&self) -> RootCerts {
        self.0.clone()
    }
}
