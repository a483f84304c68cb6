//! Random reductions of every kind, with sizes from a few elements to some millions, in every
//! position of a shape.

use configgen::Problem;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The maximum number of elements of a problem.
const MOST: u64 = 1 << 23;

/// The binary logarithm of the longest row and of the largest number of rows.
const BITS: f64 = 20.5;

/// The names before the shape, and the text after it: `E` is the element type, `C` the reduced
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

/// Problems of integers, which have no functions here.
const OTHERS: [(&str, &str); 5] = [
    ("argmax", "i8"),
    ("argmin", "i32"),
    ("sum", "i8"),
    ("umax", "i16"),
    ("sum", "f64"),
];

/// Sizes, and a flag for each reduced one.
type Dimensions = (Vec<u64>, Vec<bool>);

/// Returns `count` problems, the same for a seed.
pub(crate) fn random(seed: u64, count: usize) -> Vec<String> {
    problems(seed, count, shape)
}

/// Returns `count` problems with two or more reduced dimensions in any position, the same for a
/// seed. Most sizes are odd, and some are 1.
pub(crate) fn of_several_dimensions(seed: u64, count: usize) -> Vec<String> {
    problems(seed, count, several_dimensions)
}

fn problems(seed: u64, count: usize, shape: fn(&mut Pcg64Mcg) -> Dimensions) -> Vec<String> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let drawn = std::iter::from_fn(|| {
        let dimensions = shape(&mut rng);
        Some(draw(&mut rng, dimensions))
    });
    let problems = drawn.filter(|text| text.parse::<Problem>().is_ok());
    problems.take(count).collect()
}

fn draw(rng: &mut impl Rng, (sizes, reduced): Dimensions) -> String {
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

/// Returns a shape, usually with contiguous rows.
fn shape(rng: &mut Pcg64Mcg) -> Dimensions {
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

/// Returns three to five dimensions, whose sizes share the bits of the number of elements.
fn several_dimensions(rng: &mut Pcg64Mcg) -> Dimensions {
    loop {
        let rank = rng.random_range(3..=5);
        let shares: Vec<f64> = (0..rank).map(|_| rng.random_range(0.0..1.0)).collect();
        let bits = rng.random_range(8.0..MOST.ilog2().into()) / shares.iter().sum::<f64>();
        let size = |share: f64| match rng.random_range(0..8) {
            0 => 1,
            1 | 2 => (share * bits).exp2() as u64,
            _ => (share * bits).exp2() as u64 | 1,
        };
        let sizes: Vec<u64> = shares.into_iter().map(size).collect();
        let reduced: Vec<bool> = (0..rank).map(|_| rng.random_ratio(3, 5)).collect();
        let dimensions = sizes.iter().zip(&reduced);
        let wide = dimensions.filter(|&(&size, &is_reduced)| is_reduced && size > 1);
        if wide.count() >= 2 && sizes.iter().product::<u64>() <= MOST {
            return (sizes, reduced);
        }
    }
}

/// Returns a size. Each order of magnitude is equally likely, and half of the sizes are multiples
/// of a power of two, as usual in models.
fn size(rng: &mut impl Rng) -> u64 {
    let size = rng.random_range(0.0..BITS).exp2() as u64;
    match rng.random() {
        true => size,
        false => size.next_multiple_of(1 << (size.ilog2() / 2)),
    }
}
