//! The check of a launch against its kernel and the instruction set.

use super::KernelLaunch;
use crate::code_object::ArgumentKind;
use crate::error::LaunchFault;
use crate::execute::check_mode;
use crate::isa::{EncodingFamily, Isa};

/// The largest accepted argument block, in bytes.
const KERNARG_LIMIT: u32 = 1 << 20;

/// Returns the largest LDS of a workgroup in bytes (AMDGPUUsage, `GRANULATED_LDS_SIZE`; LLVM,
/// `getAddressableLocalMemorySize`).
fn lds_limit(isa: Isa) -> u32 {
    1024 * if isa == Isa::Gfx950 { 160 } else { 64 }
}

/// Returns the largest private memory of a lane in bytes: the wave's limit divided by its lanes.
/// The limit is 13 bits of 1 KB, or 15 and 18 bits of 256 bytes on gfx11 and gfx12 (AMDGPUUsage,
/// `COMPUTE_TMPRING_SIZE.WAVESIZE`).
fn scratch_limit(isa: Isa, lanes: u32) -> u32 {
    let wave = match isa.family() {
        EncodingFamily::Gfx9 | EncodingFamily::Gfx10 => ((1 << 13) - 1) * 1024,
        EncodingFamily::Gfx11 => ((1 << 15) - 1) * 256,
        EncodingFamily::Gfx12 => ((1 << 18) - 1) * 256,
    };
    wave / lanes
}

/// Checks that the launch fits the kernel.
pub(super) fn check(isa: Isa, launch: &KernelLaunch<'_>) -> Result<(), LaunchFault> {
    let kernel = launch.kernel;
    let refuse = |reason: String| {
        Err(LaunchFault::Launch {
            kernel: kernel.name.clone(),
            reason,
        })
    };
    let items = launch.workgroup_items();
    let [x, y, z] = launch.workgroup_size;
    if items == 0 || launch.total_workgroups() == 0 {
        return refuse(format!(
            "{:?} workgroups of {x}x{y}x{z} are empty",
            launch.workgroups
        ));
    }
    // 1,024 work-items is the hardware's limit; a kernel may declare less.
    if items > u64::from(kernel.max_workgroup_size) || items > 1024 {
        let most = kernel.max_workgroup_size.min(1024);
        return refuse(format!(
            "a workgroup of {x}x{y}x{z} = {items} work-items exceeds {most}"
        ));
    }
    if let Some(required) = kernel
        .required_workgroup_size
        .filter(|required| *required != launch.workgroup_size)
    {
        return refuse(format!(
            "requires workgroups of {required:?}, not [{x}, {y}, {z}]"
        ));
    }
    let lds = kernel.lds_bytes.saturating_add(launch.dynamic_lds_bytes);
    // The metadata may be damaged, so its numbers are checked before any allocation.
    let limit = lds_limit(isa);
    if lds > limit {
        return refuse(format!("{lds} bytes of LDS exceed {limit}"));
    }
    let limit = scratch_limit(isa, kernel.wavefront_size);
    if kernel.scratch_bytes > limit {
        let bytes = kernel.scratch_bytes;
        return refuse(format!(
            "{bytes} bytes of private memory per lane exceed {limit}"
        ));
    }
    if kernel.kernarg_bytes > KERNARG_LIMIT {
        return refuse(format!(
            "{} bytes of arguments exceed {KERNARG_LIMIT}",
            kernel.kernarg_bytes
        ));
    }
    // Hidden arguments are filled in later, so the caller need not pass them.
    let explicit = kernel
        .arguments
        .iter()
        .filter(|argument| !matches!(argument.kind, ArgumentKind::Hidden(_)))
        .map(|argument| argument.offset.saturating_add(argument.size))
        .max()
        .unwrap_or(0);
    if (launch.kernarg.len() as u64) < u64::from(explicit) {
        let got = launch.kernarg.len();
        return refuse(format!(
            "{got} bytes of arguments; the kernel's end at byte {explicit}"
        ));
    }
    if let Some(reason) = check_mode(kernel.float_mode.bits).err() {
        return refuse(reason);
    }
    let total = launch.total_workgroups();
    if let Some(outside) = launch
        .workgroup_subset
        .and_then(|ids| ids.iter().find(|&&id| u64::from(id) >= total))
    {
        return refuse(format!("workgroup {outside} of {total} does not exist"));
    }
    // Linear workgroup IDs have 32 bits.
    if total > u64::from(u32::MAX) {
        return refuse(format!("{total} workgroups are too many"));
    }
    Ok(())
}
