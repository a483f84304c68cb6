//! How a wave starts: what its registers hold (AMDGPUUsage, "Initial Kernel Execution State").

use super::{Launch, Resident, arguments};
use crate::code_object::Kernel;
use crate::error::Fault;
use crate::execute::{Wave, check_mode};

/// What registers and LDS hold before anything is written: no value that a program could mistake for its own.
pub(super) const POISON: u32 = 0xbadc_0ffe;
/// Largest LDS of a workgroup on any supported part.
const LDS_LIMIT: u32 = 160 * 1024;
/// Largest private memory of a lane: 8,191 KB for a wave (AMDGPUUsage, `COMPUTE_TMPRING_SIZE.WAVESIZE` of gfx9).
const SCRATCH_LIMIT: u32 = 8191 * 1024 / 64;
/// Largest argument block that is taken for one.
const KERNARG_LIMIT: u32 = 1 << 20;

/// Whether the launch fits the kernel.
pub(super) fn check(launch: &Launch<'_>) -> Result<(), Fault> {
    let kernel = launch.kernel;
    let refuse = |reason: String| {
        Err(Fault::Launch {
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
    if lds > LDS_LIMIT {
        return refuse(format!("{lds} bytes of LDS exceed {LDS_LIMIT}"));
    }
    if kernel.scratch_bytes > SCRATCH_LIMIT {
        let bytes = kernel.scratch_bytes;
        return refuse(format!(
            "{bytes} bytes of private memory per lane exceed {SCRATCH_LIMIT}"
        ));
    }
    if kernel.kernarg_bytes > KERNARG_LIMIT {
        return refuse(format!(
            "{} bytes of arguments exceed {KERNARG_LIMIT}",
            kernel.kernarg_bytes
        ));
    }
    let explicit = kernel
        .arguments
        .iter()
        .filter(|argument| !matches!(argument.kind, crate::code_object::ArgumentKind::Hidden(_)))
        .map(|argument| argument.offset.saturating_add(argument.size))
        .max()
        .unwrap_or(0);
    if (launch.kernarg.len() as u64) < u64::from(explicit) {
        let got = launch.kernarg.len();
        return refuse(format!(
            "{got} bytes of arguments; the kernel's end at byte {explicit}"
        ));
    }
    let user = kernel.user_registers;
    if user.private_segment_buffer || user.flat_scratch {
        return refuse(format!(
            "asks for registers that are not provided: {user:?}"
        ));
    }
    if let Some(reason) = check_mode(kernel.float_mode.bits).err() {
        return refuse(reason);
    }
    let total = launch.total_workgroups();
    if let Some(outside) = launch
        .only
        .and_then(|ids| ids.iter().find(|&&id| u64::from(id) >= total))
    {
        return refuse(format!("workgroup {outside} of {total} does not exist"));
    }
    if total > u64::from(u32::MAX) {
        return refuse(format!("{total} workgroups are too many"));
    }
    Ok(())
}

/// Sets the registers of wave `number` of the workgroup `id`; `entry` is the first step.
pub(super) fn start(
    wave: &mut Wave,
    launch: &Launch<'_>,
    resident: &Resident,
    block: &[u8],
    entry: usize,
    id: [u32; 3],
    number: u32,
) {
    let kernel = launch.kernel;
    poison(wave, kernel);
    wave.number = number;
    wave.next = entry;
    wave.current = entry;
    wave.executed = 0;
    wave.approximate = 0;
    wave.scc = false;
    wave.set_mode(kernel.float_mode.bits);
    let first = u64::from(number) * 64;
    let active = (launch.workgroup_items() - first).min(64);
    wave.set_exec(if active == 64 {
        u64::MAX
    } else {
        (1 << active) - 1
    });
    scalars(wave, launch, resident, block, id, number);
    let [x, y, _] = launch.workgroup_size;
    for lane in 0..64u32 {
        let item = number * 64 + lane;
        let packed = (item % x) | ((item / x % y) << 10) | ((item / (x * y)) << 20);
        wave.vector[0].0[lane as usize] = packed;
    }
    wave.scratch_bytes = kernel.scratch_bytes;
    wave.scratch.clear();
    let bytes = kernel.scratch_bytes as usize * 64;
    wave.scratch
        .extend(POISON.to_le_bytes().into_iter().cycle().take(bytes));
}

fn poison(wave: &mut Wave, kernel: &Kernel) {
    let plain = kernel.plain_vgprs.min(256) as usize;
    let accumulation = kernel.agprs.min(256) as usize;
    for register in &mut wave.vector[..plain] {
        register.0 = [POISON; 64];
    }
    for register in &mut wave.vector[256..256 + accumulation] {
        register.0 = [POISON; 64];
    }
    for register in 0..=124 {
        wave.set_scalar(register, POISON);
    }
}

fn scalars(
    wave: &mut Wave,
    launch: &Launch<'_>,
    resident: &Resident,
    block: &[u8],
    id: [u32; 3],
    number: u32,
) {
    let user = &launch.kernel.user_registers;
    let mut next = 0u8;
    let mut push = |value: u32| {
        wave.set_scalar(next, value);
        next += 1;
    };
    let mut push_pair = |value: u64| {
        push(value as u32);
        push((value >> 32) as u32);
    };
    if user.dispatch_pointer {
        push_pair(resident.packet.get());
    }
    if user.queue_pointer {
        // A queue of zeros: what kernels read of it (apertures) has its own registers on these parts.
        push_pair(resident.packet.get() + arguments::PACKET_BYTES as u64);
    }
    if user.kernarg_pointer {
        push_pair(resident.kernarg.get());
    }
    if user.dispatch_id {
        push_pair(0);
    }
    if user.private_segment_size {
        push(launch.kernel.scratch_bytes);
    }
    for index in 0..user.preload_dwords {
        let start = 4 * (user.preload_offset_dwords + index) as usize;
        let bytes = block
            .get(start..start + 4)
            .and_then(|bytes| bytes.try_into().ok());
        push(bytes.map_or(0, u32::from_le_bytes));
    }
    // The workgroup ids follow the user registers, of which some may be unused.
    next = next.max(user.count as u8);
    for (value, enabled) in id.into_iter().zip(user.workgroup_id) {
        if enabled {
            wave.set_scalar(next, value);
            next += 1;
        }
    }
    if user.workgroup_info {
        let waves = launch.workgroup_waves();
        let first = u32::from(number == 0) << 31;
        wave.set_scalar(next, first | (number << 20) | waves);
        next += 1;
    }
    if user.private_segment {
        // Private memory is addressed by lane offsets here: its base means nothing.
        wave.set_scalar(next, 0);
        wave.set_pair(102, 0);
    }
}
