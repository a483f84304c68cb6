//! Answer buffer: the answers to pipelined requests leave in few writes.
//!
//! A connection has few requests answered per turn. With many connections, the client has
//! acknowledged one turn's answers before the next, so the system joins none of them. Then a packet
//! of its own costs more than a third of the processor time of a lookup from memory. This buffer
//! keeps an answer while the next request of the connection has arrived and waits for its turn.
//!
//! hyper's `pipeline_flush` keeps answers without a limit, and also while a handler works or the
//! next request is incomplete.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection_admission::ConnectionSlot;

/// Most bytes that wait for the next answer. Each of thousands of connections may have as many.
const KEPT: usize = 8 << 10;

/// A connection with answers that may wait for each other.
pub(crate) struct AnswerBuffer<S> {
    stream: S,
    seat: Arc<ConnectionSlot>,
    kept: Vec<u8>,
    /// The number of kept bytes that are written already.
    written: usize,
    /// True if hyper waits for bytes of the client: no complete request has arrived.
    is_reading: bool,
}

impl<S: AsyncWrite + Unpin> AnswerBuffer<S> {
    pub(crate) fn new(stream: S, seat: Arc<ConnectionSlot>) -> Self {
        AnswerBuffer {
            stream,
            seat,
            kept: Vec::new(),
            written: 0,
            is_reading: false,
        }
    }

    /// Writes all kept bytes.
    fn poll_kept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.kept.len() {
            let rest = &self.kept[self.written..];
            match ready!(Pin::new(&mut self.stream).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        // Idle connections are many, and keep no memory.
        self.kept = Vec::new();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for AnswerBuffer<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        // At the end of the input, hyper may drop the connection without a flush.
        self.is_reading = buffer.filled().len() == before;
        if self.is_reading
            && let Poll::Ready(Err(error)) = self.poll_kept(context)
        {
            return Poll::Ready(Err(error));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for AnswerBuffer<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length: usize = slices.iter().map(|slice| slice.len()).sum();
        if self.is_reading || self.kept.len() + length > KEPT {
            ready!(self.poll_kept(context))?;
            return Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        }
        for slice in slices {
            self.kept.extend_from_slice(slice);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_reading && self.seat.keeps_answers() {
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_kept(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_kept(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
