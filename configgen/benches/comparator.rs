//! Benchmarks of comparators: a fold on the host, the analysis, parsing.

use configgen::comparator::{Comparator, ComparatorOrder, ScalarType};
use divan::{Bencher, black_box, counter::ItemsCount};

fn main() {
    divan::main();
}

/// Comparators of floats as `name` or compact text.
const COMPARATORS: [&str; 3] = [
    "argmax",
    "argmax_nan",
    "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)",
];

fn comparator(text: &str, element: ScalarType) -> Comparator {
    match Comparator::named(text, element) {
        Some(named) => named,
        None => Comparator::from_compact(text, element).expect("a comparator"),
    }
}

const ELEMENTS: usize = 100_000;

fn fold(bencher: Bencher, text: &str, element: ScalarType) {
    let mut evaluator = comparator(text, element).evaluator();
    // Every bit pattern, in a random order.
    let row: Vec<u64> = (0..ELEMENTS as u64)
        .map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - element.bits()))
        .collect();
    bencher.counter(ItemsCount::new(ELEMENTS)).bench_local(|| {
        let first = row[0];
        black_box(&row)
            .iter()
            .fold(first, |best, &next| match evaluator.compare(next, best) {
                true => next,
                false => best,
            })
    });
}

#[divan::bench(args = COMPARATORS)]
fn fold_f32(bencher: Bencher, text: &str) {
    fold(bencher, text, ScalarType::F32);
}

#[divan::bench(args = COMPARATORS)]
fn fold_f16(bencher: Bencher, text: &str) {
    fold(bencher, text, ScalarType::F16);
}

#[divan::bench(args = COMPARATORS)]
fn fold_f8(bencher: Bencher, text: &str) {
    fold(bencher, text, ScalarType::F8E4M3FN);
}

/// Measures parsing and canonicalisation of compact text, and the analysis of each comparator.
#[divan::bench(args = [ScalarType::F32, ScalarType::F16, ScalarType::I64, ScalarType::I8])]
fn analyse(bencher: Bencher, element: ScalarType) {
    let text = comparator("argmax", element).compact().to_string();
    bencher.bench(|| -> ComparatorOrder {
        let comparator = Comparator::from_compact(black_box(&text), element).expect("a comparator");
        comparator.order().clone()
    });
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = comparator(COMPARATORS[2], ScalarType::F32)
        .block()
        .to_string();
    bencher.bench(|| Comparator::from_block(black_box(&text)));
}

/// Measures parsing of a problem's text, which a service does for each question.
#[divan::bench(args = ["argmax:4x[32000]xf32", "argmin_last:8x16x[4096]xf16:i64:index_base"])]
fn problem(bencher: Bencher, text: &str) {
    bencher.bench(|| {
        black_box(text)
            .parse::<configgen::Problem>()
            .expect("a problem")
    });
}
