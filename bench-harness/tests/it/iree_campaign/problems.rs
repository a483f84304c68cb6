//! The problems of the campaign: classes of comparators, index modes, shapes and types.

use configgen::Target;

/// The targets that rule 0 accepts.
pub(super) const TARGETS: [&str; 6] = [
    "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201",
];

/// An extreme of the absolute values, for which unequal elements tie.
const ABSOLUTE: &str = "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}";
const ABSOLUTE_INTEGER: &str = "arg_compare{2=math.absi(0);3=math.absi(1);arith.cmpi(ugt,2,3)}";
/// By square, then by value.
const TWO_KEYS: &str = "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);\
    6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}";
const TWO_KEYS_INTEGER: &str = "arg_compare{2=math.absi(0);3=math.absi(1);4=arith.cmpi(ugt,2,3);5=arith.cmpi(eq,2,3);\
    6=arith.cmpi(sgt,0,1);7=arith.andi(5,6);arith.ori(4,7)}";
/// A key of 8 bits, and a key of 32 bits for elements of 8.
const NARROW_KEY: &str =
    "arg_compare{2=arith.trunci(0,i8);3=arith.trunci(1,i8);arith.cmpi(ugt,2,3)}";
const WIDE_KEY: &str = "arg_compare{2=arith.extsi(0,i32);3=arith.muli(2,2);4=arith.extsi(1,i32);\
    5=arith.muli(4,4);arith.cmpi(sgt,3,5)}";

/// A comparator of 8-bit floats, which support only extension.
const SQUARES: &str = "arg_compare{2=arith.extf(0,f32);3=arith.mulf(2,2);4=arith.extf(1,f32);\
    5=arith.mulf(4,4);arith.cmpf(ogt,3,5)}";

/// The comparators, with the shapes and types of their problems. Each is tested in all index
/// modes.
const CLASSES: [(&str, &str); 28] = [
    ("argmax", "4x[4096]xf32:i32"),
    ("argmin", "[12288]xf16:i64"),
    ("argmax", "6x[48]x34xi32:i32"),
    ("argmax_last", "4x[1000]xf32:i32"),
    ("argmin_last", "[640]x24xi16:i32"),
    ("argmax_nan", "16x[512]xf32:i32"),
    ("argmin_nan", "[96]x48xbf16:i32"),
    ("argmax_nan", "[4096]xf64:i64"),
    (ABSOLUTE, "8x[512]xf32:i32"),
    (ABSOLUTE, "[8192]xf16:i32"),
    (ABSOLUTE_INTEGER, "24x[640]xi32:i64"),
    (TWO_KEYS, "16x[384]xf32:i32"),
    (TWO_KEYS, "[4096]xf32:i32"),
    (TWO_KEYS_INTEGER, "12x[256]xi8:i32"),
    (TWO_KEYS_INTEGER, "[128]x32xi64:i32"),
    (NARROW_KEY, "8x[512]xi32:i32"),
    (WIDE_KEY, "8x[512]xi8:i32"),
    ("argmax.ugt", "4x[1024]xi8:i32"),
    ("argmin.ule", "[256]x64xi32:i32"),
    ("argmin", "3x[777]xf64:i64"),
    // Rows with many kinds of splits.
    ("argmax", "2x[32000]xf32:i32"),
    ("argmin", "3x2x[6400]xf16:i64"),
    ("argmax_nan", "[98304]xbf16:i32"),
    (TWO_KEYS, "[2560]x24xf32:i32"),
    ("argmax", "5x[8192]xi8:i64"),
    ("argmin_last", "7x[3072]xf64:i32"),
    // Rows counted at launch.
    ("argmax", "?x[768]xf32:i32:count=1..9"),
    ("argmax_nan", "?x[96]x16xbf16:i64:count=1..5"),
];

/// Comparators of 8-bit floats. Each target converts some of these types in hardware: `f8` is
/// one, and `g8` is the other.
const NARROW: [(&str, &str); 4] = [
    ("argmax", "8x[512]xf8:i32"),
    ("argmin_nan", "[256]x32xg8:i64"),
    (SQUARES, "[4096]xg8:i32"),
    ("argmin_last", "6x[320]xf8:i32"),
];

fn floats_of_8_bits(target: &Target) -> Option<[&'static str; 2]> {
    match target.name {
        "gfx942" => Some(["f8E4M3FNUZ", "f8E5M2FNUZ"]),
        "gfx950" | "gfx1201" => Some(["f8E4M3FN", "f8E5M2"]),
        _ => None,
    }
}

/// Plain reductions with different operations, types, shapes and initial values. For some, the
/// rules are stricter than the compiler, so the refused configurations exclude them.
const PLAIN: [&str; 24] = [
    "sum:16x[4096]xf32",
    "sum:[96]x64xf16",
    "sum:6x[777]x40xbf16",
    "sum:[4097]xf64",
    "sum:24x[100]xi8",
    "usum:8x[96]xi16",
    "sum:4x[333]xi64",
    "sum:?x[768]xf32:count=1..9",
    "sum:5x[640]xf16:f64",
    "sum:12x[50]xi1",
    "product:16x[512]xf32",
    "product:[33]x96xf16",
    "product:6x[64]x4xi32",
    "umax:8x[512]xi32",
    "umin:[1000]xi16",
    "umax:24x[100]xi8",
    "umin:6x[40]x16xi8",
    "max:8x[300]xi64",
    "min:[64]x24xi64",
    "or:4x[1001]xi32",
    "xor:24x[64]xi8",
    "or:[96]x32xi64",
    "maxnum:6x[512]xf64",
    "minnum:[320]x6xf64",
];

/// Reductions with functions of one or several inputs. The inputs have some dimensions, in
/// another order, or none, and different types. The operations are all that rule 0 accepts.
const COMPUTED: [&str; 29] = [
    "dot:64x[4096]xf16,f16(1)",
    "dot:16x[1000]xf16,f16",
    "dot:[777]xf16,f16",
    "dot:[96]x64xf16,f16(0)",
    "dot:8x64x[96]xf16,f16(0,2)",
    "dot:64x[4096]xf32,f32(1)",
    "dot:16x[1000]xbf16,bf16",
    "dot:[96]x64xf32,f32(0)",
    "dot:8x64x[96]xbf16,bf16(0,2)",
    "square_sum:[777]xf32",
    "sum(2=arith.extf(1,f32);arith.mulf(0,2)):6x[333]xf32,f16(1)",
    "dot:6x[333]xi8,i8(1)",
    "dot:12x[100]xi16,i16(1)",
    "dot:?x[768]xf16,f16(1):count=1..9",
    "square_sum:16x[777]xf16",
    "square_sum:[64]x40xi32",
    "sum(math.absf(0)):24x[300]xf16",
    "sum(3=arith.mulf(0,1);arith.addf(3,2)):16x[512]xf32,f32(0),f32(1)",
    "sum(3=arith.mulf(0,1);4=arith.extf(2,f32);arith.addf(3,4)):6x[90]x5xf32,f32(2,0),f16:f64",
    "sum(arith.mulf(0,1)):[64]x48xf16,f16(1,0)",
    "sum(arith.addf(0,1)):12x[100]xbf16,bf16(1)",
    "sum(2=arith.divf(0,1);math.sqrt(2)):8x[96]xf32,f32",
    "sum(2=arith.cmpf(ogt,0,1);arith.extui(2,i32)):12x[200]xf32,f32(0)",
    "sum(arith.sitofp(0,f32)):16x[300]xi8",
    "sum(3=arith.cmpf(ult,0,1);arith.select(3,0,2)):8x[512]xf32,f32(1),f32(0)",
    "umax(2=arith.muli(0,1);arith.xori(2,0)):8x[300]xi32,i32(1)",
    "product(math.fma(0,1,2)):6x[24]xf32,f32(1),f32(0)",
    "xor(2=arith.extsi(0,i64);arith.subi(2,1)):[96]x12xi16,i64(1,0)",
    "maxnum(math.absf(0)):24x[100]xf64",
];

/// Softmax problems, which become one kernel.
const SOFTMAX: [&str; 12] = [
    "softmax:8x[768]xf16",
    "softmax:24x[100]xbf16",
    "softmax:4x[4097]xf16",
    "softmax:2x8x16x[128]xbf16",
    "softmax:6x[32]xf16",
    "softmax:3x4x[333]xbf16",
    "softmax:8x[768]xf32",
    "softmax:24x[100]xf32",
    "softmax:4x[4097]xf32",
    "softmax:2x8x16x[128]xf32",
    "softmax:6x[32]xf32",
    "softmax:3x4x[333]xf32",
];

const NORMS: [&str; 8] = [
    "rms_norm:8x[768]xf32",
    "rms_norm:24x[100]xf16",
    "rms_norm:4x[4097]xbf16",
    "rms_norm:256x[128]xf16",
    "rms_norm:6x[32]xf32:epsilon=0.01",
    "rms_norm:12x[333]xbf16",
    "rms_norm:2x[8192]xf32",
    "rms_norm:12x[1000]xf32",
];

const MODES: [&str; 3] = ["", ":index_base", ":explicit_index"];

/// Returns the plain reductions on a target.
pub(super) fn plain(target: &Target, is_full: bool) -> Vec<String> {
    some(&PLAIN, target, is_full)
}

/// Returns the reductions with functions on a target.
pub(super) fn computed(target: &Target, is_full: bool) -> Vec<String> {
    some(&COMPUTED, target, is_full)
}

/// Returns the softmax problems on a target.
pub(super) fn softmax(target: &Target, is_full: bool) -> Vec<String> {
    some(&SOFTMAX, target, is_full)
}

/// Returns the norms that are one kernel.
pub(super) fn norms(target: &Target, is_full: bool) -> Vec<String> {
    some(&NORMS, target, is_full)
}

/// Returns these problems on a target. A quick run distributes them over the targets.
fn some(all: &[&str], target: &Target, is_full: bool) -> Vec<String> {
    let turn = TARGETS.iter().position(|name| *name == target.name);
    let all = all.iter().enumerate();
    all.filter(|(number, _)| is_full || Some(number % TARGETS.len()) == turn)
        .map(|(_, problem)| (*problem).to_owned())
        .collect()
}

/// Returns the arg_compare problems on a target. A quick run has each class in one mode on one
/// target.
pub(super) fn on(target: &Target, is_full: bool) -> Vec<String> {
    let turn = TARGETS
        .iter()
        .position(|name| *name == target.name)
        .unwrap_or(0);
    let floats = floats_of_8_bits(target);
    let narrow = NARROW.iter().filter(|_| floats.is_some());
    let classes = CLASSES.iter().chain(narrow).enumerate();
    classes
        .flat_map(|(number, (comparator, rest))| {
            let modes = MODES.iter().enumerate();
            modes.filter_map(move |(mode, options)| {
                let is_turn = (number / TARGETS.len() + turn) % MODES.len() == mode
                    && number % TARGETS.len() == turn;
                (is_full || is_turn).then(|| format!("{comparator}:{rest}{options}"))
            })
        })
        .map(|problem| match floats {
            Some([f8, g8]) => problem
                .replace("xf8", &format!("x{f8}"))
                .replace("xg8", &format!("x{g8}")),
            None => problem,
        })
        .collect()
}
