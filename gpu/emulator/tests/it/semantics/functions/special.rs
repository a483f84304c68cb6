//! Expected results for infinities, zeros, denormals and negative numbers, by hand. Sources: the
//! functional examples of the manuals (RDNA 2, 12.8: V_RCP_F32, V_RSQ_F32, V_SQRT_F32, V_EXP_F32,
//! V_LOG_F32), and "denormals are flushed" there.

const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
const MINUS: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
/// The smallest normal number, and the largest denormal.
const LEAST: u32 = 0x0080_0000;
const DENORMAL: u32 = 0x007f_ffff;

/// Function, input, result.
#[rustfmt::skip]
const TABLE: &[(&str, u32, u32)] = &[
    ("exp", INFINITY, INFINITY),
    ("exp", MINUS | INFINITY, 0),
    ("exp", 0, ONE),
    ("exp", MINUS, ONE),
    ("exp", DENORMAL, ONE),
    ("exp", MINUS | DENORMAL, ONE),
    ("exp", 0x4300_0000, INFINITY), // 128
    ("exp", 0xc2fc_0000, LEAST),    // -126
    ("exp", 0xc2fe_0000, 0),        // -127: the power would be a denormal
    ("exp", 0xc316_0000, 0),        // -150
    ("exp", NAN, NAN),
    ("log", 0, MINUS | INFINITY),
    ("log", MINUS, MINUS | INFINITY),
    ("log", DENORMAL, MINUS | INFINITY),
    ("log", MINUS | DENORMAL, MINUS | INFINITY),
    ("log", LEAST, 0xc2fc_0000),
    ("log", ONE, 0),
    ("log", INFINITY, INFINITY),
    ("log", MINUS | ONE, NAN),
    ("log", MINUS | LEAST, NAN),
    ("log", MINUS | INFINITY, NAN),
    ("log", NAN, NAN),
    ("rcp", 0, INFINITY),
    ("rcp", MINUS, MINUS | INFINITY),
    ("rcp", DENORMAL, INFINITY),
    ("rcp", MINUS | DENORMAL, MINUS | INFINITY),
    ("rcp", INFINITY, 0),
    ("rcp", MINUS | INFINITY, MINUS),
    ("rcp", 0x7e80_0000, LEAST),         // 2^126
    ("rcp", 0x7f00_0000, 0),             // 2^127: the reciprocal would be a denormal
    ("rcp", MINUS | 0x7f00_0000, MINUS),
    ("rcp", 0xc000_0000, 0xbf00_0000),
    ("rcp", NAN, NAN),
    ("rsq", 0, INFINITY),
    ("rsq", MINUS, MINUS | INFINITY),
    ("rsq", DENORMAL, INFINITY),
    ("rsq", MINUS | DENORMAL, MINUS | INFINITY),
    ("rsq", ONE, ONE),
    ("rsq", 0x4080_0000, 0x3f00_0000),
    ("rsq", LEAST, 0x5f00_0000),         // 2^-126, 2^63
    ("rsq", INFINITY, 0),
    ("rsq", MINUS | ONE, NAN),
    ("rsq", MINUS | LEAST, NAN),
    ("rsq", MINUS | INFINITY, NAN),
    ("rsq", NAN, NAN),
    ("sqrt", 0, 0),
    ("sqrt", MINUS, MINUS),
    ("sqrt", DENORMAL, 0),
    ("sqrt", MINUS | DENORMAL, MINUS),
    ("sqrt", INFINITY, INFINITY),
    ("sqrt", MINUS | ONE, NAN),
    ("sqrt", MINUS | INFINITY, NAN),
    ("sqrt", NAN, NAN),
];

/// Returns the table's result for an input, if any. Smaller denormals behave like the largest.
pub(super) fn expected(name: &str, input: u32) -> Option<u32> {
    let magnitude = input & !MINUS;
    let input = match magnitude {
        0 => input,
        denormal if denormal < LEAST => (input & MINUS) | DENORMAL,
        _ => input,
    };
    let row = TABLE.iter().find(|row| (row.0, row.1) == (name, input));
    row.map(|row| row.2)
}

/// Returns every input of the table, and the smallest denormals.
pub(super) fn inputs() -> impl Iterator<Item = u32> {
    let table = TABLE.iter().map(|row| row.1);
    table.chain([1, MINUS | 1, 0x0000_1234, 0x0040_0000])
}
