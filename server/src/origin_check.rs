//! Origin check: the service answers programs and its own pages, but no pages of other sites in a
//! local user's browser.
//!
//! A browser lets any page send requests to loopback. It lets the page read the answers if they
//! seem to come from the page's own host. With DNS rebinding, that host name points at this
//! machine after the page was loaded. The name is in `Host`.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, Version};

use crate::ApiError;

const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Refuses a request with a foreign host name, or from a page of another site. `names` are host
/// names of the service beside `localhost`. Every address is valid, because no DNS lookup was
/// involved.
pub(crate) fn admit(names: &[String], request: &Request) -> Result<(), ApiError> {
    // HTTP/1.0 has no `Host`; later versions require exactly one.
    let hosts = texts(request.headers(), &HOST);
    if hosts.len() > 1 || hosts.is_empty() && request.version() >= Version::HTTP_11 {
        return Err(ApiError::host_count(hosts.len()));
    }
    let authority = request
        .uri()
        .authority()
        .map(|authority| authority.as_str());
    let mut called = hosts.iter().copied().chain(authority);
    if let Some(foreign) = called.find(|host| !is_ours(names, host)) {
        return Err(ApiError::misdirected(foreign));
    }
    let is_page = |origin: &&str| {
        let origin = origin.strip_prefix("http://");
        let host = origin.and_then(|origin| Some((origin, *hosts.first()?)));
        host.is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host))
    };
    // A proxy may add TLS, so only the host of an origin decides.
    let origins = texts(request.headers(), &ORIGIN);
    if origins
        .iter()
        .any(|origin| !is_page(&origin.replacen("https://", "http://", 1).as_str()))
    {
        return Err(ApiError::cross_site());
    }
    // Current browsers send these headers. A link from another site to a page is no attack: that
    // site cannot read the answer.
    let sites = texts(request.headers(), &SITE);
    let own = |site: &&str| ["same-origin", "none"].contains(site);
    let is_link = texts(request.headers(), &MODE) == ["navigate"]
        && !request.uri().path().starts_with("/api/");
    match sites.iter().all(own) || is_link {
        true => Ok(()),
        false => Err(ApiError::cross_site()),
    }
}

/// Returns the values of a header. A value that is no text becomes one that equals nothing.
fn texts<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let values = headers.get_all(name).iter();
    values.map(|value| value.to_str().unwrap_or("?")).collect()
}

/// Returns true if `host`, with or without a port, is this service.
fn is_ours(names: &[String], host: &str) -> bool {
    let Some(name) = without_port(host) else {
        return false;
    };
    if let Some(address) = name.strip_prefix('[') {
        let address = address.strip_suffix(']').unwrap_or_default();
        return address.parse().is_ok_and(|ip: IpAddr| ip.is_ipv6());
    }
    // An absolute DNS name ends with a dot, and names the same host.
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    name.parse().is_ok_and(|ip: IpAddr| ip.is_ipv4())
        || name == "localhost"
        // Names below `localhost` are loopback as well (RFC 6761).
        || name.ends_with(".localhost")
        || names.iter().any(|known| known.eq_ignore_ascii_case(&name))
}

/// Returns the host without its port. Returns none if the rest is no port.
fn without_port(host: &str) -> Option<&str> {
    let end = host.rfind(']').map_or(0, |bracket| bracket + 1);
    let (name, port) = match host[end..].find(':') {
        Some(colon) => (&host[..end + colon], &host[end + colon + 1..]),
        None => (host, ""),
    };
    port.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::response::IntoResponse;

    use super::*;

    /// Checks the status of a request with these headers, 200 if it is admitted.
    #[track_caller]
    fn check(target: &str, headers: &[(&str, &str)], expected: u16) {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let names = ["tuner.lan".to_owned()];
        let status = admit(&names, &request)
            .map_or_else(|error| error.into_response().status(), |()| StatusCode::OK);
        assert_eq!(status.as_u16(), expected, "{target} {headers:?}");
    }

    #[test]
    fn names_of_the_service() {
        for host in [
            "localhost",
            "LocalHost:8942",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1",
            "127.0.0.1:8942",
            "127.8.9.1",
            "192.168.1.7:80",
            "[::1]",
            "[::1]:8942",
            "[2001:db8::7]:80",
            "tuner.lan",
            "Tuner.LAN:8942",
            "tuner.lan.",
        ] {
            check("/", &[("host", host)], 200);
        }
        for host in [
            "evil.example",
            "evil.example:8942",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example",
            "",
            "127.1",
            "0x7f000001",
            "[::1",
            "::1",
            "[127.0.0.1]",
            "[::1]evil.example",
            "localhost:8942:1",
            "localhost:x",
            "user@localhost",
            "evil.example#localhost",
            "tuner.lan.evil.example",
            "[",
            "]",
        ] {
            check("/", &[("host", host)], 421);
            check("/healthz", &[("host", host)], 421);
        }
        check("/", &[], 400);
        check("/", &[("host", "localhost"), ("host", "localhost")], 400);
        check("http://evil.example/", &[("host", "localhost")], 421);
        check("http://localhost:8942/", &[("host", "localhost")], 200);
    }

    #[test]
    fn an_old_client_names_no_host() {
        let mut request = Request::new(Body::empty());
        *request.version_mut() = Version::HTTP_10;
        assert!(admit(&[], &request).is_ok());
    }

    #[test]
    fn pages_of_other_sites() {
        let ask = "/api/v1/configurations";
        for (target, name, value, expected) in [
            (ask, "origin", "http://localhost:8942", 200),
            (ask, "origin", "https://LOCALHOST:8942", 200),
            (ask, "origin", "http://localhost:3000", 403),
            (ask, "origin", "http://evil.example", 403),
            (ask, "origin", "null", 403),
            (ask, "origin", "localhost:8942", 403),
            (ask, "origin", "", 403),
            (ask, "sec-fetch-site", "none", 200),
            (ask, "sec-fetch-site", "same-origin", 200),
            (ask, "sec-fetch-site", "same-site", 403),
            (ask, "sec-fetch-site", "cross-site", 403),
            ("/", "sec-fetch-site", "cross-site", 403),
        ] {
            check(
                target,
                &[("host", "localhost:8942"), (name, value)],
                expected,
            );
        }
        let link = [
            ("host", "localhost"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        check("/", &link, 200);
        check(ask, &link, 403);
        let image = [
            ("host", "localhost"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
        ];
        check("/", &image, 403);
    }
}
