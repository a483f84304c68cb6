//! Hardware registers: MODE, and fields that describe a wave's location. Sources: the manuals'
//! table and LLVM's `SIDefines.h`.

use super::stop::{WaveStop, unsupported};
use super::wave::{APERTURE_PRIVATE, APERTURE_SHARED, Wave};
use crate::instruction::RegisterAccess;
use crate::instruction::VCC;
use crate::isa::{EncodingFamily, Isa};

/// A hardware register that programs use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Mode,
    /// Condition codes.
    Status,
    /// Exceptions and other state of the trap handler. The emulator records no exception.
    Exceptions,
    /// The location of the wave. All waves report the same SIMD.
    Place,
    /// High words of the apertures of private memory and of LDS, 16 bits each.
    Apertures,
    /// The base of private memory, low and high word.
    Scratch(usize),
    /// The time, low and high word.
    Cycles(u32),
    /// A hint to the scheduler.
    Schedule,
}

/// Returns the register with this number on `isa`.
fn register(isa: Isa, number: u8) -> Option<Register> {
    let family = isa.family();
    // A number may mean different registers on different families.
    Some(match number {
        1 => Register::Mode,
        2 => Register::Status,
        3 if family < EncodingFamily::Gfx12 => Register::Exceptions,
        17..=19 if family == EncodingFamily::Gfx12 => Register::Exceptions,
        4 if family == EncodingFamily::Gfx9 => Register::Place,
        20 if isa == Isa::Gfx942 || isa == Isa::Gfx950 => Register::Place,
        23 | 24 if family > EncodingFamily::Gfx9 => Register::Place,
        15 if family < EncodingFamily::Gfx12 => Register::Apertures,
        20 | 21 if family > EncodingFamily::Gfx9 => Register::Scratch(usize::from(number) - 20),
        26 if family == EncodingFamily::Gfx12 => Register::Schedule,
        29 if family > EncodingFamily::Gfx9 => Register::Cycles(0),
        30 if family == EncodingFamily::Gfx12 => Register::Cycles(32),
        _ => return None,
    })
}

/// Reads or writes a field of a register.
pub(super) fn access(
    wave: &mut Wave,
    number: u8,
    offset: u8,
    bits: u8,
    access: RegisterAccess,
) -> Result<(), WaveStop> {
    let mask = ((1u64 << bits) - 1) as u32;
    let refuse = || Err(unsupported(format!("access to hardware register {number}")));
    let Some(register) = register(wave.isa, number) else {
        return refuse();
    };
    match access {
        RegisterAccess::Read { to } => {
            let value = (read(wave, register) >> offset) & mask;
            wave.set_scalar(to, value);
        }
        RegisterAccess::Write { from } => {
            let field = (wave.read(from, false) as u32 & mask) << offset;
            // A write changes only the field, so the other bits must be read first.
            let value = (read(wave, register) & !(mask << offset)) | field;
            match register {
                Register::Mode => {
                    check_mode(value).map_err(unsupported)?;
                    wave.set_mode(value);
                }
                Register::Scratch(word) => wave.scratch_base[word] = value,
                // The trap handler and the scheduler are not emulated; these writes have no
                // effect on results.
                Register::Exceptions | Register::Schedule => {}
                _ => return refuse(),
            }
        }
    }
    Ok(())
}

fn read(wave: &mut Wave, register: Register) -> u32 {
    match register {
        Register::Mode => wave.mode.register(),
        Register::Status => {
            let bit = |set: bool, bit: u32| u32::from(set) << bit;
            // Bits of STATUS: 0 SCC, 9 EXECZ, 10 VCCZ.
            bit(wave.scc, 0) | bit(wave.exec() == 0, 9) | bit(wave.mask(VCC) == 0, 10)
        }
        Register::Apertures => (APERTURE_SHARED & 0xffff_0000) | (APERTURE_PRIVATE >> 16),
        Register::Scratch(word) => wave.scratch_base[word],
        Register::Cycles(shift) => (wave.time() >> shift) as u32,
        Register::Exceptions | Register::Place | Register::Schedule => 0,
    }
}

/// Checks a MODE value for settings that the arithmetic does not support.
pub(crate) fn check_mode(mode: u32) -> Result<(), String> {
    let unknown = [
        (0xf, "a rounding mode other than to nearest even"),
        (1 << 27, "register indexing"),
        (1 << 28, "VSKIP"),
    ];
    match unknown.iter().find(|(bits, _)| mode & bits != 0) {
        Some((_, name)) => Err(format!("MODE {mode:#x} asks for {name}")),
        None => Ok(()),
    }
}
