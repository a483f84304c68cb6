//! Calls that clang inserts into programs, and calls that take host functions and variables.

use std::cell::RefCell;

use crate::command::Command;
use crate::copy::MemoryCopy;
use crate::error::{Error, Result, Status, enter};
use crate::ffi::{
    Dim3, InPointer, OutPointer, Pointer, TextPointer, host_slice, host_value, put_host_bytes,
};
use crate::launch::{LaunchCommand, arguments};
use crate::memory::AllocationKind;
use crate::registry::{Binary, function, of_host, part, variable, with_registry};
use crate::state::{state, wait_for_memory};
use crate::stream::NULL;
use crate::submission::{submit, submit_between_events, submit_copy};
use crate::synchronization::then_wait;

/// The first word of a registration (`HIPF`), and the offset of the bundle's address in it.
const MAGIC: u32 = 0x4849_5046;
const BUNDLE_AT: u64 = 8;

#[unsafe(no_mangle)]
extern "C" fn __hipRegisterFatBinary(wrapper: Pointer) -> u64 {
    let mut handle = 0;
    enter(|| {
        if host_value::<u32>(wrapper)? != MAGIC {
            return Err(Error::InvalidImage);
        }
        let bundle = host_value(wrapper + BUNDLE_AT)?;
        // The code is not loaded yet: this runs before `main`, perhaps without a device.
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
        // A module that was never used was never loaded.
        match removed.module {
            Some(module) => wait_for_memory(state()?).unload(module),
            None => Ok(()),
        }
    });
}

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn __hipRegisterFunction(
    binary: u64,
    host: Pointer,
    _device_function: TextPointer,
    name: TextPointer,
    _limit: u32,
    _thread: Pointer,
    _block: Pointer,
    _block_size: Pointer,
    _grid_size: Pointer,
    _wave_size: Pointer,
) {
    enter(|| {
        // clang registers by host address, which `<<<>>>` passes to hipLaunchKernel.
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
    _host_name: TextPointer,
    name: TextPointer,
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
    name: TextPointer,
    bytes: usize,
    _align: u32,
) {
    enter(|| {
        let name = name.get()?;
        // Unlike code, a managed variable must exist at once: the host may use it before any
        // launch.
        let address = state()?
            .space
            .allocate_visible(bytes as u64, AllocationKind::Managed, 0)?;
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
    /// Configurations of launches that are not yet made: `<<<>>>` pushes the configuration, and
    /// the stub then pops it.
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
    grid: OutPointer<Dim3>,
    block: OutPointer<Dim3>,
    dynamic_lds_bytes: OutPointer<usize>,
    stream: OutPointer<u64>,
) -> Status {
    enter(|| {
        // A stack, because an argument of a launch may contain another launch.
        let last = CONFIGURED.with_borrow_mut(Vec::pop);
        let last = last.ok_or(Error::MissingConfiguration)?;
        grid.put(last.0)?;
        block.put(last.1)?;
        dynamic_lds_bytes.put(last.2)?;
        stream.put(last.3)
    })
}

/// Returns the launch of a host function.
fn launch(
    host: Pointer,
    grid: Dim3,
    block: Dim3,
    addresses: &InPointer<Pointer>,
    dynamic_lds_bytes: usize,
) -> Result<LaunchCommand> {
    let function = function(host)?;
    let lds = u32::try_from(dynamic_lds_bytes).map_err(|_| Error::InvalidConfiguration)?;
    Ok(LaunchCommand {
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
    addresses: InPointer<Pointer>,
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
    addresses: InPointer<Pointer>,
    dynamic_lds_bytes: usize,
    stream: u64,
    start: u64,
    stop: u64,
    _flags: i32,
) -> Status {
    enter(|| {
        let launch = launch(host, grid, block, &addresses, dynamic_lds_bytes)?;
        submit_between_events(start, stop, stream, launch)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetFuncBySymbol(handle: OutPointer<u64>, host: Pointer) -> Status {
    enter(|| {
        // The registry's lock comes before the state's, so the handle is looked up afterwards.
        handle.check()?;
        let found = of_host(host)?;
        let mut state = state()?;
        handle.put(state.function(found.module, &found.kernel().name)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetSymbolAddress(address: OutPointer<Pointer>, symbol: Pointer) -> Status {
    enter(|| address.put(variable(symbol)?.0))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetSymbolSize(bytes: OutPointer<usize>, symbol: Pointer) -> Status {
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
        // The bounds are those of the variable and not of the whole image.
        let to = part(symbol, bytes, offset)?;
        then_wait(submit_copy(NULL, MemoryCopy::line(to, from, bytes)))
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
            MemoryCopy::line(part(symbol, bytes, offset)?, from, bytes),
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
        then_wait(submit_copy(NULL, MemoryCopy::line(to, from, bytes)))
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
    enter(|| {
        submit_copy(
            stream,
            MemoryCopy::line(to, part(symbol, bytes, offset)?, bytes),
        )
    })
}
