mod fold;
mod function;
mod map;
mod reference;
mod refused;
mod row_program;
mod rowwise;

use super::*;
use crate::comparator::{Comparator, order::OrderProof};

#[track_caller]
fn check(text: &str, canonical: &str) {
    let problem: Problem = text.parse().unwrap();
    assert_eq!(problem.to_string(), canonical);
    assert_eq!(canonical.parse::<Problem>().unwrap(), problem);
}

#[track_caller]
fn check_error(text: &str, position: usize, part: &str) {
    let error = text.parse::<Problem>().unwrap_err();
    assert_eq!(error.position, position, "{error}");
    assert!(error.to_string().contains(part), "{error}");
}

#[test]
fn canonical_text() {
    check("argmax:4x[32000]xf32", "argmax:4x[32000]xf32:i32");
    check("argmin:[7]xbf16:i64", "argmin:[7]xbf16:i64");
    check("argmax:4x[32000]xf32:index", "argmax:4x[32000]xf32:index");
    check(
        "argmax:16x[21]x513x513xf32",
        "argmax:16x[21]x513x513xf32:i32",
    );
    check("argmax:[2]x3x[4]xi8", "argmax:[2]x3x[4]xi8:i32");
    check("argmax:[2147483647]xf16", "argmax:[2147483647]xf16:i32");
    check("argmax:4x[8]xf32:i32:pitch=8", "argmax:4x[8]xf32:i32");
    check(
        "argmax:4x[8]xf32:i64:pitch=9:initial:index_base",
        "argmax:4x[8]xf32:i64:index_base:initial:pitch=9",
    );
    check(
        "argmin:[3]x4x5xi16:i32:explicit_index",
        "argmin:[3]x4x5xi16:i32:explicit_index",
    );
}

#[test]
fn errors_point_at_the_character() {
    check_error("", 0, "comes \":\"");
    check_error("argmux:4x[8]xf32", 0, "a comparator of");
    check_error("argmax 4x[8]xf32", 6, "comes \":\"");
    check_error("argmax:", 7, "positive number");
    check_error("argmax:f32", 7, "positive number");
    check_error("argmax:4x[]xf32", 10, "positive number");
    check_error("argmax:4x[0]xf32", 10, "at least 1");
    check_error("argmax:4x[08]xf32", 10, "leading zero");
    check_error("argmax:4x[8xf32", 11, "ends with \"]\"");
    check_error("argmax:4x[8]", 12, "comes \"x\"");
    check_error("argmax:4x[8]xf31", 13, "an element type is one of");
    check_error("argmax:4x8xf32", 11, "no dimension is reduced");
    check_error("argmax:4x[8]xf32:i8", 17, "an index type");
    check_error("argmax:4x[8]xf32:index_base", 17, "options follow it");
    check_error("argmax:4x[8]xi4", 13, "extend elements of 4 bits to i8");
    check_error("argmax:4x[8]xui4", 13, "extend elements of 4 bits to i8");
    check_error("argmax:4x[8]xf32 ", 16, "should end here");
    check_error("argmax:4x[8]xf32:i32:", 21, "an option is");
    check_error("argmax:4x[8]xf32:i32:initial:initial", 29, "given twice");
    check_error("argmax:4x[8]xf32:i32:pitch", 26, "comes \"=\"");
    check_error(
        "argmax:4x[8]xf32:i32:pitch=7",
        27,
        "at least the last dimension, 8",
    );
    check_error("argmax:[8]xf32:i32:pitch=9", 25, "one dimension");
    check_error("argmax:1000000x[8]xf32:i32:pitch=2000000", 33, "2^40");
    check_error("argmax:4x[4294967296]xf32", 10, "at most 2147483647");
    check_error(
        "argmax:99999999999999999999x[4]xf32",
        7,
        "at most 2147483647",
    );
    check_error("argmax:2000000000x[2000]xf32", 18, "2^40");
    check_error("argmax:[65536]x[65536]xf32", 26, "exceed the range of an");
    check_error("argmax:1x1x1x1x1x1x[8]xf32", 19, "at most 6 dimensions");
    check_error("argmäx:4x[8]xf32", 4, "comes \":\"");
    check_error("argmax:4x[8]xf3ü", 13, "an element type");
}

#[test]
fn mutated_text_never_panics() {
    for seed in [
        "argmax:4x[32000]xf32:i32:index_base:pitch=32768",
        "argmax:?x[32000]xf32:i32:count=1..512:pitch=32768",
    ] {
        for position in 0..seed.len() {
            for insert in [
                "",
                "0",
                "9999999999",
                "[",
                "]",
                "x",
                ":",
                "é",
                "\0",
                "-",
                "?",
                "?x",
            ] {
                let text = format!("{}{insert}{}", &seed[..position], &seed[position + 1..]);
                if let Ok(problem) = text.parse::<Problem>() {
                    assert_eq!(problem.to_string().parse(), Ok(problem));
                }
            }
        }
    }
}

/// Checks that true is greater than false as an unsigned number of one bit, and -1 as a signed
/// one.
#[test]
fn truth_values() {
    #[track_caller]
    fn check(name: &str, true_beats_false: bool, worst: u64) {
        let problem: Problem = format!("{name}:4x[8]xi1").parse().unwrap();
        let arg_compare = problem.arg_compare().unwrap();
        let comparator = &arg_compare.comparator;
        let wins = [comparator.evaluate(1, 0), comparator.evaluate(0, 1)];
        assert_eq!(wins, [true_beats_false, !true_beats_false], "{name}");
        assert_eq!(*arg_compare.standing(), OrderProof::Proved, "{name}");
        assert_eq!(
            (arg_compare.start(), problem.reduction.is_serial()),
            (worst, false)
        );
    }
    check("argmax", true, 0);
    check("argmin", false, 1);
    check("argmax_last", true, 0);
    check("argmin_last", false, 1);
    check("argmax.sgt", false, 1);
    check("argmin.slt", true, 0);
    check("arg_compare{2=arith.xori(0,1);arith.andi(0,2)}", true, 0);
}

#[test]
fn comparators() {
    check("argmax.oge:4x[8]xf32", "argmax_last:4x[8]xf32:i32");
    check("argmin.ult:[8]xi8:i64", "argmin.ult:[8]xi8:i64");
    check("argmax:4x[8]xui8", "argmax.ugt:4x[8]xi8:i32");
    check("argmax.ugt:4x[8]xi1", "argmax:4x[8]xi1:i32");
    check("argmin_last:4x[8]xui1", "argmin_last:4x[8]xi1:i32");
    check("argmax.sgt:4x[8]xi1", "argmax.sgt:4x[8]xi1:i32");
    check(
        "argmin_nan:4x[8]xf8E4M3FNUZ",
        "argmin_nan:4x[8]xf8E4M3FNUZ:i32",
    );
    check("argmax.ugt:4x[8]xf32", "argmax.ugt:4x[8]xf32:i32");
    check(
        "arg_compare{arith.cmpf(olt,1,0)}:4x[8]xf32",
        "argmax:4x[8]xf32:i32",
    );
    let absolute = "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}:4x[8]xf16:i32";
    check(absolute, absolute);
    check_error("argmax_nan:4x[8]xi32", 0, "write \"argmax\"");
    check_error(
        "argmax_nan:4x[8]xui32",
        0,
        "compares floats, and these are i32",
    );
    check_error("argmax:4x[8]xuf32", 13, "floats have a sign");
    check_error("argmax{}:4x[8]xf32", 0, "braces follow");
    check_error("arg_compare{arith.cmpf(ogt,0,1)", 31, "ends with");
    check_error("arg_compare{arith.cmpf(ogt,0,7)}:4x[8]xf32", 29, "7");
}

#[test]
fn unordered_comparators_are_declared() {
    let parity = "2=arith.constant(i8,01);3=arith.xori(0,1);4=arith.andi(3,2);arith.cmpi(eq,4,2)";
    let ordered = format!("arg_compare{{{parity}}}:4x[8]xi8:i32:initial");
    let error = ordered.parse::<Problem>().unwrap_err();
    assert!(error.message.contains("is not an order"), "{error}");
    let unordered: Problem = ordered.replace("arg_compare", "unordered").parse().unwrap();
    assert!(
        unordered
            .arg_compare()
            .unwrap()
            .comparator
            .order()
            .is_refuted()
    );
    assert_eq!(unordered.to_string().parse(), Ok(unordered));
}

/// (max(a, b) != b): an order that nothing proves.
const UNPROVED: &str = "arg_compare{2=arith.maxsi(0,1);arith.cmpi(ne,1,2)}";
/// (a >> 3) > (b >> 3) + 4
const NEARLY: &str = "{2=arith.constant(i32,3);3=arith.shrsi(0,2);4=arith.shrsi(1,2);5=arith.constant(i32,4);\
                      6=arith.addi(4,5);arith.cmpi(sgt,3,6)}";
/// Greater, and a number replaces a NaN.
const YIELDS: &str =
    "arg_compare{2=arith.cmpf(ord,0,0);3=arith.cmpf(ugt,0,1);arith.andi(2,3)}:[8]xf32:i32";

#[test]
fn unproved_orders_are_serial_unless_promised() {
    let serial = |text: &str| text.parse::<Problem>().unwrap().reduction.is_serial();
    let text = format!("{UNPROVED}:[8]xi32:i32");
    check(&text, &text);
    assert!(serial(&text));
    check(&text.replace("arg_compare", "unordered"), &text);
    let promised = format!("{text}:assume_order");
    check(&promised, &promised);
    assert!(!serial(&promised));
    assert_ne!(text.parse::<Problem>(), promised.parse());
    check(
        &format!("{UNPROVED}:4x[8]xi32:i32:pitch=9:assume_order:initial"),
        &format!("{UNPROVED}:4x[8]xi32:i32:initial:assume_order:pitch=9"),
    );
    // The canonical text drops a proved promise, and the parser refuses a broken one.
    check("argmax:4x[8]xf32:i32:assume_order", "argmax:4x[8]xf32:i32");
    let end = |text: &str| text.chars().count();
    let broken = format!("unordered{NEARLY}:[8]xi32:i32:initial:assume_order");
    check_error(&broken, end(&broken), "contradicts \"unordered\"");
    let named = "argmax.ugt:4x[8]xf32:i32:assume_order";
    check_error(
        named,
        end(named),
        "NaN (0x7fc00000) replaces NaN (0x7fc00000), but",
    );
    check_error(
        &format!("arg_compare{NEARLY}:[8]xi32:i32:initial"),
        0,
        "tie, but",
    );
    check_error(
        &format!("{promised}:assume_order"),
        end(&promised) + 1,
        "given twice",
    );
    let comparator =
        Comparator::from_compact(&NEARLY[1..NEARLY.len() - 1], ElementType::I32).unwrap();
    let given =
        |promise| Problem::with_comparator("arg_compare:[8]xi32:i32:initial", &comparator, promise);
    assert!(given(false).unwrap().reduction.is_serial());
    assert!(given(true).unwrap_err().message.contains("not an order"));
}

/// Checks that keys alone do not decide for a NaN as initial value, which is replaced.
#[test]
fn keys_decide_if_no_nan_matters() {
    let by_key = |text: &str| {
        let problem: Problem = text.parse().unwrap();
        problem.arg_compare().unwrap().extreme().is_some()
    };
    assert!(by_key(YIELDS));
    assert!(!by_key(&format!("{YIELDS}:initial")));
    assert!(by_key("argmax:4x[8]xf32:i32:initial"));
    assert!(!by_key("argmax_nan:4x[8]xf32"));
    assert!(!by_key("argmax.ugt:4x[8]xf32"));
    for text in [YIELDS.to_owned(), format!("{YIELDS}:initial")] {
        assert!(
            !text.parse::<Problem>().unwrap().reduction.is_serial(),
            "{text}"
        );
    }
}

#[test]
fn counts() {
    let problem: Problem = "argmax:4x[1000]x3xf16:i64".parse().unwrap();
    assert_eq!(problem.shape.elements(), 12_000);
    assert_eq!(
        (problem.shape.rows(), problem.shape.reduced_size()),
        (12, 1000)
    );
    assert_eq!(problem.compulsory_bytes(), 24_000 + 12 * 10);
}

#[test]
fn a_pitch_leaves_gaps_between_the_rows_of_the_last_dimension() {
    let problem: Problem = "argmax:2x4x[10]xf32:i32:pitch=16".parse().unwrap();
    assert_eq!(problem.shape.strides().as_slice(), [64, 16, 1]);
    assert_eq!(problem.shape.span(), 64 + 3 * 16 + 10);
    assert_eq!(problem.input_bytes(), 4 * (64 + 3 * 16 + 10));
    assert_eq!(problem.compulsory_bytes(), 4 * 80 + 8 * 8);
}

#[test]
fn comparators_that_stand_elsewhere() {
    let last = Comparator::named("argmax_last", ElementType::F32).unwrap();
    let problem = |text: &str| Problem::with_comparator(text, &last, false);
    assert_eq!(
        problem("arg_compare:4x[8]xf32:i64:initial")
            .unwrap()
            .to_string(),
        "argmax_last:4x[8]xf32:i64:initial"
    );
    let refused = |text: &str, position: usize, part: &str| {
        let error = problem(text).unwrap_err();
        assert!(error.message.contains(part), "{error}");
        assert_eq!(error.position, position, "{error}");
    };
    refused("arg_compare:4x[8]xf16", 0, "compares f32, not f16");
    refused("arg_compare:4x[8]xui32", 0, "without \"u\"");
    refused("argmax:4x[8]xf32", 0, "already given");
    refused(
        "arg_compare{arith.cmpf(ogt,0,1)}:4x[8]xf32",
        0,
        "already given",
    );
    refused("arg_compare:4x[0]xf32", 15, "at least 1");
    check_error("arg_compare:4x[8]xf32", 0, "comes in braces after");
    let ne = Comparator::from_compact("arith.cmpi(ne,0,1)", ElementType::I32).unwrap();
    let unordered =
        Problem::with_comparator("arg_compare:[8]xi32:i32:initial", &ne, false).unwrap();
    check(
        &unordered.to_string(),
        "unordered{arith.cmpi(ne,0,1)}:[8]xi32:i32:initial",
    );
}

#[test]
fn counts_that_are_open() {
    check(
        "argmax:?x[32000]xf32",
        "argmax:?x[32000]xf32:i32:count=1..512",
    );
    check(
        "argmax:?x[32000]xf32:i32:count=1..512",
        "argmax:?x[32000]xf32:i32:count=1..512",
    );
    check(
        "argmin:?x[21]x512xbf16:i64:count=16..64:initial:pitch=640",
        "argmin:?x[21]x512xbf16:i64:initial:pitch=640:count=16..64",
    );
    check_error("argmax:[?]xf32", 8, "a reduced dimension must have a size");
    check_error("argmax:[4]x?xf32", 11, "only the outermost dimension");
    check_error("argmax:?x?x[4]xf32", 9, "as one, their product");
    check_error("argmax:?xf32", 9, "no dimension is reduced");
    check_error("argmax:?8x[4]xf32", 8, "comes \"x\"");
    check_error("argmax:??x[4]xf32", 8, "comes \"x\"");
    check_error(
        "argmax:4x[8]xf32:i32:count=1..4",
        21,
        "this problem has only known sizes",
    );
    check_error("argmax:?x[8]xf32:i32:count", 26, "as in count=1..512");
    check_error("argmax:?x[8]xf32:i32:count=4", 28, "as in count=1..512");
    check_error("argmax:?x[8]xf32:i32:count=0..4", 27, "at least 1");
    check_error("argmax:?x[8]xf32:i32:count=1..?", 30, "positive number");
    check_error("argmax:?x[8]xf32:i32:count=4..4", 27, "in place of \"?\"");
    check_error(
        "argmax:?x[8]xf32:i32:count=5..4",
        27,
        "must come before the largest",
    );
    check_error(
        "argmax:?x[8]xf32:i32:count=1..4:count=1..4",
        32,
        "given twice",
    );
    // 2^31 elements per row are too many for 512 rows, and not for 2.
    let long = "argmax:?x[2147483647]xf32";
    check(
        &format!("{long}:i32:count=1..2"),
        &format!("{long}:i32:count=1..2"),
    );
    check(long, &format!("{long}:i32:count=1..512"));
    check_error("argmax:?x2x[2147483647]xf32", 7, "with the largest count");
    check_error(
        &format!("{long}:i32:count=1..513"),
        7,
        "with the largest count",
    );
    let pitch = "argmax:?x[8]xf32:i32:pitch=1000000:count=1..2000000";
    check_error(pitch, 7, "with the largest count");
}

/// Checks that sizes derived from an open count are those of the largest, and strides those of
/// any.
#[test]
fn a_count_that_is_open_is_the_largest() {
    let problem: Problem = "argmax:?x3x[7]xf16:i64:count=2..10".parse().unwrap();
    assert_eq!(problem.shape.counts(), Some(2..=10));
    assert!(problem.shape.is_counted(0) && !problem.shape.is_counted(1));
    let largest: Problem = "argmax:10x3x[7]xf16:i64".parse().unwrap();
    assert_eq!(problem.at_count(10), largest);
    assert_eq!(problem.at_count(99), largest);
    assert_eq!(problem.at_count(0), problem.at_count(1));
    assert_eq!(problem.input_bytes(), largest.input_bytes());
    assert_eq!(problem.shape.rows(), 30);
    assert_eq!(problem.shape.strides(), problem.at_count(3).shape.strides());
    assert_eq!(largest.at_count(3), largest);
    assert_ne!(problem, largest);
    let other: Problem = "argmax:?x3x[7]xf16:i64:count=3..9".parse().unwrap();
    assert_ne!(problem, other);
    assert_eq!(problem.of_any_count(), other.of_any_count());
    assert_eq!(largest.of_any_count(), largest);
}

#[track_caller]
fn check_timed(problem: &str, expected: &[u32]) {
    let problem: Problem = problem.parse().unwrap();
    assert_eq!(problem.timed_counts().as_slice(), expected, "{problem}");
}

#[test]
fn counts_that_stand_for_a_range() {
    check_timed("argmax:4x[8]xf32", &[]);
    check_timed("argmax:?x[8]xf32", &[1, 8, 64, 512]);
    check_timed("argmax:?x[8]xf32:i32:count=1..2", &[1, 2]);
    check_timed("argmax:?x[8]xf32:i32:count=1..3", &[1, 2, 3]);
    check_timed("argmax:?x[8]xf32:i32:count=100..101", &[100, 101]);
    check_timed("argmax:?x[8]xf32:i32:count=3..1000", &[3, 21, 144, 1000]);
    check_timed(
        "argmax:?x[8]xf32:i32:count=1..2147483647",
        &[1, 1290, 1_664_511, 2_147_483_647],
    );
    let mean = |problem: &str| {
        let problem: Problem = problem.parse().unwrap();
        problem.mean_over_counts(|problem| problem.shape.rows() as f64)
    };
    assert_eq!(mean("argmax:5x3x[8]xf32"), 15.0);
    assert!((mean("argmax:?x[8]xf32") - 512f64.sqrt()).abs() < 1e-9);
}

/// Checks initial pairs: several spellings, one canonical text, and none for the default pair.
#[test]
fn initial_pairs() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let problem: Problem = text.parse().unwrap();
        assert_eq!(problem.to_string(), expected);
        assert_eq!(problem.to_string().parse(), Ok(problem));
    }
    check("argmax:4x[8]xf32:i32:initial=-inf", "argmax:4x[8]xf32:i32");
    check(
        "argmax:4x[8]xf32:i32:initial=0xff800000@0",
        "argmax:4x[8]xf32:i32",
    );
    check(
        "argmax:4x[8]xf32:i32:initial=-inf@-1",
        "argmax:4x[8]xf32:i32:initial=-inf@-1",
    );
    check(
        "argmax:4x[8]xf32:i32:initial=0",
        "argmax:4x[8]xf32:i32:initial=0.0",
    );
    check(
        "argmin:4x[8]xi8:i64:index_base:initial=255@5",
        "argmin:4x[8]xi8:i64:index_base:initial=-1@5",
    );
    check(
        "argmax:4x[8]xui8:i64:initial=255",
        "argmax.ugt:4x[8]xi8:i64:initial=-1",
    );
    check(
        "argmax:4x[8]xf32:i32:pitch=9:initial=nan",
        "argmax:4x[8]xf32:i32:initial=nan:pitch=9",
    );
    check_error(
        "argmax:4x[8]xf32:i32:initial=1.0:initial",
        33,
        "given twice",
    );
    check_error(
        "argmax:4x[8]xf32:i32:initial=",
        29,
        "must be a number that f32 can represent",
    );
    check_error(
        "argmax:4x[8]xf32:i32:initial=1e39",
        29,
        "must be a number that f32 can represent",
    );
    check_error(
        "argmax:4x[8]xi8:i32:initial=256",
        28,
        "must be a number that i8 can represent or",
    );
    check_error(
        "argmax:4x[8]xf32:i32:initial=1.0@2147483648",
        33,
        "of type i32",
    );
    check_error("argmax:4x[8]xf32:i32:initial=1.0@", 33, "of type i32");
    check_error("argmax:4x[8]xf32:i32:initial=1.0@1x", 34, "end here");
    // A comparator without a known worst value: its kernels begin at the given value.
    let parabola = "arg_compare{2=arith.constant(f32,40600000);3=arith.addf(0,2);4=arith.mulf(0,3);5=arith.addf(1,2);\
                    6=arith.mulf(1,5);arith.cmpf(ogt,4,6)}:4x[8]xf32:i32";
    check_error(parabola, parabola.len(), "give an initial value, as in");
    let given: Problem = format!("{parabola}:initial=-1.75").parse().unwrap();
    assert!(given.arg_compare().unwrap().extreme().is_some());
    assert!(!given.reduction.begins_at_results());
}
