//! Specimens: a few configurations that together take every path of the generator.
//!
//! The golden files of the stages and the generator's version are made from them.

use std::sync::{LazyLock, OnceLock};

use configgen::{
    Accumulators, Basis, Configuration, Knobs, LoweringConfig, Problem, TARGETS, Target, Tiles,
};

use super::stage::LoweredConfiguration;
use crate::llvm;

/// The order of the digits in both bases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    /// The last dimension is the fastest.
    InOrder,
    /// The first dimension is the fastest.
    Reversed,
}
use Digits::{InOrder, Reversed};

/// Problem; order of the digits; `tile/thread tile/lanes/subgroups` for each dimension, then the
/// knobs.
type Specimen = (&'static str, Digits, &'static str);

/// The specimens cover:
///
/// - element types, one and several rows, subgroups and batches, offsets and grids that need more
///   bits;
/// - every way to merge lanes, every [`TailHandling`](super::stages::dimension::TailHandling),
///   nested loops and gaps between rows;
/// - vectors along parallel dimensions, and rows whose elements are taken one by one;
/// - every way to compare, to begin and to number, and the knobs;
/// - functions of one or several inputs, views, row operations, rounded functions and maps.
const SPECIMENS: [Specimen; 69] = [
    ("argmax:4x[32000]xf32", InOrder, "1/1/1/1 4096/4/64/4"),
    ("argmin:4x[1000]xf16", InOrder, "1/1/1/1 512/8/64/1"),
    ("argmax:[50257]xbf16", InOrder, "8192/8/64/16"),
    ("argmin:300x[64]xi32", Reversed, "16/2/8/1 64/4/8/1"),
    ("argmax:300x[77]xbf16", Reversed, "8/1/1/4 128/1/64/2"),
    ("argmax:128x[33]xf16", InOrder, "128/1/64/2 4/4/1/1"),
    ("argmax:5x[3]xi32", Reversed, "8/1/8/1 128/16/8/1"),
    ("argmin:64x[257]xf32", Reversed, "32/2/16/1 64/2/4/2"),
    ("argmax:64x[257]xf32", InOrder, "8/4/1/2 64/1/64/1"),
    // Rows of 8 GiB: offsets need 64 bits.
    ("argmax:2x[2147483647]xf32", InOrder, "2/1/2/1 256/4/32/1"),
    // More threads than one dimension of a grid can have.
    ("argmax:100000000x[2]xf32", InOrder, "1/1/1/1 64/1/64/1"),
    ("argmax:64x[50000]xf16", InOrder, "2/1/1/1 2048/2/64/2"),
    ("argmin:64x[48]xf16", InOrder, "64/1/32/1 8/1/2/4"),
    ("argmin:12x[70]xbf16", InOrder, "4/1/4/1 80/1/16/1"),
    ("argmax:[1000]x700xf32", InOrder, "16/1/1/4 256/4/64/1"),
    (
        "argmin:2x[21]x13x513xf16",
        InOrder,
        "1/1/1/1 6/2/1/1 2/1/1/2 512/8/64/1",
    ),
    (
        "argmax:5x[90]x[70]xi32",
        Reversed,
        "2/1/2/1 8/2/4/1 64/4/8/2",
    ),
    (
        "argmin:[6]x9x[40]x11xbf16",
        Reversed,
        "4/1/2/2 8/2/2/2 16/2/4/1 8/2/4/1",
    ),
    (
        "argmax:3x4x[100]xf16:i32:pitch=128",
        InOrder,
        "2/1/2/1 4/2/1/1 64/2/32/1",
    ),
    (
        "argmin:[5]x2x[3]x2x3x7xf32",
        InOrder,
        "6/1/2/1 2/1/2/1 4/4/1/1 2/1/1/2 4/1/4/1 8/2/4/1",
    ),
    (
        "argmax_last:3x[5000]xf64:i64:index_base",
        InOrder,
        "1/1/1/1 512/2/64/2 split=4",
    ),
    (
        "argmin:[100000]xf8E4M3FN:i32:initial",
        InOrder,
        "4096/16/64/4 lazy",
    ),
    (
        "argmax.ugt:6x[4096]xi8:i32:explicit_index",
        Reversed,
        "4/1/2/2 256/8/32/1 split=8",
    ),
    (
        "argmin_nan:7x[130]x12xbf16:i64:explicit_index:initial",
        InOrder,
        "2/1/1/2 32/2/8/1 8/1/8/1",
    ),
    ("argmax_nan:[70000]xf32", InOrder, "2048/4/64/8 split=16"),
    (
        "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}:9x[777]xf16",
        InOrder,
        "1/1/1/1 512/4/64/1",
    ),
    (
        "argmax:8x[20000]xf32",
        InOrder,
        "2/2/1/1 1024/4/64/1 lazy split=4",
    ),
    (
        "argmin_last:50x[9]x[8]xf16",
        InOrder,
        "16/1/16/1 8/2/4/1 8/8/1/1 one",
    ),
    ("argmin.ult:[5003]xf32", InOrder, "20/4/1/1"),
    (
        "argmax.ugt:70x[7]x[8]x5xf16:i64:initial",
        Reversed,
        "128/2/64/1 2/2/1/1 8/8/1/1 1/1/1/1",
    ),
    (
        "argmax:?x[3000]xf32:i32:count=1..40",
        InOrder,
        "8/1/1/4 512/4/64/1",
    ),
    (
        "argmin:?x[130]x6xf16:i64:index_base:count=3..50",
        Reversed,
        "8/1/4/1 32/2/4/4 8/2/4/1 split=4",
    ),
    (
        "argmax:?x[70]xbf16:i32:count=1..90",
        InOrder,
        "64/1/32/2 8/4/2/1 lazy",
    ),
    (
        "argmax:?x[9]x1xf32:i32:initial:count=1..70000000",
        InOrder,
        "1/1/1/1 64/1/64/1 1/1/1/1",
    ),
    (
        "argmin:6x[300]xi16:index:explicit_index",
        InOrder,
        "2/1/2/1 128/2/32/1",
    ),
    ("argmax:3x[5000]xi1", InOrder, "1/1/1/1 1024/16/64/1"),
    (
        "arg_compare{2=arith.xori(0,1);arith.andi(0,2)}:40x[90]xi1:i64:initial",
        InOrder,
        "4/4/1/1 64/1/64/1",
    ),
    ("sum:4x[1000]xf16", InOrder, "1/1/1/1 512/8/64/1"),
    (
        "sum:?x[3000]xbf16:count=1..40",
        InOrder,
        "8/1/1/4 512/4/64/1",
    ),
    ("sum:64x[257]xi16:initial=5", InOrder, "8/4/1/2 64/1/64/1"),
    (
        "usum:8x[20000]xi8:i64",
        InOrder,
        "1/1/1/1 1024/4/64/4 split=4",
    ),
    (
        "product:[50257]xf64:initial=-2.0",
        InOrder,
        "4096/2/64/8 one",
    ),
    ("max:300x[77]xbf16", Reversed, "8/1/1/4 128/1/64/2"),
    (
        "minnum:5x[90]x[70]xf32",
        Reversed,
        "2/1/2/1 8/2/4/1 64/4/8/2",
    ),
    (
        "xor:[6]x9x[40]x11xi32",
        Reversed,
        "4/1/2/2 8/2/2/2 16/2/4/1 8/2/4/1",
    ),
    ("or:3x[5000]xi1", InOrder, "1/1/1/1 1024/16/64/1"),
    ("dot:64x[5000]xbf16,bf16(1)", InOrder, "4/2/1/2 512/8/64/1"),
    (
        "sum(3=arith.mulf(0,1);arith.addf(2,3)):6x[100]x70xf32,f32(2,0),f32(1)",
        InOrder,
        "2/1/1/2 8/2/4/1 32/2/16/1",
    ),
    ("udot:[30000]xi8,i16:i64", InOrder, "2048/4/64/4 split=8"),
    (
        "dot:9x[777]xf8E4M3FNUZ,f32(0)",
        InOrder,
        "1/1/1/1 512/4/64/1",
    ),
    (
        "argmax(3=arith.mulf(0,1);arith.addf(2,3)):8x[20000]xf32,f32(),f32",
        InOrder,
        "2/2/1/1 256/4/64/1 lazy split=4",
    ),
    (
        "abs_max:?x[300]xbf16:count=1..40",
        InOrder,
        "8/1/1/4 128/2/64/1 one",
    ),
    ("sum:9x[768]xbf16(0,1-4:760)", InOrder, "1/1/1/1 512/8/64/1"),
    (
        "dot:6x[1000]x5xf16(1+2:1005,0,2-1:3=1.0),f32(-1+999)",
        InOrder,
        "2/1/2/1 64/2/16/1 8/2/2/1",
    ),
    (
        "argmax(arith.addf(0,1)):?x[5000]xf32(0,1-1:2000=-inf),f32(-1+5003:5004):i32:count=1..40",
        InOrder,
        "8/1/1/4 256/4/64/1 lazy",
    ),
    (
        "sum:40x[10]x768xf16(@1:5000,2=1.0),i64(0,1)",
        InOrder,
        "1/1/1/1 4/1/1/2 512/8/64/1",
    ),
    (
        "sum(5=arith.constant(i32,12c);6=arith.cmpi(ult,3,5);7=arith.select(6,0,1);arith.mulf(2,7)):9x[700]xf32(0,1:300),f32(0,1-300:400),f32(-@4+90:100),index(1),i16(0,1)",
        InOrder,
        "1/1/1/1 256/4/64/1 split=2",
    ),
    // A row of one step, which stays in registers.
    ("softmax:64x[768]xf32", InOrder, "2/2/1/1 768/4/64/1"),
    (
        "log_softmax:7x[90]x33xbf16",
        InOrder,
        "1/1/1/1 16/1/4/2 64/1/16/2",
    ),
    (
        "log_sum_exp:9x[5000]xf16",
        InOrder,
        "2/1/1/2 1024/8/64/2 one split=4",
    ),
    (
        "cross_entropy:9x[5000]xf16:i64",
        InOrder,
        "1/1/1/1 1024/4/64/4 one",
    ),
    ("layer_norm:64x[768]xbf16", Reversed, "1/1/1/1 768/1/64/4"),
    (
        "rms_norm:?x[300]xf16:count=1..40",
        InOrder,
        "8/1/1/4 128/2/64/1",
    ),
    (
        "add_rms_norm:6x[1000]x5xf32:pitch=8",
        InOrder,
        "1/1/1/1 64/2/16/1 8/2/4/1",
    ),
    // Workgroups that wait for each other; the last ones begin earlier.
    (
        "add_rms_norm:3x[2810]xbf16",
        InOrder,
        "1/1/1/1 512/4/64/2 split=4",
    ),
    (
        "rows(sin(x)+tanh(x)*sum(expm1(x)),erf(x)*log1p(x)):3x[300]xf32",
        InOrder,
        "1/1/1/1 512/4/64/1",
    ),
    (
        "map(3=arith.mulf(0,1);arith.addf(2,3)):64x768xf16,f16(1),f16",
        InOrder,
        "1/1/1/1 512/8/64/1",
    ),
    ("copy:300x70xf32(1,0)", InOrder, "16/1/16/1 16/4/4/1"),
    ("copy:1003xbf16", InOrder, "512/4/64/2"),
];

/// The problems of the specimens. They are parsed once, because each problem carries the analysis
/// of its comparator.
static PROBLEMS: LazyLock<Vec<Problem>> = LazyLock::new(|| {
    let problem = |specimen: &Specimen| specimen.0.parse().expect("a test parses every specimen");
    SPECIMENS.iter().map(problem).collect()
});

/// Returns the specimens for subgroups of 64 or 32 lanes. With 32 lanes, the dimension with the
/// most lanes has half of them, and its tile shrinks as needed.
pub fn specimens(subgroup_size: u32) -> Vec<(Problem, Configuration)> {
    let specimen = |(problem, (_, digits, along)): (&Problem, &Specimen)| {
        let (mut along, knobs) = numbers(along);
        // The table is written for 64 lanes.
        if subgroup_size == 32 {
            halve_lanes(problem, &mut along);
        }
        let configuration = configuration(problem, subgroup_size, *digits, &along, knobs);
        (problem.clone(), configuration)
    };
    PROBLEMS.iter().zip(&SPECIMENS).map(specimen).collect()
}

/// Parses the numbers of each dimension, and the knobs.
fn numbers(text: &str) -> (Vec<[u32; 4]>, Knobs) {
    let number = |text: &str| text.parse().expect("a test parses every specimen");
    let (mut along, mut knobs) = (Vec::new(), Knobs::DEFAULT);
    for word in text.split(' ') {
        match word.strip_prefix("split=") {
            Some(split) => knobs.split = number(split),
            None if word == "lazy" => knobs.lazy_index = true,
            None if word == "one" => knobs.accumulators = Accumulators::One,
            None => {
                let mut numbers = word.split('/').map(number);
                along.push(std::array::from_fn(|_| numbers.next().unwrap_or(1)));
            }
        }
    }
    (along, knobs)
}

/// Halves the lanes along the dimension that has the most. A parallel tile is halved, too,
/// because the number of rows per lane is limited. A reduced tile shrinks only if the dimension
/// is small. A single lane stays one.
fn halve_lanes(problem: &Problem, along: &mut [[u32; 4]]) {
    let shape = &problem.shape;
    let most = (0..along.len()).max_by_key(|&d| along[d][2]);
    let most = most.filter(|&d| along[d][2] > 1);
    let Some((d, [tile, thread, lanes, subgroups])) = most.map(|d| (d, &mut along[d])) else {
        return;
    };
    *lanes /= 2;
    *tile = match shape.is_reduced(d) {
        true => shape.sizes()[d]
            .next_multiple_of(*thread * *lanes * *subgroups)
            .min(*tile),
        false => *tile / 2,
    };
}

/// Builds the configuration of a specimen.
fn configuration(
    problem: &Problem,
    subgroup_size: u32,
    digits: Digits,
    along: &[[u32; 4]],
    knobs: Knobs,
) -> Configuration {
    let shape = &problem.shape;
    let list = |entry: fn(&[u32; 4]) -> u32| -> Tiles { along.iter().map(entry).collect() };
    let tiles = |reduced: bool| -> Tiles {
        let tile = |(d, along): (usize, &[u32; 4])| match shape.is_reduced(d) == reduced {
            true => along[0],
            false => 0,
        };
        along.iter().enumerate().map(tile).collect()
    };
    let basis = |counts: Tiles| {
        let mapping = 0..shape.rank() as u8;
        match digits {
            InOrder => Basis {
                counts,
                mapping: mapping.collect(),
            },
            Reversed => Basis {
                counts: counts.into_iter().rev().collect(),
                mapping: mapping.rev().collect(),
            },
        }
    };
    let (lanes, subgroups) = (list(|along| along[2]), list(|along| along[3]));
    let threads = subgroup_size * subgroups.iter().product::<u32>();
    Configuration {
        lowering: LoweringConfig {
            workgroup: tiles(false),
            partial_reduction: tiles(true),
            thread: list(|along| along[1]),
            lane_basis: basis(lanes),
            subgroup_basis: basis(subgroups),
        },
        subgroup_size,
        workgroup_size: [threads, 1, 1],
        knobs,
    }
}

/// Returns the version of the generator: this crate's version and a hash. The hash differs if the
/// IR of a specimen changes for any target, or if LLVM's options do. It is part of every
/// measurement's provenance.
pub fn generator_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        // The options change the code of every kernel, but no IR.
        hasher.update(llvm::OPTIONS.as_bytes());
        let sizes =
            |target: &'static Target| target.subgroup_sizes.iter().map(move |&s| (target, s));
        for (target, size) in TARGETS.iter().flat_map(sizes) {
            for (problem, configuration) in specimens(size) {
                let lowered = LoweredConfiguration::new(&problem, target, &configuration);
                let ir = lowered.map(|lowered| lowered.llvm_ir());
                // A specimen that is illegal on a target counts as empty text.
                hasher.update(ir.unwrap_or_default().as_bytes());
            }
        }
        let hash = hasher.finalize().to_hex();
        format!("{}+{}", env!("CARGO_PKG_VERSION"), &hash[..12])
    })
}

#[cfg(test)]
mod tests;
