//! Streams: commands in order.
//!
//! The null stream comes after what other streams have been told before, and what they are told later comes after it;
//! streams that were made non-blocking do not care.

use std::collections::{HashMap, VecDeque};

use crate::clock::Clock;
use crate::command::Command;
use crate::error::Result;
use crate::handles::Handles;

/// The streams that are always there: the null stream, under two names, and that of each thread, which is one here.
pub(crate) const NULL: u64 = 0;
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;
/// `hipStreamNonBlocking`.
pub(crate) const NON_BLOCKING: u32 = 1;

/// A stream.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) flags: u32,
    pub(crate) clock: Clock,
    /// What it has yet to do.
    pub(crate) queue: VecDeque<Command>,
    /// Commands that it was given, and those that it has done.
    pub(crate) submitted: u64,
    pub(crate) completed: u64,
    /// Whether it has a thread.
    pub(crate) threaded: bool,
    /// The graph that its commands go to instead.
    pub(crate) capture: Option<u64>,
}

impl Stream {
    pub(crate) fn is_idle(&self) -> bool {
        self.submitted == self.completed
    }

    /// Whether nobody is at a command of it: what it has not done is in the queue.
    pub(crate) fn is_free(&self) -> bool {
        self.completed + self.queue.len() as u64 == self.submitted
    }

    pub(crate) fn blocks(&self) -> bool {
        self.flags & NON_BLOCKING == 0
    }
}

/// All streams, and the modelled clock of the host, which only waits.
pub(crate) struct Streams {
    built_in: HashMap<u64, Stream>,
    pub(crate) made: Handles<Stream>,
    pub(crate) host: Clock,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        let built_in = [NULL, PER_THREAD].map(|handle| (handle, Stream::default()));
        Streams {
            built_in: built_in.into(),
            made: Handles::default(),
            host: Clock::default(),
        }
    }

    /// # Errors
    /// [`Error::InvalidHandle`], here and below.
    pub(crate) fn get(&self, handle: u64) -> Result<&Stream> {
        match self.built_in.get(&resolve_handle(handle)) {
            Some(stream) => Ok(stream),
            None => self.made.get(handle),
        }
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Result<&mut Stream> {
        match self.built_in.get_mut(&resolve_handle(handle)) {
            Some(stream) => Ok(stream),
            None => self.made.get_mut(handle),
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &Stream)> {
        let built_in = self.built_in.iter().map(|(handle, one)| (*handle, one));
        built_in.chain(self.made.iter())
    }

    /// Whether streams are captured into a graph.
    pub(crate) fn are_captured(&self, graph: u64) -> bool {
        self.all().any(|(_, stream)| stream.capture == Some(graph))
    }

    /// Streams that are captured into a graph are so no longer.
    pub(crate) fn release(&mut self, graph: u64) {
        let built_in = self.built_in.values_mut();
        for stream in built_in.chain(self.made.values_mut()) {
            if stream.capture == Some(graph) {
                stream.capture = None;
            }
        }
    }

    /// What a command of this stream must come after, beyond the stream's own.
    pub(crate) fn dependencies(&self, handle: u64) -> Result<Vec<Command>> {
        if !self.get(handle)?.blocks() {
            return Ok(Vec::new());
        }
        let others = self.all().filter(|(other, stream)| {
            let minds = stream.blocks() && (handle == NULL || *other == NULL);
            *other != handle && minds && !stream.is_idle()
        });
        Ok(others
            .map(|(other, stream)| Command::After(other, stream.submitted))
            .collect())
    }
}

/// The handle under which a stream is kept.
pub(crate) fn resolve_handle(handle: u64) -> u64 {
    if handle == LEGACY { NULL } else { handle }
}
