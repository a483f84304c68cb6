//! LLVM's assembly of the messages of gfx9 and gfx10: a number of 4 bits, an operation of 3, a
//! stream of 2.

use crate::families::encoding::bits;

/// Messages without operations.
const PLAIN: [(u32, &str); 9] = [
    (1, "MSG_INTERRUPT"),
    (4, "MSG_SAVEWAVE"),
    (5, "MSG_STALL_WAVE_GEN"),
    (6, "MSG_HALT_WAVES"),
    (7, "MSG_ORDERED_PS_DONE"),
    (8, "MSG_EARLY_PRIM_DEALLOC"),
    (9, "MSG_GS_ALLOC_REQ"),
    (10, "MSG_GET_DOORBELL"),
    (11, "MSG_GET_DDID"),
];

/// Returns the text of a message. `last` is the last message without operations in the
/// instruction set.
pub(in crate::families) fn message(value: u32, last: u32) -> String {
    const GEOMETRY: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
    const SYSTEM: [&str; 5] = [
        "",
        "SYSMSG_OP_ECC_ERR_INTERRUPT",
        "SYSMSG_OP_REG_RD",
        "",
        "SYSMSG_OP_TTRACE_PC",
    ];
    if value >= 1 << 10 {
        return match message(value & 0x3ff, last) {
            // A named message ignores further bits.
            named if named.contains("MSG_") => named,
            _ => value.to_string(),
        };
    }
    let (number, operation, stream) = (bits(value, 3, 0), bits(value, 6, 4), bits(value, 9, 8));
    let plain = PLAIN.iter().find(|(plain, _)| *plain == number);
    let operation_name = |names: &[&'static str]| {
        let name = names.get(operation as usize).copied();
        name.filter(|name| !name.is_empty())
    };
    let found = match (number, plain) {
        (_, Some((_, name))) if operation == 0 && stream == 0 && number <= last => {
            Some((*name).to_owned())
        }
        (2 | 3, _) => {
            let name = if number == 2 { "MSG_GS" } else { "MSG_GS_DONE" };
            match (operation_name(&GEOMETRY), operation, number, stream) {
                (Some(kind), 0, 3, 0) => Some(format!("{name}, {kind}")),
                (Some(kind), 1.., _, _) => Some(format!("{name}, {kind}, {stream}")),
                _ => None,
            }
        }
        (15, _) if stream == 0 => operation_name(&SYSTEM).map(|kind| format!("MSG_SYSMSG, {kind}")),
        _ => None,
    };
    match found {
        Some(text) => format!("sendmsg({text})"),
        // No part of a message covers bit 7.
        None if bits(value, 7, 7) != 0 => value.to_string(),
        None => format!("sendmsg({number}, {operation}, {stream})"),
    }
}
