//! A barrier that some waves of a workgroup do not reach.

use emulator::{Fault, Launch, Memory, run};

use super::target::Target;

pub(crate) fn check(target: Target) -> Result<(), String> {
    let code = target.compile("source/barrier.hip")?;
    let kernel = code.kernel("uneven").ok_or("no such kernel")?;
    let mut memory = Memory::new();
    let out = memory.allocate(512).map_err(|error| error.to_string())?;
    let launch = Launch {
        kernel,
        workgroups: [1, 1, 1],
        workgroup_size: [128, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &out.get().to_le_bytes(),
        only: None,
        instruction_limit: 1_000_000,
    };
    let (all, first) = (128 / target.wave, 64 / target.wave);
    match run(&code, &mut memory, &launch) {
        Err(Fault::Barrier {
            waiting,
            ended,
            waves,
            ..
        }) if (waiting, ended, waves) == (first, all - first, all) => Ok(()),
        Err(other) => Err(format!("{other}, not a barrier's fault")),
        Ok(_) => Err("no fault".into()),
    }
}
