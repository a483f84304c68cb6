//! Graphs under construction: they grow by a node, or by a command of a captured stream.

use super::LibraryState;
use crate::command::Command;
use crate::error::{Error, Result};
use crate::graph::{Node, NodeAction};

impl LibraryState {
    /// Adds a node to a graph and returns its handle.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`]; [`Error::InvalidValue`] if it depends on something that is no
    /// node of the graph.
    pub(crate) fn add_node(
        &mut self,
        graph: u64,
        work: NodeAction,
        after: Vec<u64>,
    ) -> Result<u64> {
        let nodes = &self.graphs.get(graph)?.nodes;
        let known = |handle: &u64| nodes.iter().any(|node| node.handle == *handle);
        if !after.iter().all(known) {
            return Err(Error::InvalidValue);
        }
        let handle = self.nodes.insert(graph);
        let node = Node {
            handle,
            work,
            after,
        };
        self.graphs.get_mut(graph)?.nodes.push(node);
        Ok(handle)
    }
}

impl LibraryState {
    /// Returns the graph that a stream is captured into.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`].
    pub(crate) fn captured(&self, stream: u64) -> Result<Option<u64>> {
        Ok(self.streams.get(stream)?.capture)
    }

    /// Adds a command to a graph.
    ///
    /// # Errors
    /// [`Error::StreamCaptureUnsupported`] if no node stands for the command.
    pub(crate) fn capture(&mut self, graph: u64, command: Command) -> Result<()> {
        let work = match command {
            Command::Launch(launch) => NodeAction::Launch(launch),
            Command::Copy(copy) => NodeAction::Copies(vec![copy]),
            Command::Fill(fill) => NodeAction::Fill(fill),
            Command::Host(call) => NodeAction::Host(call),
            Command::Free(_)
            | Command::Record(..)
            | Command::WaitEvent(..)
            | Command::After(..) => {
                return Err(Error::StreamCaptureUnsupported);
            }
        };
        // Calls of all captured streams form one chain, which respects every dependency.
        let last = self.graphs.get(graph)?.last();
        self.add_node(graph, work, last.into_iter().collect())
            .map(drop)
    }
}
