//! Capture: commands for a stream that become a graph instead of being done.
//!
//! A stream that waits for an event of a captured stream is captured too. The graph does everything in the order of the
//! calls, in which each comes after what it has to come after.

use crate::error::{Error, Result, Status, enter};
use crate::ffi::OutPointer;
use crate::graph::Graph;
use crate::state::{healthy_state, state};

/// `hipStreamCaptureStatus`.
const NONE: i32 = 0;
const ACTIVE: i32 = 1;

fn begin(stream: u64) -> Result<()> {
    let mut state = healthy_state()?;
    let is_captured = state.captured(stream)?.is_some();
    // The null stream comes after all others, which no graph can.
    if stream <= 1 || is_captured {
        return Err(Error::StreamCaptureUnsupported);
    }
    let graph = state.graphs.insert(Graph::default());
    state.streams.get_mut(stream)?.capture = Some(graph);
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamBeginCapture(stream: u64, _mode: i32) -> Status {
    enter(|| begin(stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamEndCapture(stream: u64, graph: OutPointer<u64>) -> Status {
    enter(|| {
        graph.check()?;
        let mut state = healthy_state()?;
        let captured = state.captured(stream)?.ok_or(Error::IllegalState)?;
        state.streams.release(captured);
        graph.put(captured)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamIsCapturing(stream: u64, status: OutPointer<i32>) -> Status {
    enter(|| {
        let captured = state()?.captured(stream)?;
        status.put(captured.map_or(NONE, |_| ACTIVE))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipStreamGetCaptureInfo(
    stream: u64,
    status: OutPointer<i32>,
    id: OutPointer<u64>,
) -> Status {
    enter(|| {
        let captured = state()?.captured(stream)?;
        id.put_if_wanted(captured.unwrap_or(0));
        status.put(captured.map_or(NONE, |_| ACTIVE))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipThreadExchangeStreamCaptureMode(mode: OutPointer<i32>) -> Status {
    // Calls that a capture could forbid are allowed in every mode: the answer is the one before, which was the first.
    enter(|| mode.put(0))
}
