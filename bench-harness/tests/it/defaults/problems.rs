//! Random reductions: of every kind, of sizes from a few elements to some millions, in every place
//! of a shape.

use configgen::Problem;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Elements of a problem at most.
const MOST: u64 = 1 << 23;

/// Bits of the longest row and of the most rows.
const BITS: f64 = 20.5;

/// Names before the shape, and what stands behind it: `E` is the type of elements, `C` the reduced
/// dimensions.
const KINDS: [(&str, &str); 20] = [
    ("argmax", "E"),
    ("argmin_last", "E:i64"),
    ("argmax_nan", "E"),
    ("argmax(math.absf(0))", "E"),
    ("sum", "E"),
    ("sum", "E:f64"),
    ("sum(math.absf(0))", "E"),
    ("product", "E"),
    ("max", "E"),
    ("minnum", "E"),
    ("abs_max", "E"),
    ("square_sum", "E"),
    ("dot", "E,E"),
    ("dot", "E,E(C)"),
    ("dot", "E,E:f64"),
    ("softmax", "E"),
    ("log_sum_exp", "E"),
    ("layer_norm", "E"),
    ("rms_norm", "E"),
    ("standardize", "E"),
];

const FLOATS: [&str; 3] = ["f32", "f16", "bf16"];

/// Some of integers, which have no functions here.
const OTHERS: [(&str, &str); 5] = [
    ("argmax", "i8"),
    ("argmin", "i32"),
    ("sum", "i8"),
    ("umax", "i16"),
    ("sum", "f64"),
];

/// Returns `count` problems, the same for a seed.
pub(crate) fn random(seed: u64, count: usize) -> Vec<String> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let drawn = std::iter::from_fn(|| Some(draw(&mut rng)));
    let problems = drawn.filter(|text| text.parse::<Problem>().is_ok());
    problems.take(count).collect()
}

fn draw(rng: &mut impl Rng) -> String {
    let (sizes, reduced) = shape(rng);
    let columns: Vec<String> = (0..sizes.len())
        .filter(|&d| reduced[d])
        .map(|d| d.to_string())
        .collect();
    let dimensions = sizes.iter().zip(&reduced);
    let dimensions = dimensions.map(|(size, reduced)| match reduced {
        true => format!("[{size}]x"),
        false => format!("{size}x"),
    });
    let dimensions: String = dimensions.collect();
    if rng.random_ratio(1, 6) {
        let (name, element) = OTHERS.choose(rng).expect("there are some");
        return format!("{name}:{dimensions}{element}");
    }
    let (name, inputs) = KINDS.choose(rng).expect("there are some");
    let element = FLOATS.choose(rng).expect("there are some");
    let inputs = inputs
        .replace('E', element)
        .replace('C', &columns.join(","));
    format!("{name}:{dimensions}{inputs}")
}

/// Sizes, and which of them are reduced: most often rows of neighbours.
fn shape(rng: &mut impl Rng) -> (Vec<u64>, Vec<bool>) {
    loop {
        let [length, rows] = [(); 2].map(|()| size(rng));
        if length * rows > MOST {
            continue;
        }
        let near = |size: u64| ((size as f64).sqrt() as u64).max(1);
        let split = |size: u64| [near(size), size.div_ceil(near(size))];
        return match rng.random_range(0..10) {
            0 => (vec![length], vec![true]),
            1 => (vec![1, length], vec![false, true]),
            2 => (vec![length, rows], vec![true, false]),
            3 => {
                let [outer, inner] = split(rows);
                (vec![outer, length, inner], vec![false, true, false])
            }
            4 => {
                let [outer, inner] = split(length);
                (vec![rows, outer, inner], vec![false, true, true])
            }
            5 => {
                let [outer, inner] = split(length);
                (vec![outer, rows, inner], vec![true, false, true])
            }
            _ => (vec![rows, length], vec![false, true]),
        };
    }
}

/// As many of each order of magnitude; half of them as people have them, multiples of a power of
/// two.
fn size(rng: &mut impl Rng) -> u64 {
    let size = rng.random_range(0.0..BITS).exp2() as u64;
    match rng.random() {
        true => size,
        false => size.next_multiple_of(1 << (size.ilog2() / 2)),
    }
}
