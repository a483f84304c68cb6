//! Write timeout: a limit for clients that do not read their answers.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::connection_admission::ConnectionSlot;

/// Time for which a client may read nothing of a pending answer. It begins when the buffers of
/// the system are full.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// A connection that fails if its client reads nothing for [`WRITE_TIME`].
pub(crate) struct WriteTimeoutStream {
    stream: TcpStream,
    /// The connection slot of the client.
    seat: Arc<ConnectionSlot>,
    /// The timeout since the last blocked write.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeoutStream {
    pub(crate) fn new(stream: TcpStream, seat: Arc<ConnectionSlot>) -> Self {
        WriteTimeoutStream {
            stream,
            seat,
            stalled: None,
        }
    }

    fn limit<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        // Any progress counts, also of a slow client: only a full stop is a stall.
        if polled.is_ready() {
            self.seat.hear();
            if self.stalled.take().is_some() {
                self.seat.unstall();
            }
            return polled;
        }
        // Further blocked writes belong to the same stall, and do not restart its time.
        let stalled = self.stalled.get_or_insert_with(|| {
            self.seat.stall();
            Box::pin(sleep(WRITE_TIME))
        });
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() {
            self.seat.receive();
        }
        read
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.limit(context, polled)
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
