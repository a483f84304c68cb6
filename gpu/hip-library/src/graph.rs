//! Graphs: commands that are recorded once and submitted to a stream many times.
//!
//! The nodes of a graph run one after the other, in an order that respects their dependencies.

use crate::command::HostCall;
use crate::copy::{MemoryCopy, MemoryFill};
use crate::error::{Error, Result};
use crate::launch::LaunchCommand;

/// The action of a node.
#[derive(Clone)]
pub(crate) enum NodeAction {
    Nothing,
    Launch(LaunchCommand),
    /// Copies, one after the other.
    Copies(Vec<MemoryCopy>),
    Fill(MemoryFill),
    Host(HostCall),
    Record(u64),
    Wait(u64),
}

/// A node.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) handle: u64,
    pub(crate) work: NodeAction,
    pub(crate) after: Vec<u64>,
}

/// A graph. Its nodes have handles of their own.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// An executable graph: the nodes in the order of their submission.
pub(crate) struct Executable {
    pub(crate) steps: Vec<Node>,
}

impl Graph {
    /// Returns the node that was added last.
    pub(crate) fn last(&self) -> Option<u64> {
        self.nodes.last().map(|node| node.handle)
    }

    /// Returns the nodes in an order that respects their dependencies, earlier nodes first.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the dependencies have a cycle.
    pub(crate) fn ordered(&self) -> Result<Vec<Node>> {
        let mut left: Vec<&Node> = self.nodes.iter().collect();
        let mut done: Vec<Node> = Vec::new();
        while !left.is_empty() {
            let is_done = |handle: &u64| done.iter().any(|node| node.handle == *handle);
            // The earliest free node comes first, so that the order is the program's.
            let free = left.iter().position(|node| node.after.iter().all(is_done));
            done.push(left.remove(free.ok_or(Error::InvalidValue)?).clone());
        }
        Ok(done)
    }
}
