//! Capture: commands for a stream become a graph instead of running.
//!
//! A stream that waits for an event of a captured stream is captured, too. The graph runs
//! everything in the order of the calls, which respects all dependencies.

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
    // The null stream follows all others, which no graph can.
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
    // Calls that a capture could forbid are allowed in every mode. The answer is the previous
    // mode, always the first one.
    enter(|| mode.put(0))
}
