//! Parse errors: hyper answers a request that it cannot parse by itself, with a status and
//! nothing else. This module replaces these answers by problems.
//!
//! hyper has no hook for that, so the module inspects the written bytes. Unlike the service's
//! answers, hyper's own have no request ID.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tracing::info;

use crate::request_log::REQUEST_ID;
use crate::{ApiError, ServiceState, problem_kind, response_headers};

/// Largest head of a request, in bytes: the address and all headers. The longest problem has a
/// hundred characters.
pub(crate) const HEAD_BYTES: usize = 16 << 10;

/// A connection that reports requests which are not HTTP as problems.
pub(crate) struct ParseErrorStream<S> {
    stream: S,
    service: Arc<ServiceState>,
    /// The answer that replaces hyper's.
    own: Option<SubstitutedResponse>,
}

/// An answer that replaces another.
struct SubstitutedResponse {
    bytes: Vec<u8>,
    written: usize,
    /// Length of the replaced answer, in bytes.
    replaced: usize,
}

impl<S: AsyncWrite + Unpin> ParseErrorStream<S> {
    pub(crate) fn new(stream: S, service: Arc<ServiceState>) -> Self {
        ParseErrorStream {
            stream,
            service,
            own: None,
        }
    }

    /// Writes a problem if the bytes are an answer of hyper's. Returns the number of replaced
    /// bytes; none for other answers.
    fn poll_own(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Option<io::Result<usize>>> {
        if self.own.is_none()
            && let Some(status) = refused(bytes)
        {
            self.own = Some(SubstitutedResponse {
                bytes: answer(&self.service, status),
                written: 0,
                replaced: bytes.len(),
            });
        }
        let Some(own) = &mut self.own else {
            return Poll::Ready(None);
        };
        // A write may be partial, and hyper must see all or nothing of its answer as written.
        while own.written < own.bytes.len() {
            let rest = &own.bytes[own.written..];
            match ready!(Pin::new(&mut self.stream).poll_write(context, rest)) {
                Ok(0) => return Poll::Ready(Some(Err(io::ErrorKind::WriteZero.into()))),
                Ok(written) => own.written += written,
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        let replaced = own.replaced;
        self.own = None;
        Poll::Ready(Some(Ok(replaced)))
    }
}

/// Returns the status of an answer of hyper's own.
fn refused(bytes: &[u8]) -> Option<StatusCode> {
    let rest = bytes.strip_prefix(b"HTTP/1.")?;
    let status = match rest.get(1..6)? {
        b" 400 " => StatusCode::BAD_REQUEST,
        b" 431 " => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        _ => return None,
    };
    let id = REQUEST_ID;
    let id = id.as_str().as_bytes();
    let is_ours = bytes.windows(id.len()).any(|part| part == id);
    (!is_ours && bytes.ends_with(b"\r\n\r\n")).then_some(status)
}

/// Returns the bytes of an answer with this status.
fn answer(service: &ServiceState, status: StatusCode) -> Vec<u8> {
    // The method is unknown, so this counts as another one than those of the routes.
    let counted = service.metrics.begin(None, &Method::TRACE);
    counted.answered(status);
    let mut headers = HeaderMap::new();
    let id = service.ids.next(&headers);
    info!(
        id = id.to_str().unwrap_or_default(),
        status = status.as_u16(),
        "a request is not HTTP"
    );
    response_headers::complete(&mut headers, id);
    let kind = HeaderValue::from_static("application/problem+json");
    headers.insert(header::CONTENT_TYPE, kind);
    // hyper closes the connection after such an answer.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    let problem = match status {
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ApiError::head_too_large(),
        _ => ApiError::malformed_request(),
    };
    let body = answers::line(&problem.details()) + "\n";
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

impl ApiError {
    /// Creates the error for a head that is not HTTP.
    fn malformed_request() -> Self {
        let detail = "the head of the request is not HTTP/1.1; the service closes the connection";
        Self::new(&problem_kind::MALFORMED_REQUEST, detail)
    }

    /// Creates the error for a head that is too large.
    fn head_too_large() -> Self {
        let detail =
            format!("the head of a request may have at most {HEAD_BYTES} bytes and 100 headers");
        Self::with_limit(&problem_kind::HEAD_TOO_LARGE, HEAD_BYTES as u64, detail)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ParseErrorStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ParseErrorStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match ready!(self.poll_own(context, bytes)) {
            Some(written) => Poll::Ready(written),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // hyper writes its own answer as one slice.
        let first = slices.iter().find(|slice| !slice.is_empty());
        let first = first.map_or(&[][..], |slice| slice);
        match ready!(self.poll_own(context, first)) {
            Some(written) => Poll::Ready(written),
            None => Pin::new(&mut self.stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
