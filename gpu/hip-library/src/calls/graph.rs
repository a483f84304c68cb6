//! Calls that build graphs and launch them.

use crate::command::{Command, HostCall, HostFunction};
use crate::copy::{MemoryCopy, MemoryFill};
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{Dim3, InPointer, OutPointer, Pointer};
use crate::graph::{Executable, Graph, NodeAction};
use crate::launch::{LaunchCommand, arguments_or_block};
use crate::pitched_copy::BoxCopy;
use crate::registry::function;
use crate::state::{healthy_state, state};
use crate::submission::{record, submit, submit_copy, submit_event_wait};

fn add(
    node: OutPointer<u64>,
    graph: u64,
    after: &InPointer<u64>,
    count: usize,
    work: impl FnOnce() -> Result<NodeAction>,
) -> Result<()> {
    // Nothing is added to the graph if the caller's place or parameters are invalid.
    node.check()?;
    let after = (0..count)
        .map(|index| after.at(index))
        .collect::<Result<_>>()?;
    let work = work()?;
    node.put(healthy_state()?.add_node(graph, work, after)?)
}

/// `hipKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelParameters {
    block: Dim3,
    list: Pointer,
    function: Pointer,
    grid: Dim3,
    addresses: Pointer,
    dynamic_lds_bytes: u32,
}

impl KernelParameters {
    fn work(self) -> Result<NodeAction> {
        let function = function(self.function)?;
        let (addresses, list) = (InPointer::new(self.addresses), InPointer::new(self.list));
        Ok(NodeAction::Launch(LaunchCommand {
            kernarg: arguments_or_block(&function, &addresses, &list)?,
            function,
            workgroups: self.grid.into(),
            workgroup_size: self.block.into(),
            dynamic_lds_bytes: self.dynamic_lds_bytes,
        }))
    }
}

/// `hipMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy)]
struct FillParameters {
    to: Pointer,
    element_bytes: u32,
    height: usize,
    pitch: usize,
    value: u32,
    width: usize,
}

impl FillParameters {
    fn work(self) -> Result<NodeAction> {
        let bytes = self.element_bytes as usize;
        if !matches!(bytes, 1 | 2 | 4) {
            return Err(Error::InvalidValue);
        }
        let width = self.width.checked_mul(bytes).ok_or(Error::InvalidValue)?;
        Ok(NodeAction::Fill(MemoryFill {
            to: self.to,
            value: self.value.to_le_bytes()[..bytes].to_vec(),
            width: width as u64,
            // A pitch of 0 is allowed for one row.
            pitch: self.pitch.max(width) as u64,
            rows: self.height.max(1) as u64,
        }))
    }
}

/// `hipHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy)]
struct HostParameters {
    function: Option<extern "C" fn(Pointer)>,
    data: Pointer,
}

fn instantiate(executable: OutPointer<u64>, graph: u64) -> Result<()> {
    executable.check()?;
    let mut state = healthy_state()?;
    // The nodes are copied: later changes of the graph do not affect the executable.
    let steps = state.graphs.get(graph)?.ordered()?;
    executable.put(state.executables.insert(Executable { steps }))
}

/// Submits all nodes of an executable graph to a stream.
fn launch(executable: u64, stream: u64) -> Result<()> {
    // The lock is released before the submission, because each command takes it.
    let steps = healthy_state()?.executables.get(executable)?.steps.clone();
    for step in steps {
        match step.work {
            NodeAction::Nothing => {}
            NodeAction::Launch(launch) => submit(stream, Command::Launch(launch))?,
            NodeAction::Copies(copies) => {
                for copy in copies {
                    submit_copy(stream, copy)?;
                }
            }
            NodeAction::Fill(fill) => submit(stream, Command::Fill(fill))?,
            NodeAction::Host(call) => submit(stream, Command::Host(call))?,
            NodeAction::Record(event) => record(event, stream)?,
            NodeAction::Wait(event) => submit_event_wait(stream, event)?,
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphCreate(graph: OutPointer<u64>, flags: u32) -> Status {
    enter(|| match flags {
        0 => graph.put(healthy_state()?.graphs.insert(Graph::default())),
        _ => Err(Error::InvalidValue),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphDestroy(graph: u64) -> Status {
    enter(|| {
        let mut state = state()?;
        state.graphs.remove(graph)?;
        // Executables have copies of the nodes and stay valid.
        state.nodes.retain(|of| *of != graph);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphClone(clone: OutPointer<u64>, graph: u64) -> Status {
    enter(|| {
        let mut state = healthy_state()?;
        let copy = state.graphs.get(graph)?.clone();
        clone.put(state.graphs.insert(copy))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddEmptyNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
) -> Status {
    enter(|| add(node, graph, &after, count, || Ok(NodeAction::Nothing)))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddKernelNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    parameters: InPointer<KernelParameters>,
) -> Status {
    enter(|| add(node, graph, &after, count, || parameters.get()?.work()))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddMemsetNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    parameters: InPointer<FillParameters>,
) -> Status {
    enter(|| add(node, graph, &after, count, || parameters.get()?.work()))
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipGraphAddMemcpyNode1D(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    to: Pointer,
    from: Pointer,
    bytes: usize,
    _kind: i32,
) -> Status {
    let work = || Ok(NodeAction::Copies(vec![MemoryCopy::line(to, from, bytes)]));
    enter(|| add(node, graph, &after, count, work))
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvGraphAddMemcpyNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    copy: InPointer<BoxCopy>,
    _context: u64,
) -> Status {
    let work = || Ok(NodeAction::Copies(copy.get()?.slices()?));
    enter(|| add(node, graph, &after, count, work))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddHostNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    parameters: InPointer<HostParameters>,
) -> Status {
    let work = || {
        let HostParameters { function, data } = parameters.get()?;
        let function = HostFunction::Plain(function.ok_or(Error::InvalidValue)?);
        Ok(NodeAction::Host(HostCall { function, data }))
    };
    enter(|| add(node, graph, &after, count, work))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddEventRecordNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    event: u64,
) -> Status {
    enter(|| add(node, graph, &after, count, || Ok(NodeAction::Record(event))))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddEventWaitNode(
    node: OutPointer<u64>,
    graph: u64,
    after: InPointer<u64>,
    count: usize,
    event: u64,
) -> Status {
    enter(|| add(node, graph, &after, count, || Ok(NodeAction::Wait(event))))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphAddDependencies(
    graph: u64,
    from: InPointer<u64>,
    to: InPointer<u64>,
    count: usize,
) -> Status {
    enter(|| {
        let mut state = healthy_state()?;
        let nodes = &mut state.graphs.get_mut(graph)?.nodes;
        for index in 0..count {
            let (before, after) = (from.at(index)?, to.at(index)?);
            let known = |handle| nodes.iter().position(|node| node.handle == handle);
            let place = known(after).filter(|_| known(before).is_some());
            let place = place.ok_or(Error::InvalidValue)?;
            nodes[place].after.push(before);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphInstantiate(
    executable: OutPointer<u64>,
    graph: u64,
    _error_node: Pointer,
    _log: Pointer,
    _log_bytes: usize,
) -> Status {
    enter(|| instantiate(executable, graph))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphInstantiateWithFlags(
    executable: OutPointer<u64>,
    graph: u64,
    _flags: u64,
) -> Status {
    enter(|| instantiate(executable, graph))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphExecDestroy(executable: u64) -> Status {
    enter(|| state()?.executables.remove(executable).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphUpload(executable: u64, stream: u64) -> Status {
    enter(|| {
        // There is nothing to upload; only the handles are checked.
        let state = healthy_state()?;
        state.streams.get(stream)?;
        state.executables.get(executable).map(drop)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphLaunch(executable: u64, stream: u64) -> Status {
    enter(|| launch(executable, stream))
}

#[unsafe(no_mangle)]
extern "C" fn hipGraphExecKernelNodeSetParams(
    executable: u64,
    node: u64,
    parameters: InPointer<KernelParameters>,
) -> Status {
    enter(|| {
        let work = parameters.get()?.work()?;
        let mut state = healthy_state()?;
        let steps = &mut state.executables.get_mut(executable)?.steps;
        let step = steps.iter_mut().find(|step| step.handle == node);
        // HIP allows other parameters, but no other kind of node.
        match step {
            Some(step) if matches!(step.work, NodeAction::Launch(_)) => step.work = work,
            _ => return Err(Error::InvalidValue),
        }
        Ok(())
    })
}
