//! The limits of a service, as options.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use clap::{Args, value_parser};
use server::{Limits, TokenLimits};

/// The limits of a service on load and time.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitOptions {
    /// Open connections.
    ///
    /// Beyond them the service closes one of the address with most. Agents and pages that wait may
    /// have half of them.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_CONNECTIONS", default_value_t = 8192, value_parser = count(8))]
    max_connections: u32,
    /// Concurrent requests.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_REQUESTS", default_value_t = 256, value_parser = count(1))]
    max_requests: u32,
    /// Concurrent requests of one client.
    ///
    /// A client is a token, or an address without one. Behind a proxy that all clients without a
    /// token share, give as many as --max-requests.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_REQUESTS_PER_CLIENT", default_value_t = 128, value_parser = count(1))]
    max_requests_per_client: u32,
    /// Requests that wait for their turn.
    ///
    /// Each waits 2 s at most. The service answers further ones 503 with Retry-After.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_QUEUE", default_value_t = 4096, value_parser = count(0))]
    max_queue: u32,
    /// Seconds that an answer may take.
    ///
    /// An agent that waits for work gets its answer after 8 s.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", env = "WAVETUNE_ANSWER_TIME", default_value_t = 10, value_parser = count(10))]
    answer_time: u32,
    /// Seconds of answers without the database.
    ///
    /// The service then answers from memory, with the age in the header Age. Tokens in memory are
    /// good for reading as long, and 10 s for all else.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", env = "WAVETUNE_MAX_STALE", default_value_t = 10, value_parser = count(0))]
    max_stale: u32,
    /// Requests of one token per second.
    ///
    /// The limit holds in the long run.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_TOKEN_RATE", default_value_t = TokenLimits::default().rate)]
    token_rate: NonZeroU32,
    /// Open studies of one token.
    ///
    /// A study is open while it waits, runs or is paused.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_OPEN_STUDIES", default_value_t = TokenLimits::default().open_studies)]
    open_studies: u64,
    /// Failed authentications in the audit log.
    ///
    /// The limit counts one address in a minute. The service answers further ones 429.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_AUTH_FAILURES_PER_MINUTE", default_value_t = Limits::default().failures_per_minute)]
    auth_failures_per_minute: NonZeroU32,
    /// Second address, for probes.
    ///
    /// It has no TLS, and serves /healthz and /readyz alone. Clients cannot take the connections of
    /// probes there.
    #[arg(
        long,
        hide_short_help = true,
        value_name = "ADDR:PORT",
        env = "WAVETUNE_PROBE_LISTEN"
    )]
    pub(super) probe_listen: Option<SocketAddr>,
}

fn count(least: i64) -> clap::builder::RangedI64ValueParser<u32> {
    value_parser!(u32).range(least..=1 << 20)
}

impl LimitOptions {
    pub(super) fn limits(&self) -> Limits {
        Limits {
            connections: self.max_connections as usize,
            requests: self.max_requests as usize,
            requests_per_client: self.max_requests_per_client as usize,
            queue: self.max_queue as usize,
            answer_time: Duration::from_secs(self.answer_time.into()),
            max_stale: Duration::from_secs(self.max_stale.into()),
            failures_per_minute: self.auth_failures_per_minute,
            ..Limits::default()
        }
    }

    pub(super) fn allowed(&self) -> TokenLimits {
        let limits = self.limits();
        TokenLimits {
            rate: self.token_rate,
            at_once: limits.requests_per_client,
            // Half of the connections may be long polls, and one token may have half of those.
            waiting: limits.connections / 4,
            open_studies: self.open_studies,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        arguments: LimitOptions,
    }

    /// Unless something is said, the limits are those of the service.
    #[test]
    fn defaults_are_those_of_the_service() {
        let arguments = Options::parse_from(["serve"]).arguments;
        let (limits, allowed) = (arguments.limits(), arguments.allowed());
        assert_eq!(format!("{limits:?}"), format!("{:?}", Limits::default()));
        assert_eq!(
            format!("{allowed:?}"),
            format!("{:?}", TokenLimits::default())
        );
    }
}
