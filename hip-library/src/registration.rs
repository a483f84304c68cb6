//! Programs that clang compiled: the fat binaries in them, and the functions and variables of the host that stand for
//! kernels and variables of the device.
//!
//! What a program registers before `main` is only noted; code is loaded when the first of it is used. The order of locks
//! is the registry's, then the state's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::command::Command;
use crate::copy::Copy;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{Dim3, In, Out, Pointer, Text, host_slice, host_value, put_host_bytes};
use crate::function;
use crate::handles::Handles;
use crate::image;
use crate::launch::{Launch, arguments, between};
use crate::memory::Kind;
use crate::module::Function;
use crate::state::{state, working};
use crate::stream::{NULL, submit, submit_copy, then_wait};

/// The first word of what a program registers (`HIPF`), and where it holds the address of the bundle.
const MAGIC: u32 = 0x4849_5046;
const BUNDLE_AT: u64 = 8;

/// A fat binary of the program.
struct Binary {
    bundle: Pointer,
    /// The module, once it is loaded.
    module: Option<u64>,
    /// Names of managed variables and where they are.
    managed: Vec<(String, Pointer)>,
}

/// What is registered: functions and variables by their addresses on the host.
#[derive(Default)]
struct Registry {
    binaries: Handles<Binary>,
    functions: HashMap<Pointer, (u64, String)>,
    variables: HashMap<Pointer, (u64, String)>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

fn with_registry<R>(body: impl FnOnce(&mut Registry) -> R) -> R {
    let mut registry: MutexGuard<'_, _> = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    body(registry.get_or_insert_with(Registry::default))
}

impl Registry {
    /// The module of a binary, which is loaded now if it was not.
    fn module(&mut self, binary: u64) -> Result<u64> {
        let binary = self.binaries.get_mut(binary)?;
        if let Some(module) = binary.module {
            return Ok(module);
        }
        let mut state = working()?;
        let code = image::load_at(binary.bundle, &state.device)?;
        let module = state.load(code)?;
        for (name, address) in &binary.managed {
            // The variable of the device is a pointer to the memory that both see.
            let (place, _) = state.variable(module, name)?;
            let bytes = address.to_le_bytes().to_vec();
            Copy::bytes(place, bytes).run(&mut state.space)?;
        }
        binary.module = Some(module);
        Ok(module)
    }
}

/// The kernel that a function of the host stands for.
///
/// # Errors
/// [`Error::InvalidDeviceFunction`], or why the code is not loaded.
pub(crate) fn function(host: Pointer) -> Result<Function> {
    with_registry(|registry| {
        let known = registry.functions.get(&host).cloned();
        let (binary, name) = known.ok_or(Error::InvalidDeviceFunction)?;
        let module = registry.module(binary)?;
        let mut state = state()?;
        let handle = state
            .function(module, &name)
            .map_err(|_| Error::InvalidDeviceFunction)?;
        state.functions.get(handle).cloned()
    })
}

/// Where the variable is that one of the host stands for, and its bytes.
fn variable(host: Pointer) -> Result<(Pointer, u64)> {
    with_registry(|registry| {
        let known = registry.variables.get(&host).cloned();
        let (binary, name) = known.ok_or(Error::InvalidSymbol)?;
        let module = registry.module(binary)?;
        state()?
            .variable(module, &name)
            .map_err(|_| Error::InvalidSymbol)
    })
}

/// `bytes` bytes of a variable, from `offset` on.
fn part(host: Pointer, bytes: usize, offset: usize) -> Result<Pointer> {
    let (start, size) = variable(host)?;
    let end = (offset as u64).checked_add(bytes as u64);
    end.filter(|end| *end <= size).ok_or(Error::InvalidValue)?;
    Ok(start + offset as u64)
}

#[unsafe(no_mangle)]
extern "C" fn __hipRegisterFatBinary(wrapper: Pointer) -> u64 {
    let mut handle = 0;
    enter(|| {
        if host_value::<u32>(wrapper)? != MAGIC {
            return Err(Error::InvalidImage);
        }
        let bundle = host_value(wrapper + BUNDLE_AT)?;
        let binary = Binary {
            bundle,
            module: None,
            managed: Vec::new(),
        };
        handle = with_registry(|registry| registry.binaries.insert(binary));
        Ok(())
    });
    handle
}

#[unsafe(no_mangle)]
extern "C" fn __hipUnregisterFatBinary(binary: u64) {
    enter(|| {
        let removed = with_registry(|registry| {
            let of_others = |of: &(u64, String)| of.0 != binary;
            registry.functions.retain(|_, of| of_others(of));
            registry.variables.retain(|_, of| of_others(of));
            registry.binaries.remove(binary)
        })?;
        match removed.module {
            Some(module) => state()?.unload(module),
            None => Ok(()),
        }
    });
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn __hipRegisterFunction(
    binary: u64,
    host: Pointer,
    _device_function: Text,
    name: Text,
    _limit: u32,
    _thread: Pointer,
    _block: Pointer,
    _block_size: Pointer,
    _grid_size: Pointer,
    _wave_size: Pointer,
) {
    enter(|| {
        let name = name.get()?;
        with_registry(|registry| registry.functions.insert(host, (binary, name)));
        Ok(())
    });
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn __hipRegisterVar(
    binary: u64,
    host: Pointer,
    _host_name: Text,
    name: Text,
    _extern: i32,
    _bytes: usize,
    _constant: i32,
    _global: i32,
) {
    enter(|| {
        let name = name.get()?;
        with_registry(|registry| registry.variables.insert(host, (binary, name)));
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "C" fn __hipRegisterManagedVar(
    binary: u64,
    pointer: Pointer,
    initial: Pointer,
    name: Text,
    bytes: usize,
    _align: u32,
) {
    enter(|| {
        let name = name.get()?;
        let address = state()?
            .space
            .allocate_visible(bytes as u64, Kind::Managed, 0)?;
        put_host_bytes(address, host_slice(initial, bytes)?)?;
        put_host_bytes(pointer, &address.to_le_bytes())?;
        with_registry(|registry| {
            let binary = registry.binaries.get_mut(binary)?;
            binary.managed.push((name, address));
            Ok(())
        })
    });
}

thread_local! {
    /// Launches that are written down and not yet made: `<<<>>>` says how first and with what then.
    static CONFIGURED: RefCell<Vec<(Dim3, Dim3, usize, u64)>> = const { RefCell::new(Vec::new()) };
}

#[unsafe(no_mangle)]
extern "C" fn __hipPushCallConfiguration(
    grid: Dim3,
    block: Dim3,
    dynamic_lds_bytes: usize,
    stream: u64,
) -> Status {
    enter(|| {
        CONFIGURED.with_borrow_mut(|all| all.push((grid, block, dynamic_lds_bytes, stream)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn __hipPopCallConfiguration(
    grid: Out<Dim3>,
    block: Out<Dim3>,
    dynamic_lds_bytes: Out<usize>,
    stream: Out<u64>,
) -> Status {
    enter(|| {
        let last = CONFIGURED.with_borrow_mut(Vec::pop);
        let last = last.ok_or(Error::MissingConfiguration)?;
        grid.put(last.0)?;
        block.put(last.1)?;
        dynamic_lds_bytes.put(last.2)?;
        stream.put(last.3)
    })
}

/// The launch of a function of the host.
fn launch(
    host: Pointer,
    grid: Dim3,
    block: Dim3,
    addresses: &In<Pointer>,
    dynamic_lds_bytes: usize,
) -> Result<Launch> {
    let function = function::function(host)?;
    let lds = u32::try_from(dynamic_lds_bytes).map_err(|_| Error::InvalidConfiguration)?;
    Ok(Launch {
        kernarg: arguments(&function, addresses)?,
        function,
        workgroups: grid.into(),
        workgroup_size: block.into(),
        dynamic_lds_bytes: lds,
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipLaunchKernel(
    host: Pointer,
    grid: Dim3,
    block: Dim3,
    addresses: In<Pointer>,
    dynamic_lds_bytes: usize,
    stream: u64,
) -> Status {
    enter(|| {
        let launch = launch(host, grid, block, &addresses, dynamic_lds_bytes)?;
        submit(stream, Command::Launch(launch))
    })
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipExtLaunchKernel(
    host: Pointer,
    grid: Dim3,
    block: Dim3,
    addresses: In<Pointer>,
    dynamic_lds_bytes: usize,
    stream: u64,
    start: u64,
    stop: u64,
    _flags: i32,
) -> Status {
    enter(|| {
        let launch = launch(host, grid, block, &addresses, dynamic_lds_bytes)?;
        between(start, stop, stream, launch)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetFuncBySymbol(handle: Out<u64>, host: Pointer) -> Status {
    enter(|| {
        handle.check()?;
        let found = function(host)?;
        let mut state = state()?;
        handle.put(state.function(found.module, &found.kernel().name)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetSymbolAddress(address: Out<Pointer>, symbol: Pointer) -> Status {
    enter(|| address.put(variable(symbol)?.0))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetSymbolSize(bytes: Out<usize>, symbol: Pointer) -> Status {
    enter(|| bytes.put(variable(symbol)?.1 as usize))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyToSymbol(
    symbol: Pointer,
    from: Pointer,
    bytes: usize,
    offset: usize,
    _kind: i32,
) -> Status {
    enter(|| {
        let to = part(symbol, bytes, offset)?;
        then_wait(submit_copy(NULL, Copy::line(to, from, bytes)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyToSymbolAsync(
    symbol: Pointer,
    from: Pointer,
    bytes: usize,
    offset: usize,
    _kind: i32,
    stream: u64,
) -> Status {
    enter(|| {
        submit_copy(
            stream,
            Copy::line(part(symbol, bytes, offset)?, from, bytes),
        )
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyFromSymbol(
    to: Pointer,
    symbol: Pointer,
    bytes: usize,
    offset: usize,
    _kind: i32,
) -> Status {
    enter(|| {
        let from = part(symbol, bytes, offset)?;
        then_wait(submit_copy(NULL, Copy::line(to, from, bytes)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyFromSymbolAsync(
    to: Pointer,
    symbol: Pointer,
    bytes: usize,
    offset: usize,
    _kind: i32,
    stream: u64,
) -> Status {
    enter(|| submit_copy(stream, Copy::line(to, part(symbol, bytes, offset)?, bytes)))
}
