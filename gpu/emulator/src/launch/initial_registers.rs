//! The initial registers of a wave (AMDGPUUsage, "Initial Kernel Execution State").

use std::ops::Range;

use super::{KernelLaunch, LaunchMemory, arguments};
use crate::code_object::LoadedKernel;
use crate::execute::{PRIVATE_RESOURCE, Wave};
use crate::instruction::PLAIN_REGISTERS;
use crate::isa::{EncodingFamily, Isa};
use crate::operation::Lanes;

/// The initial content of registers and LDS: a value that no program mistakes for its own.
pub(crate) const POISON: u32 = 0xbadc_0ffe;
/// The trap temporary with the workgroup's y and z on gfx12. The next two hold the wave's number
/// in bits 29:25, and x.
const TTMP7: u8 = 108 + 7;

/// Sets the registers of wave `number` of the workgroup `id`; `entry` is the first step.
pub(super) fn start(
    wave: &mut Wave,
    launch: &KernelLaunch<'_>,
    resident: &LaunchMemory,
    block: &[u8],
    entry: usize,
    id: [u32; 3],
    number: u32,
) {
    let kernel = launch.kernel;
    wave.restart(entry, number, kernel.float_mode.bits);
    poison(wave, kernel);
    let lanes = kernel.wavefront_size;
    // The last wave of a workgroup may be partial; its other lanes are inactive.
    let active = (launch.workgroup_items() - u64::from(number * lanes)).min(u64::from(lanes));
    wave.set_exec(u64::MAX >> (64 - active));
    let after = user_registers(wave, launch, resident, block);
    system_registers(wave, launch, after, id, number);
    items(wave, launch, number);
    wave.scratch_bytes = kernel.scratch_bytes;
    // The row buffer keeps its capacity, so a new workgroup allocates nothing.
    wave.scratch.0.clear();
    let rows = kernel.scratch_bytes.div_ceil(4) as usize;
    wave.scratch.0.resize(rows, Lanes([POISON; 64]));
}

/// Returns the vector registers that the kernel has.
pub(super) fn vector_registers(kernel: &LoadedKernel) -> [Range<usize>; 2] {
    let plain = (kernel.plain_vgprs as usize).min(PLAIN_REGISTERS);
    let accumulation = kernel.allocated_vgprs.saturating_sub(kernel.plain_vgprs);
    let accumulation = (accumulation as usize).min(PLAIN_REGISTERS);
    [0..plain, PLAIN_REGISTERS..PLAIN_REGISTERS + accumulation]
}

fn poison(wave: &mut Wave, kernel: &LoadedKernel) {
    for range in vector_registers(kernel) {
        for register in &mut wave.vector[range] {
            register.0 = [POISON; 64];
        }
    }
    for register in 0..=124 {
        wave.set_scalar(register, POISON);
    }
}

/// Sets the work-item numbers of each lane, in as many dimensions as the descriptor requests.
/// They occupy one register, or one for each dimension. If a kernel requests only the first
/// dimension, LLVM does not mask it.
fn items(wave: &mut Wave, launch: &KernelLaunch<'_>, number: u32) {
    // These parts pack three numbers of 10 bits into v0.
    let packed = match wave.isa {
        Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => true,
        isa => isa.family() >= EncodingFamily::Gfx11,
    };
    let [x, y, _] = launch.workgroup_size;
    let lanes = launch.kernel.wavefront_size;
    let first = number * lanes;
    let mut next = [first % x, first / x % y, first / (x * y)];
    for lane in 0..lanes as usize {
        let id = next;
        next[0] += 1;
        if next[0] == x {
            next = [0, next[1] + 1, next[2]];
        }
        if next[1] == y {
            next = [next[0], 0, next[2] + 1];
        }
        let dimensions = launch.kernel.user_registers.workitem_ids as usize;
        let asked = id.into_iter().enumerate().take(dimensions);
        if packed {
            wave.vector[0].0[lane] = asked.fold(0, |all, (at, number)| all | number << (10 * at));
            continue;
        }
        for (register, number) in asked {
            wave.vector[register].0[lane] = number;
        }
    }
}

/// Sets the registers that the descriptor requests; returns the first one after them.
fn user_registers(
    wave: &mut Wave,
    launch: &KernelLaunch<'_>,
    resident: &LaunchMemory,
    block: &[u8],
) -> u8 {
    let user = &launch.kernel.user_registers;
    let mut next = 0u8;
    let mut push = |value: u32| {
        wave.set_scalar(next, value);
        next += 1;
    };
    if user.private_segment_buffer {
        PRIVATE_RESOURCE.into_iter().for_each(&mut push);
    }
    // The order is fixed by the ABI (AMDGPUUsage, "Initial Kernel Execution State").
    let pairs = [
        (user.dispatch_pointer, resident.packet.get()),
        // A queue of zeros suffices: its apertures have their own registers on these parts.
        (
            user.queue_pointer,
            resident.packet.get() + arguments::PACKET_BYTES as u64,
        ),
        (user.kernarg_pointer, resident.kernarg.get()),
        (user.dispatch_id, 0),
        // Lane offsets address private memory here, so its base has no meaning.
        (user.flat_scratch, 0),
    ];
    for (_, value) in pairs.into_iter().filter(|(enabled, _)| *enabled) {
        push(value as u32);
        push((value >> 32) as u32);
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
    // Some of the registers may be unused.
    next.max(user.count as u8)
}

/// Sets the registers with the workgroup's ID and the wave's number.
fn system_registers(
    wave: &mut Wave,
    launch: &KernelLaunch<'_>,
    mut next: u8,
    id: [u32; 3],
    number: u32,
) {
    let user = &launch.kernel.user_registers;
    // From gfx12 on, these values are in trap temporaries instead of scalar arguments.
    if wave.isa.family() >= EncodingFamily::Gfx12 {
        wave.set_scalar(TTMP7, (id[1] & 0xffff) | (id[2] << 16));
        wave.set_scalar(TTMP7 + 1, number << 25);
        wave.set_scalar(TTMP7 + 2, id[0]);
        return;
    }
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
    if user.private_segment && !wave.isa.has_architected_scratch() {
        // The wave's offset into private memory, which has no meaning here either.
        wave.set_scalar(next, 0);
    }
}
