//! Graphs: commands that are written down once and given to a stream many times.
//!
//! A graph's nodes are done one after the other, in an order in which each comes after those that it depends on.

mod calls;

use crate::command::{Command, HostCall};
use crate::copy::{Copy, Fill};
use crate::error::{Error, Result};
use crate::event;
use crate::launch::Launch;
use crate::state::{State, working};
use crate::stream::{submit, submit_copy};

/// What a node does.
#[derive(Clone)]
pub(crate) enum Work {
    Nothing,
    Launch(Launch),
    /// One after the other.
    Copies(Vec<Copy>),
    Fill(Fill),
    Host(HostCall),
    Record(u64),
    Wait(u64),
}

/// A node.
#[derive(Clone)]
struct Node {
    handle: u64,
    work: Work,
    after: Vec<u64>,
}

/// A graph. Its nodes have handles of their own.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
}

/// What an executable graph gives to a stream, in this order.
pub(crate) struct Executable {
    steps: Vec<Node>,
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
    fn ordered(&self) -> Result<Vec<Node>> {
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

impl State {
    /// Adds a node to a graph; returns its handle.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`]; [`Error::InvalidValue`] where it comes after what is no node of the graph.
    pub(crate) fn add_node(&mut self, graph: u64, work: Work, after: Vec<u64>) -> Result<u64> {
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

/// Gives a stream everything that an executable graph does.
fn launch(executable: u64, stream: u64) -> Result<()> {
    let steps = working()?.executables.get(executable)?.steps.clone();
    for step in steps {
        match step.work {
            Work::Nothing => {}
            Work::Launch(launch) => submit(stream, Command::Launch(launch))?,
            Work::Copies(copies) => {
                for copy in copies {
                    submit_copy(stream, copy)?;
                }
            }
            Work::Fill(fill) => submit(stream, Command::Fill(fill))?,
            Work::Host(call) => submit(stream, Command::Host(call))?,
            Work::Record(event) => event::record(event, stream)?,
            Work::Wait(event) => event::wait_in(stream, event)?,
        }
    }
    Ok(())
}
