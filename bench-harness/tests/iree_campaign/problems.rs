//! The problems of the campaign: classes of comparators, index modes, shapes and types.

use configgen::Target;

/// Every target that rule 0 takes.
pub(super) const TARGETS: [&str; 6] = [
    "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201",
];

/// An extreme of the absolute values, with which elements tie that are not equal.
const ABSOLUTE: &str = "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}";
const ABSOLUTE_INTEGER: &str = "arg_compare{2=math.absi(0);3=math.absi(1);arith.cmpi(ugt,2,3)}";
/// By square, then by value.
const TWO_KEYS: &str = "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);\
    6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}";
const TWO_KEYS_INTEGER: &str = "arg_compare{2=math.absi(0);3=math.absi(1);4=arith.cmpi(ugt,2,3);5=arith.cmpi(eq,2,3);\
    6=arith.cmpi(sgt,0,1);7=arith.andi(5,6);arith.ori(4,7)}";
/// A key of 8 bits, and one of 32 of elements of 8.
const NARROW_KEY: &str =
    "arg_compare{2=arith.trunci(0,i8);3=arith.trunci(1,i8);arith.cmpi(ugt,2,3)}";
const WIDE_KEY: &str = "arg_compare{2=arith.extsi(0,i32);3=arith.muli(2,2);4=arith.extsi(1,i32);\
    5=arith.muli(4,4);arith.cmpi(sgt,3,5)}";

/// Of floats of 8 bits, which can only be extended.
const SQUARES: &str = "arg_compare{2=arith.extf(0,f32);3=arith.mulf(2,2);4=arith.extf(1,f32);\
    5=arith.mulf(4,4);arith.cmpf(ogt,3,5)}";

/// Comparators, each with the shape and the types of its problems; of each there are all index modes.
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
    // Rows that are split in many ways.
    ("argmax", "2x[32000]xf32:i32"),
    ("argmin", "3x2x[6400]xf16:i64"),
    ("argmax_nan", "[98304]xbf16:i32"),
    (TWO_KEYS, "[2560]x24xf32:i32"),
    ("argmax", "5x[8192]xi8:i64"),
    ("argmin_last", "7x[3072]xf64:i32"),
    // Rows that are counted at launch.
    ("argmax", "?x[768]xf32:i32:count=1..9"),
    ("argmax_nan", "?x[96]x16xbf16:i64:count=1..5"),
];

/// The same of floats of 8 bits, of which each target takes those that its instructions convert: `f8` is one, `g8` the other.
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

/// Plain reductions: what is combined, of which types, in which shapes, and where it begins. The rules of some of what they ask for are
/// stricter than the compiler, so that no configuration of theirs is among those that are refused.
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
    "maxnum:6x[512]xf16",
    "minnum:[320]x6xf64",
];

const MODES: [&str; 3] = ["", ":index_base", ":explicit_index"];

/// The plain reductions on a target. A quick run has some of them on each.
pub(super) fn plain(target: &Target, is_full: bool) -> Vec<String> {
    let turn = TARGETS.iter().position(|name| *name == target.name);
    let all = PLAIN.iter().enumerate();
    all.filter(|(number, _)| is_full || Some(number % TARGETS.len()) == turn)
        .map(|(_, problem)| (*problem).to_owned())
        .collect()
}

/// The problems on a target. A quick run has each class in one mode, and each target another.
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
                let is_turn = (number + turn) % MODES.len() == mode && number % 2 == turn % 2;
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
