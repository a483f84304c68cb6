//! TLS: the servers that are trusted, and those that are refused.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use sqlx::Connection as _;
use store_postgres::Postgres;
use testing::Failed;
use testing_postgres::{Database, Server};
use testing_store_contract::block_on;

/// A certificate authority.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Result<Authority, rcgen::Error> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        Ok(Authority { pem, issuer })
    }
}

/// A server with a certificate for `localhost` only, and a folder with the authorities.
struct Bed {
    server: Server,
    folder: tempfile::TempDir,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let folder = tempfile::tempdir()?;
        let (ours, others) = (Authority::new("ours")?, Authority::new("others")?);
        fs::write(folder.path().join("ours.pem"), &ours.pem)?;
        fs::write(folder.path().join("others.pem"), &others.pem)?;
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(["localhost".to_owned()])?;
        let certificate = certificate.signed_by(&key, &ours.issuer)?;
        let server = Server::start_tls(&certificate.pem(), &key.serialize_pem())?;
        Ok(Bed { server, folder })
    }

    /// Returns the URL of a database by host, with these parameters. Names of files get their
    /// folder.
    fn url(&self, host: &str, parameters: &str) -> String {
        let folder = self.folder.path().join("");
        let named = format!("sslrootcert={}", folder.display());
        let url = self.server.tls_url(host, "postgres");
        format!("{url}?{}", parameters.replace("sslrootcert=", &named))
    }

    /// Checks that the database opens, with TLS.
    #[track_caller]
    fn is_spoken_to(&self, host: &str, parameters: &str) {
        let url = self.url(host, parameters);
        block_on(async {
            let opened = Postgres::open(&url).await;
            opened.unwrap_or_else(|error| panic!("{parameters}: {error}"));
            let mut connection = crate::store::raw(&url).await;
            let is_tls = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
            let is_tls: bool = sqlx::query_scalar(is_tls)
                .fetch_one(&mut connection)
                .await
                .unwrap();
            assert!(is_tls, "{parameters}");
            connection.close().await.unwrap();
        });
    }

    #[track_caller]
    fn is_refused(&self, host: &str, parameters: &str, part: &str) {
        refused(&self.url(host, parameters), part);
    }
}

#[track_caller]
fn refused(url: &str, part: &str) {
    for opened in [
        block_on(Postgres::open(url)),
        block_on(Postgres::open_existing(url)),
    ] {
        let error = opened.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{url}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

pub(crate) fn trusted_certificates() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let unknown = "no secure connection to its server: invalid peer certificate: UnknownIssuer";
    let full = "sslmode=verify-full&sslrootcert=ours.pem";
    bed.is_spoken_to("localhost", full);
    bed.is_refused(
        "localhost",
        "sslmode=verify-full&sslrootcert=others.pem",
        unknown,
    );
    bed.is_refused("localhost", "sslmode=verify-full", unknown);
    // The certificate has another name.
    bed.is_refused(
        "127.0.0.1",
        full,
        "certificate not valid for name \"127.0.0.1\"",
    );
    bed.is_spoken_to("127.0.0.1", "sslmode=verify-ca&sslrootcert=ours.pem");
    bed.is_refused(
        "127.0.0.1",
        "sslmode=verify-ca&sslrootcert=others.pem",
        unknown,
    );

    // With named certificates, no other is accepted.
    for mode in ["", "sslmode=prefer&", "sslmode=require&"] {
        bed.is_spoken_to("localhost", &format!("{mode}sslrootcert=ours.pem"));
        bed.is_refused(
            "localhost",
            &format!("{mode}sslrootcert=others.pem"),
            unknown,
        );
    }
    // The connection is encrypted, but the server may be any.
    bed.is_spoken_to("localhost", "sslmode=require");
    bed.is_spoken_to("localhost", "");

    let plain = "its server refuses this user: no pg_hba.conf entry for host";
    bed.is_refused("localhost", "sslmode=disable", plain);
    bed.is_refused("localhost", "sslmode=disable&sslrootcert=ours.pem", plain);
    bed.is_refused(
        "localhost",
        "sslmode=verify-full&sslrootcert=none.pem",
        "none.pem: No such file",
    );
    a_server_without_a_certificate(bed.folder.path())
}

/// Checks that a server without TLS is refused if the URL demands it.
fn a_server_without_a_certificate(folder: &Path) -> Result<(), Failed> {
    let database = Database::create()?;
    let url = database.url();
    let ours = folder.join("ours.pem");
    for parameters in [
        "sslmode=require".to_owned(),
        "sslmode=verify-full".to_owned(),
        format!("sslrootcert={}", ours.display()),
    ] {
        let part = "no secure connection to its server: server does not support TLS";
        refused(&format!("{url}&{parameters}"), part);
    }
    Ok(())
}
