//! Tests of each rule of IREE's plain reductions broken alone, and of rule 0's acceptance.

use configgen::{Generator, Problem, check};

use crate::legality::{changed, rejects};
use crate::{gfx942, gfx1100};

const ROW: &str = r#"{"workgroup":[2,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
    "subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1]}"#;

#[track_caller]
fn accepts(problem: &str, changes: &str) {
    let problem: Problem = problem.parse().unwrap();
    let checked = check(&problem, gfx942(), Generator::IREE, &changed(ROW, changes));
    assert_eq!(checked, Ok(()));
}

#[track_caller]
fn refuses(problem: &str, changes: &str, message: &str) {
    rejects(problem, Generator::IREE, ROW, changes, message);
}

#[test]
fn rules() {
    let sum = "sum:8x[4000]xf32";
    accepts(sum, "");
    accepts(sum, r#""partial_reduction": [0, 4096]"#);
    accepts(
        sum,
        r#""partial_reduction": [0, 3072], "workgroup": [1, 0]"#,
    );
    accepts("sum:8x[1000]xf32", "");
    refuses(
        sum,
        r#""partial_reduction": [0, 5120]"#,
        "rule 1: partial_reduction 5120 is more than the size 4000, rounded up to a multiple of 4 subgroups x 64 lanes x 4 elements = 1024",
    );
    refuses(
        "sum:8x[768]xf32",
        "",
        "rule 1: with partial_reduction 1024 the last of 4 subgroups has none of the 768 elements",
    );
    refuses(sum, r#""partial_reduction": [0, 0]"#, "rule 1");
    refuses(
        sum,
        r#""partial_reduction": [0, 512]"#,
        "rule 2: partial_reduction 512 is not a multiple of 4 subgroups x 64 lanes x 4 elements = 1024",
    );
    refuses(
        sum,
        r#""workgroup": [3, 0]"#,
        "rule 3: the workgroup tile 3 does not divide the size 8 of dimension 0",
    );
    refuses(
        sum,
        r#""subgroup_basis": [[1, 3], [0, 1]], "partial_reduction": [0, 768], "workgroup_size": [192, 1, 1]"#,
        "rule 5: the subgroup count 3 is not a power of two",
    );
    refuses(
        sum,
        r#""lane_basis": [[1, 2], [0, 1]], "partial_reduction": [0, 32]"#,
        "rule 5: 4 subgroups, but only 2 lanes on the reduced dimension",
    );
    refuses(
        sum,
        r#""split": 2"#,
        "rule F1: split is 2; it must be 1 unless the problem is an arg_compare",
    );
    // Lanes on both dimensions; for 64 bits the row's lanes are neighbours.
    let both = r#""lane_basis": [[2, 32], [0, 1]], "partial_reduction": [0, 512]"#;
    let swapped = r#""lane_basis": [[32, 2], [1, 0]], "partial_reduction": [0, 512]"#;
    accepts(sum, both);
    accepts(sum, swapped);
    accepts("sum:8x[4000]xf64", both);
    refuses(
        "sum:8x[4000]xf16:f64",
        swapped,
        "rule B: lanes on the reduced dimension 1 are 2 apart; they must be adjacent, because they exchange values of 64 bits",
    );
    refuses(
        "umax:8x[4000]xi8",
        "",
        "rule 4: 64 lanes on the reduced dimension; with keys of 8 bits at most 32 compile",
    );
    accepts("umax:8x[4000]xi8", both);
    accepts("sum:8x[4000]xi8", "");
    // 64 elements per thread, of two registers each: 512 registers for 256 threads, 256 for 512.
    let long = r#""partial_reduction": [0, 2048], "workgroup": [8, 0], "thread": [0, 8]"#;
    let wide = r#""partial_reduction": [0, 4096], "workgroup": [8, 0], "thread": [0, 8],
        "subgroup_basis": [[1, 8], [0, 1]], "workgroup_size": [512, 1, 1]"#;
    accepts("sum:8x[4000]xf16", long);
    accepts("sum:8x[4000]xf16", wide);
    accepts("sum:8x[4000]xf16:f64", long);
    accepts("sum:8x[4000]xf16:f64", wide);
    let fuller = wide.replace("4096]", "8192]").replace("4000", "8000");
    refuses(
        "sum:8x[8000]xf16:f64",
        &fuller,
        "rule E2: a thread takes 128 elements per step; with 512 threads at most 80 fit the registers",
    );
}

/// Checks the bounds of the steps of a sum of floats, from both sides.
#[test]
fn sums_take_few_additions() {
    let sum = "sum:8x[8192]xf32";
    let lane = |step: u32| {
        format!(
            r#""partial_reduction": [0, {step}], "thread": [0, 1], "workgroup": [1, 0],
            "lane_basis": [[1, 4], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "workgroup_size": [64, 1, 1]"#
        )
    };
    refuses(
        "sum:8x[2048]xf32",
        &lane(32),
        "rule G: a lane adds up to 64 elements to each of 8 accumulators in sequence; a sum of 2048 floats may take \
         at most 69 additions",
    );
    accepts("sum:8x[2048]xf32", &lane(64));
    accepts("sum:8x[2048]xf32", &lane(196));
    refuses(
        "sum:8x[2048]xf32",
        &lane(256),
        "rule G: a lane adds up to 8",
    );
    // No distribution of so few lanes suffices.
    refuses(sum, &lane(128), "rule G");
    refuses("softmax:8x[8192]xf32", &lane(128), "rule G");
    refuses("rms_norm:8x[8192]xf32", &lane(128), "rule G");
    refuses("dot:8x[8192]xf32,f32(1)", &lane(128), "rule G");
    // The order of integers does not matter, and a short sum never takes more.
    accepts("sum:8x[8192]xi32", &lane(128));
    accepts("product:8x[8192]xf32", &lane(128));
    accepts("sum:8x[64]xf32", &lane(4));
}

/// Checks that rule 0 refuses the problem with this message, or accepts it.
#[track_caller]
fn check_taken(problem: &str, refusal: Option<&str>) {
    let problem: Problem = problem.parse().unwrap();
    for target in [gfx942(), gfx1100()] {
        let found = configgen::check_problem(&problem, target, Generator::IREE);
        match (found, refusal) {
            (Ok(()), None) => {}
            (Err(rejection), Some(refusal)) => {
                let text = rejection.to_string();
                assert!(
                    text.starts_with("rule 0: ") && text.contains(refusal),
                    "{text}"
                );
            }
            (found, _) => panic!("{problem}: {found:?}"),
        }
    }
}

#[test]
fn problems() {
    for element in ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "i1"] {
        check_taken(&format!("sum:4x[64]x{element}"), None);
        check_taken(&format!("product:[64]x4x{element}"), None);
    }
    for element in ["i64", "i32", "i16", "i8"] {
        let is_long = element == "i64";
        let refusal =
            |is_taken: bool| (!is_taken).then_some("IREE's lanes start at the neutral value");
        check_taken(&format!("max:4x[64]x{element}"), refusal(is_long));
        check_taken(&format!("umin:4x[64]x{element}"), refusal(!is_long));
        check_taken(&format!("or:4x[64]x{element}"), None);
        check_taken(&format!("xor:4x[64]x{element}"), None);
        check_taken(
            &format!("and:4x[64]x{element}"),
            Some("IREE's lanes start at 1"),
        );
    }
    check_taken("or:4x[64]xi1", Some("extend the elements to i8"));
    for element in ["f64", "f32", "f16", "bf16"] {
        check_taken(&format!("max:4x[64]x{element}"), Some("so a NaN is lost"));
        let refusal = (element != "f64").then_some("if the third is a signaling NaN");
        check_taken(&format!("minnum:4x[64]x{element}"), refusal);
    }
    check_taken("sum:?x[64]x3xf32", None);
    check_taken(
        "sum:4x[64]xf32:initial=2.5",
        Some("has its own initial value"),
    );
    check_taken("sum:4x[64]xf32:pitch=80", Some("gaps between its rows"));
    check_taken("softmax:4x[64]xf32", None);
    check_taken(
        "layer_norm:4x[64]xf32",
        Some(
            "the rules cover arg_compare of unmodified elements, plain reductions, softmax and rms_norm",
        ),
    );
}

#[test]
fn softmax() {
    check_taken("softmax:2x8x16x[128]xf32", None);
    check_taken("softmax:4x[64]xf16", None);
    check_taken("softmax:4x3x[64]xbf16", None);
    check_taken("log_softmax:4x[64]xf32", Some("plain reductions, softmax"));
    check_taken("softmax:[4]x[64]xf32", Some("plain reductions, softmax"));
    check_taken("softmax:4x[64]xf32:pitch=80", Some("gaps between its rows"));
    check_taken(
        "softmax:[64]x4xf32",
        Some("does not reduce the innermost dimension"),
    );
    for other in [
        "softmax:[64]xf32",
        "softmax:1x[64]xf32",
        "softmax:?x[64]xf32",
        "softmax:4x[1]xf32",
    ] {
        check_taken(other, Some("has no rows, or a size that is 1"));
    }
    let softmax = "softmax:8x[4000]xf32";
    accepts(softmax, "");
    accepts(softmax, r#""partial_reduction": [0, 4096]"#);
    refuses(softmax, r#""workgroup": [3, 0]"#, "rule 3");
    refuses(softmax, r#""split": 2"#, "rule F1");
    refuses(
        "softmax:8x[768]xf32",
        "",
        "rule 1: with partial_reduction 1024 the last of 4 subgroups has none of the",
    );
}

#[test]
fn norms() {
    for element in ["f32", "f16", "bf16"] {
        check_taken(&format!("rms_norm:4x[64]x{element}"), None);
        for several in ["layer_norm", "standardize", "add_rms_norm", "log_softmax"] {
            check_taken(
                &format!("{several}:4x[64]x{element}"),
                Some("into several kernels"),
            );
        }
    }
    check_taken("rms_norm:4x[64]xf32:epsilon=0.5", None);
    check_taken("rms_norm:2x8x[64]xf32", Some("tune rms_norm:16x[64]"));
    check_taken(
        "rms_norm:[64]x4xf32",
        Some("does not reduce the innermost dimension"),
    );
    for other in [
        "rms_norm:[64]xf32",
        "rms_norm:1x[64]xf32",
        "rms_norm:?x[64]xf32",
    ] {
        check_taken(other, Some("has no rows, or a size that is 1"));
    }
    check_taken(
        "rms_norm:4x[64]xf32:pitch=80",
        Some("gaps between its rows"),
    );
    let norm = "rms_norm:8x[4000]xf16";
    accepts(norm, r#""partial_reduction": [0, 4096]"#);
    refuses(norm, r#""split": 2"#, "rule F1");
    refuses(
        "rms_norm:8x[768]xf32",
        "",
        "rule 1: with partial_reduction 1024 the last of 4 subgroups has none of the",
    );
    // 64 elements per thread and their weights, in 256 registers for 512 threads: 80 of each fit.
    let wide = r#""partial_reduction": [0, 8192], "workgroup": [4, 0], "thread": [0, 8],
        "subgroup_basis": [[1, 8], [0, 1]], "workgroup_size": [512, 1, 1]"#;
    accepts("rms_norm:8x[8000]xf16", wide);
    refuses(
        "rms_norm:8x[8000]xf16",
        &wide.replace("4, 0]", "8, 0]"),
        "rule E2: a thread takes 128 elements per step; with 512 threads at most 80 fit the registers",
    );
}

#[test]
fn computed() {
    check_taken("dot:64x[4096]xf16,f16(1)", None);
    check_taken("dot:?x[768]xf16,f16(1)", None);
    check_taken("square_sum:[64]x8xf16", None);
    check_taken("sum(arith.mulf(0,1)):[64]x48xf16,f16(1,0)", None);
    check_taken("dot:64x[768]xf32,f32(-1+767)", Some("reduces a view"));
    check_taken(
        "sum(2=arith.sitofp(1,f32);arith.mulf(0,2)):4x[64]xf32,index(1)",
        Some("reduces a view"),
    );
    check_taken(
        "sum(math.floor(0)):64x[768]xf32",
        Some("IREE's kernels may compute math.floor with other results"),
    );
    check_taken(
        "sum(2=arith.extf(1,f32);arith.addf(0,2)):64x[768]xf32,f8E5M2(1)",
        Some("has elements of f8E5M2"),
    );
    check_taken("abs_max:64x[768]xf32", Some("so a NaN is lost"));
    for element in ["f32", "f16", "bf16"] {
        check_taken(&format!("dot:4x[64]x{element},{element}(1)"), None);
        check_taken(&format!("square_sum:4x[64]x{element}"), None);
    }
    check_taken("dot:4x[64]xf64,f64(1)", Some("adds products of f64"));
    check_taken("square_sum:4x[64]xf64", Some("adds products of f64"));
    check_taken("dot:4x[64]xi8,i8(1)", None);
    check_taken(
        "sum(2=arith.extf(0,f64);3=arith.extf(1,f64);arith.mulf(2,3)):4x[64]xf32,f32(1)",
        Some("adds products of f64"),
    );
    check_taken(
        "sum(2=arith.extf(0,f64);3=arith.extf(1,f64);arith.mulf(2,3)):4x[64]xbf16,f32(1)",
        Some("multiplies factors that are extended from two types"),
    );
    check_taken(
        "sum(2=arith.extf(1,f32);arith.mulf(0,2)):4x[64]xf32,f16(1)",
        None,
    );
    check_taken("product(arith.mulf(0,1)):4x[64]xf32,f32(1)", None);
    // Neighbours must be so in all inputs.
    check_taken("dot:8x64x[96]xf16,f16(0,2)", None);
    check_taken("dot:8x64x[96]xf16,f16(1,0,2)", None);
    check_taken(
        "dot:8x64x[96]xf16,f16(2)",
        Some("IREE collapses dimensions 0 and 1"),
    );
    check_taken(
        "dot:8x64x[96]xf16,f16",
        Some("IREE collapses dimensions 0 and 1"),
    );
    check_taken("dot:1x[96]xf16,f16(1)", Some("drops dimension 0 of"));
    check_taken("dot:4x[1]xf16,f16(1)", Some("nothing to reduce"));
    check_taken(
        "dot:[4]x[8]xf16,f16(1)",
        Some("2 dimensions that are not adjacent are reduced"),
    );
}

/// Checks the elements of a thread, with a function.
#[test]
fn elements() {
    let long = r#""partial_reduction": [0, 8192], "thread": [0, 8], "workgroup": [1, 0]"#;
    let longer = r#""partial_reduction": [0, 16384], "thread": [0, 8], "workgroup": [4, 0]"#;
    accepts("dot:8x[16000]xi8,i8(1)", long);
    refuses(
        "dot:8x[32000]xi8,i8(1)",
        longer,
        "rule E1: a thread takes 256 elements per step; for function results of i8 more than 64 gain nothing",
    );
    // Registers of the element and its operands: 512 threads leave 256 registers, and 160
    // elements of one.
    let wide = r#""partial_reduction": [0, 8192], "workgroup": [4, 0], "thread": [0, 8],
        "subgroup_basis": [[1, 8], [0, 1]], "workgroup_size": [512, 1, 1]"#;
    accepts("sum(arith.addf(0,1)):8x[8000]xf32,f32(1)", wide);
    let more = "sum(3=arith.addf(0,1);arith.addf(3,2)):8x[8000]xf32,f32(1),f32(0)";
    refuses(more, wide, "rule E2");
}

/// Checks shapes that IREE changes.
#[test]
fn shapes() {
    check_taken("sum:[64]xf32", None);
    check_taken("sum:32x[64]x784xf32", None);
    check_taken(
        "sum:32x[64]x28x28xf32",
        Some("tune sum:32x[64]x784xf32, which has the same kernel"),
    );
    check_taken(
        "sum:1x8x1x[64]x[3]xf32",
        Some("tune sum:8x[192]xf32, which has the same kernel"),
    );
    check_taken(
        "sum:1x[64]xf32",
        Some("tune sum:[64]xf32, which has the same kernel"),
    );
    check_taken(
        "sum:?x[64]x1xf32",
        Some("tune sum:?x[64]xf32:count=1..512, which has the same kernel"),
    );
    check_taken(
        "sum:?x3x[64]xf32",
        Some("no problem has the resulting count"),
    );
    check_taken("sum:4x[1]xf32", Some("there is nothing to reduce"));
    check_taken(
        "sum:[4]x3x[8]xf32",
        Some("2 dimensions that are not adjacent are reduced"),
    );
}
