//! A service that speaks TLS.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ureq::tls::{Certificate, RootCerts, TlsConfig};

fn wavetune(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .args(arguments)
        .current_dir(directory)
        .env("WAVETUNE_DB", "test.db")
        .env_remove("WAVETUNE_LOG")
        .stdin(Stdio::null());
    command
}

/// A service, which is killed when the test ends.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(directory: &Path) -> Service {
        let files = ["--tls-certificate", "c.pem", "--tls-key", "k.pem"];
        let arguments = [&["serve", "--listen", "127.0.0.1:0"][..], &files].concat();
        let mut command = wavetune(directory, &arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("listening on https://") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it does not listen");
        }
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        let address = line.trim().rsplit("https://").next().unwrap().to_owned();
        Service { child, address }
    }

    /// Returns the answer for a client that trusts these certificates, or the well-known ones.
    fn get(&self, believed: Option<&str>) -> Result<String, ureq::Error> {
        let mut tls = TlsConfig::builder();
        if let Some(pem) = believed {
            let certificate = Certificate::from_pem(pem.as_bytes())?;
            tls = tls.root_certs(RootCerts::new_with_certs(&[certificate]));
        }
        let client = ureq::Agent::config_builder().tls_config(tls.build());
        let client: ureq::Agent = client.build().into();
        let mut answer = client
            .get(format!("https://{}/healthz", self.address))
            .call()?;
        answer.body_mut().read_to_string()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Returns a certificate for this machine.
fn made() -> rcgen::CertifiedKey<rcgen::KeyPair> {
    let names = ["localhost", "127.0.0.1"].map(str::to_owned);
    rcgen::generate_simple_self_signed(names).unwrap()
}

#[test]
fn a_service_speaks_tls() {
    let directory = tempfile::tempdir().unwrap();
    let (ours, other) = (made(), made().cert.pem());
    fs::write(directory.path().join("c.pem"), ours.cert.pem()).unwrap();
    fs::write(
        directory.path().join("k.pem"),
        ours.signing_key.serialize_pem(),
    )
    .unwrap();
    let service = Service::start(directory.path());
    assert_eq!(service.get(Some(&ours.cert.pem())).unwrap(), "ok\n");
    for believed in [None, Some(other.as_str())] {
        let error = service.get(believed).unwrap_err().to_string();
        assert!(error.contains("certificate"), "{error}");
    }
    // A client without TLS gets no answer, and does not hold up others.
    let mut plain = TcpStream::connect(&service.address).unwrap();
    plain
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    plain.read_to_end(&mut answer).ok();
    assert!(
        !answer.starts_with(b"HTTP"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    let silent: Vec<_> = (0..300)
        .map(|_| TcpStream::connect(&service.address).unwrap())
        .collect();
    assert_eq!(service.get(Some(&ours.cert.pem())).unwrap(), "ok\n");
    drop(silent);
}

#[test]
fn a_certificate_goes_with_its_key() {
    let directory = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], part: &str| {
        let output = wavetune(directory.path(), arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part), "{said}");
    };
    check(&["serve", "--tls-certificate", "c.pem"], "--tls-key");
    check(&["serve", "--tls-key", "k.pem"], "--tls-certificate");
    let both = ["serve", "--tls-certificate", "c.pem", "--tls-key", "k.pem"];
    check(&both, "c.pem: No such file");
    fs::write(directory.path().join("c.pem"), made().cert.pem()).unwrap();
    fs::write(
        directory.path().join("k.pem"),
        made().signing_key.serialize_pem(),
    )
    .unwrap();
    check(&both, "c.pem with k.pem: ");
}
