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
    /// Maximum open connections.
    ///
    /// Beyond the limit, the service closes a connection of the address with the most connections.
    /// Long polls of agents and pages may hold half of them.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_CONNECTIONS", default_value_t = 8192, value_parser = count(8))]
    max_connections: u32,
    /// Maximum concurrent requests.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_REQUESTS", default_value_t = 256, value_parser = count(1))]
    max_requests: u32,
    /// Maximum concurrent requests per client.
    ///
    /// A client is a token, or an address without a token. If all clients without a token share a
    /// proxy, use the value of --max-requests.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_REQUESTS_PER_CLIENT", default_value_t = 128, value_parser = count(1))]
    max_requests_per_client: u32,
    /// Maximum waiting requests.
    ///
    /// A request waits at most 2 s. Beyond the limit, the service answers 503 with Retry-After.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_MAX_QUEUE", default_value_t = 4096, value_parser = count(0))]
    max_queue: u32,
    /// Time limit per answer, in seconds.
    ///
    /// A long poll of an agent ends after 8 s.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", env = "WAVETUNE_ANSWER_TIME", default_value_t = 10, value_parser = count(10))]
    answer_time: u32,
    /// Maximum age of answers without database, in seconds.
    ///
    /// If the database fails, the service answers from memory, with the age in the header Age.
    /// Tokens in memory stay valid for this time for reads, and for 10 s otherwise.
    #[arg(long, hide_short_help = true, value_name = "SECONDS", env = "WAVETUNE_MAX_STALE", default_value_t = 10, value_parser = count(0))]
    max_stale: u32,
    /// Maximum requests per second and token.
    ///
    /// The limit is a long-term average.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_TOKEN_RATE", default_value_t = TokenLimits::default().rate)]
    token_rate: NonZeroU32,
    /// Maximum open studies per token.
    ///
    /// A waiting, running or paused study is open.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_OPEN_STUDIES", default_value_t = TokenLimits::default().open_studies)]
    open_studies: u64,
    /// Maximum failed authentications per minute.
    ///
    /// The limit applies to each address. Beyond the limit, the service answers 429 without an
    /// entry in the audit log.
    #[arg(long, hide_short_help = true, value_name = "COUNT", env = "WAVETUNE_AUTH_FAILURES_PER_MINUTE", default_value_t = Limits::default().failures_per_minute)]
    auth_failures_per_minute: NonZeroU32,
    /// Second address, for probes.
    ///
    /// The address has no TLS, and serves only /healthz and /readyz. Clients cannot exhaust its
    /// connections.
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

    /// Without options, the limits are those of the service.
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
