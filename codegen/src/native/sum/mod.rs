//! Tests of i32 sums, in which an element that is taken twice counts twice.

mod run;

use std::collections::BTreeSet;

use configgen::{Configuration, Generator, Problem, Space, TARGETS, Target};
use expect_test::expect;

use super::Native;
use super::header_comment::header_comment;
use super::stage::LoweredConfiguration;
use super::stages::dimension::TailHandling;
use crate::cache::Cache;

/// Shapes with repeated elements: at the end of a row, in a tile that is larger than the row, in
/// the last pieces.
const SHAPES: [&str; 9] = [
    "4x[1000]",
    "[4099]",
    "3x[7]x2x[5]",
    "65x[2]",
    "2x[129]",
    "[33]x70",
    "5x[64]",
    "2x[3]x[211]:pitch=300",
    "1x[9001]",
];

/// Returns the sum over the rows of a shape such as `4x[1000]`.
fn problem(shape: &str) -> Problem {
    let (shape, options) = shape.split_once(':').unwrap_or((shape, ""));
    let colon = if options.is_empty() { "" } else { ":" };
    format!("sum:{shape}xi32{colon}{options}").parse().unwrap()
}

fn lowered(
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> LoweredConfiguration {
    LoweredConfiguration::new(problem, target, configuration).unwrap()
}

/// Returns the generator, or `None` if a tool is missing, which CI does not accept.
fn native() -> Option<Native> {
    match Native::load(Cache::of_environment()) {
        Ok(native) => Some(native),
        Err(missing) if std::env::var_os("CI").is_some() => panic!("{missing}"),
        Err(missing) => {
            eprintln!("not tested: {missing}");
            None
        }
    }
}

/// Returns the ways in which a kernel takes elements again.
fn repeats(kernel: &LoweredConfiguration) -> BTreeSet<&'static str> {
    let grid = &kernel.last.lanes.block.grid;
    let mut repeats = BTreeSet::new();
    for (_, dimension) in grid.reduced() {
        match dimension.cover() {
            TailHandling::Exact => {}
            TailHandling::Shifted => drop(repeats.insert("at the end of a dimension")),
            TailHandling::Clamped => drop(repeats.insert("in a tile that is too large")),
            TailHandling::Counted => drop(repeats.insert("beyond the count")),
        }
    }
    if let Some(split) = grid.split
        && split.last < (split.pieces - 1) * split.piece
    {
        repeats.insert("in a piece");
    }
    if kernel.last.lanes.block.partials() > 0 {
        repeats.insert("(by way of LDS)");
    }
    repeats
}

#[test]
fn sums_are_right() {
    let Some(native) = native() else { return };
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for (number, target) in TARGETS.iter().enumerate() {
        for (seed, shape) in SHAPES.iter().enumerate() {
            let problem = problem(shape);
            let space = Space::new(&problem, target, Generator::NATIVE);
            let seed = (number * SHAPES.len() + seed) as u64;
            for configuration in space.sample(3, seed) {
                let kernel = lowered(&problem, target, &configuration);
                seen.extend(repeats(&kernel));
                let compiled = native.compile_lowered(target, kernel).unwrap();
                if let Err(error) = run::run(&problem, &compiled) {
                    wrong.push(format!("{target} {problem} {configuration}: {error}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let all = [
        "(by way of LDS)",
        "at the end of a dimension",
        "in a piece",
        "in a tile that is too large",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
}

/// Checks that no stage mentions positions, and that the operations are those of a sum.
#[test]
fn stages_of_a_sum() {
    let problem = problem("2x[129]");
    let target: &Target = "gfx942".parse().unwrap();
    let json = r#"{"workgroup": [1, 0], "partial_reduction": [0, 64], "thread": [0, 1],
        "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
        "workgroup_size": [64, 1, 1]}"#;
    let configuration: Configuration = serde_json::from_str(json).unwrap();
    let kernel = lowered(&problem, target, &configuration);
    let ops = kernel.kernel();
    expect![[r#"
        ops 64 threads of 64 lanes
          parameter input: global
          parameter values: global
          # Who the thread is, and which tile is its workgroup's.
          thread: i32 = thread_id
          workgroup: i32 = workgroup_id x
          # Where its elements are.
          v1: i32 = mul workgroup, 516
          v2: i64 = zero_extend v1
          v3: i32 = shift_left thread, 2
          v4: global = offset input, v2
          # The elements, step by step, each taken into a slot.
          loop step: i32 = 0, from: global = v4, sum: i32 = 0
            v5: global = pin from
            v6: global = apart v5, v3
            loaded: i32 = load v6 align 4
            v7: i32 = add sum, loaded
            v8: i32 = add step, 64
            v9: global = offset from, 256
            v10: i1 = compare ult step, 64
            yield v8, v9, v7
          while v10
          v11: i32, v12: global, v13: i32 = end
          v14: global = offset v4, 260
          v15: global = pin v14
          v16: global = apart v15, v3
          loaded2: i32 = load v16 align 4
          v17: i1 = compare uge thread, 63
          v18: i32 = select v17, loaded2, 0
          v19: i32 = add v13, v18
          # The slots of a row become one state.
          # From the states of the lanes to those of the rows.
          v20: i32 = move v19 by dpp quad_perm:[1,0,3,2]
          v21: i32 = add v19, v20
          v22: i32 = move v21 by dpp quad_perm:[2,3,0,1]
          v23: i32 = add v21, v22
          v24: i32 = move v23 by dpp row_ror:8
          v25: i32 = add v23, v24
          v26: i32 = move v25 by dpp row_half_mirror
          v27: i32 = add v25, v26
          v28: i32 = move v27 by ds_swizzle 0x401f
          v29: i32 = add v27, v28
          v30: i32 = xor thread, 32
          v31: i32 = shift_left v30, 2
          v32: i32 = permute v29, v31
          v33: i32 = add v29, v32
          v34: i32 = and thread, 63
          v35: i1 = compare eq v34, 0
          if v35
            v36: i32 = shift_left workgroup, 2
            v37: i64 = zero_extend v36
            v38: global = offset values, v37
            store v33, v38 align 4
          end
    "#]]
    .assert_eq(&ops.to_string());
    expect![[r#"
        final gfx942
          address: scalar base + 32-bit vector offset + immediate in [-4096, 4095]
          step: 1 loads along dimension 1, of 1 elements (1 thread tiles)
                1 x (sum i32)
          lanes: state by dpp quad_perm:[1,0,3,2], dpp quad_perm:[2,3,0,1], dpp row_ror:8, dpp row_half_mirror, ds_swizzle 0x401f, ds_bpermute lane^32
    "#]].assert_eq(&kernel.last.to_string());
    expect![[r#"
        // sum:2x[129]xi32 for gfx942, printed by wavetune.
        //
        // #iree_codegen.compilation_info<lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction
        // = [0, 64], thread = [0, 1], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>, translation_info
        // = <pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>>
        //
        // grid      2 x 1 x 1 workgroups
        // block     64 x 1 x 1 threads, subgroups of 64: 1
        // LDS       0 bytes, static
        // compile   hipcc --genco --offload-arch=gfx942 -O3, or hiprtc with these options, or without ROCm
        //           clang++ -x hip --offload-arch=gfx942 -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib
        //           --no-gpu-bundle-output; in no case -ffast-math: NaN matter
        // arguments
        //   input    const int *: 2 x [129] i32, row by row, the bracketed dimensions reduced
        //   values   int *: 2 i32, of each row the sum
        //
        // The result of a row is made of 0 and of its elements as i32, two at a time, in an order that is
        // the same in every launch: their sum, of which the low bits stay.
    "#]].assert_eq(&header_comment(&kernel.last, &ops, &problem, target, &configuration));
}
