//! Streams: commands in order.
//!
//! The null stream follows the commands that other streams received before, and commands that
//! they receive later follow it. Non-blocking streams ignore the null stream.

use std::collections::{HashMap, VecDeque};

use crate::clock::Clock;
use crate::command::Command;
use crate::error::Result;
use crate::handles::Handles;

/// The built-in streams: the null stream under two names, and the per-thread stream, which all
/// threads share here.
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
    /// The commands that have not started.
    pub(crate) queue: VecDeque<Command>,
    /// The numbers of submitted and of completed commands.
    pub(crate) submitted: u64,
    pub(crate) completed: u64,
    /// True if the stream has a thread.
    pub(crate) threaded: bool,
    /// The graph that captures the stream's commands.
    pub(crate) capture: Option<u64>,
}

impl Stream {
    pub(crate) fn is_idle(&self) -> bool {
        self.submitted == self.completed
    }

    /// Returns true if no thread executes a command of the stream: all incomplete commands are in
    /// the queue.
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

    /// Returns the stream with this handle.
    ///
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

    /// Returns true if a stream is captured into the graph.
    pub(crate) fn are_captured(&self, graph: u64) -> bool {
        self.all().any(|(_, stream)| stream.capture == Some(graph))
    }

    /// Ends the capture of all streams that are captured into the graph.
    pub(crate) fn release(&mut self, graph: u64) {
        let built_in = self.built_in.values_mut();
        for stream in built_in.chain(self.made.values_mut()) {
            if stream.capture == Some(graph) {
                stream.capture = None;
            }
        }
    }

    /// Returns waits for the commands of other streams that a command of this stream must follow.
    pub(crate) fn dependencies(&self, handle: u64) -> Result<Vec<Command>> {
        if !self.get(handle)?.blocks() {
            return Ok(Vec::new());
        }
        let others = self.all().filter(|(other, stream)| {
            // Only the null stream synchronises with others, and only with blocking ones.
            let minds = stream.blocks() && (handle == NULL || *other == NULL);
            *other != handle && minds && !stream.is_idle()
        });
        Ok(others
            .map(|(other, stream)| Command::After(other, stream.submitted))
            .collect())
    }
}

/// Returns the handle under which a stream is stored.
pub(crate) fn resolve_handle(handle: u64) -> u64 {
    if handle == LEGACY { NULL } else { handle }
}
