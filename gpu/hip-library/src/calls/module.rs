//! Calls that load modules and find kernels and variables in them.

use crate::error::{Error, Result, Status, enter};
use crate::ffi::{OutPointer, Pointer, TextPointer};
use crate::image;
use crate::state::{healthy_state, state, wait_for_memory};
use crate::synchronization::synchronize_all;

fn load_data(module: OutPointer<u64>, start: Pointer) -> Result<()> {
    module.check()?;
    let mut state = healthy_state()?;
    let code = image::load_at(start, &state.device)?;
    module.put(state.load(code)?)
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoadData(module: OutPointer<u64>, image: Pointer) -> Status {
    enter(|| load_data(module, image))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoadDataEx(
    module: OutPointer<u64>,
    image: Pointer,
    _options: u32,
    _names: Pointer,
    _values: Pointer,
) -> Status {
    // The options are for a compiler, and there is none here.
    enter(|| load_data(module, image))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoad(module: OutPointer<u64>, path: TextPointer) -> Status {
    enter(|| {
        module.check()?;
        let file = std::fs::read(path.get()?).map_err(|_| Error::FileNotFound)?;
        let mut state = healthy_state()?;
        let code = image::load(&file, &state.device)?;
        module.put(state.load(code)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleUnload(module: u64) -> Status {
    enter(|| {
        // The program can clean up after a kernel's fault, so the fault is returned only
        // afterwards.
        let waited = synchronize_all();
        wait_for_memory(state()?).unload(module)?;
        waited
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleGetFunction(
    function: OutPointer<u64>,
    module: u64,
    name: TextPointer,
) -> Status {
    enter(|| function.put(state()?.function(module, &name.get()?)?))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleGetGlobal(
    address: OutPointer<Pointer>,
    bytes: OutPointer<usize>,
    module: u64,
    name: TextPointer,
) -> Status {
    enter(|| {
        let found = state()?.variable(module, &name.get()?)?;
        address.put_if_wanted(found.0);
        bytes.put_if_wanted(found.1 as usize);
        Ok(())
    })
}
