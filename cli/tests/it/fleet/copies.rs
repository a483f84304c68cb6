//! Copies of the queue: as many as the NATS behind it can keep.

use testing::Failed;

use crate::fleet::{Bed, Running};

/// Checks that a service that wants three copies refuses to start on one nats-server.
pub(crate) fn messages_too_large_for_nats_are_refused() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let serve = |copies: &str| {
        let mut command = bed.wavetune();
        command
            .env("WAVETUNE_QUEUE", bed.nats.address())
            .env("WAVETUNE_QUEUE_COPIES", copies)
            .env("WAVETUNE_SECRET_FILE", bed.directory.path().join("secret"));
        command
    };
    let refused = serve("3")
        .args(["serve", "--no-agent", "--listen", "127.0.0.1:0"])
        .output()?;
    let said = String::from_utf8(refused.stderr)?;
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("replicas > 1"), "{said}");
    let service = Running::service(serve("1"), "127.0.0.1:0")?;
    assert_eq!(service.end()?, Some(0));
    Ok(())
}
