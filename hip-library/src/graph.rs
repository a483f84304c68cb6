//! Graphs: commands that are written down once and given to a stream many times.
//!
//! A graph's nodes are done one after the other, in an order in which each comes after those that it depends on.

use crate::command::HostCall;
use crate::copy::{MemoryCopy, MemoryFill};
use crate::error::{Error, Result};
use crate::launch::LaunchCommand;

/// What a node does.
#[derive(Clone)]
pub(crate) enum NodeAction {
    Nothing,
    Launch(LaunchCommand),
    /// One after the other.
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

/// What an executable graph gives to a stream, in this order.
pub(crate) struct Executable {
    pub(crate) steps: Vec<Node>,
}

impl Graph {
    /// The node that was added last.
    pub(crate) fn last(&self) -> Option<u64> {
        self.nodes.last().map(|node| node.handle)
    }

    /// The nodes in an order in which each comes after those that it depends on, the earlier made first.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] where they depend on each other in a circle.
    pub(crate) fn ordered(&self) -> Result<Vec<Node>> {
        let mut left: Vec<&Node> = self.nodes.iter().collect();
        let mut done: Vec<Node> = Vec::new();
        while !left.is_empty() {
            let is_done = |handle: &u64| done.iter().any(|node| node.handle == *handle);
            let free = left.iter().position(|node| node.after.iter().all(is_done));
            done.push(left.remove(free.ok_or(Error::InvalidValue)?).clone());
        }
        Ok(done)
    }
}
