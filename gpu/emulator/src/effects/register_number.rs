//! A common numbering of registers: vector registers first, then the scalar file, then SCC.

use crate::instruction::{ACCUMULATION, SCALAR_REGISTERS, VECTOR_REGISTERS};

/// Number of the first scalar register.
pub(crate) const SCALAR: u16 = VECTOR_REGISTERS as u16;
/// Number of SCC.
pub(crate) const SCC: u16 = SCALAR + SCALAR_REGISTERS as u16;
/// Number of all registers.
pub(crate) const REGISTERS: usize = SCC as usize + 1;

/// Returns the name of a register in assembly.
pub(crate) fn name(register: u16) -> String {
    match register {
        0..ACCUMULATION => format!("v{register}"),
        ACCUMULATION..SCALAR => format!("a{}", register - ACCUMULATION),
        SCC => "scc".into(),
        _ => match register - SCALAR {
            106 => "vcc_lo".into(),
            107 => "vcc_hi".into(),
            124 => "m0".into(),
            126 => "exec_lo".into(),
            127 => "exec_hi".into(),
            scalar => format!("s{scalar}"),
        },
    }
}
