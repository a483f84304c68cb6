//! Tests of each rule of IREE's kernels broken alone, and of rule 0's acceptance.

use configgen::{Generator, Problem, TARGETS, Target, check, check_problem};

use crate::legality::changed;
use crate::{gfx942, gfx1100};

const IREE_ROW: &str = r#"{"workgroup":[1,0],"partial_reduction":[0,1280],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
    "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;

#[test]
fn iree_rules() {
    let problem = "argmax:4x[32000]xf32";
    let accepts = |problem: &str, base: &str, changes: &str| {
        let problem: Problem = problem.parse().unwrap();
        assert_eq!(
            check(&problem, gfx942(), Generator::IREE, &changed(base, changes)),
            Ok(())
        );
    };
    accepts(problem, IREE_ROW, "");
    accepts(
        problem,
        IREE_ROW,
        r#""lane_basis": [[1, 8], [0, 1]], "partial_reduction": [0, 32]"#,
    );
    let open = "argmax:?x[32000]xf32:i32:count=1..4";
    accepts(open, IREE_ROW, "");
    accepts(
        problem,
        IREE_ROW,
        r#""split": 125, "partial_reduction": [0, 256]"#,
    );
    crate::legality::rejects(
        "argmax:4x[33536]xf32",
        Generator::IREE,
        IREE_ROW,
        r#""split": 131, "partial_reduction": [0, 256]"#,
        "rule F2: 1 lanes merge 131 pieces of a row; each may take 128 results",
    );
    crate::legality::rejects(
        open,
        Generator::IREE,
        IREE_ROW,
        r#""split": 2"#,
        "rule F1: split is 2; of rows whose count is known at launch only it must be 1",
    );
    crate::legality::rejects(
        open,
        Generator::IREE,
        IREE_ROW,
        r#""workgroup": [2, 0]"#,
        "rule 3: the workgroup tile is 2 on dimension 0, whose size is known at launch only: it must be 1",
    );
    let rejects = |changes: &str, message: &str| {
        crate::legality::rejects(problem, Generator::IREE, IREE_ROW, changes, message)
    };
    rejects(
        r#""partial_reduction": [0, 1024]"#,
        "rule 1: partial_reduction 1024 does not divide the size 32000",
    );
    rejects(r#""partial_reduction": [0, 64000]"#, "rule 1");
    rejects(
        r#""split": 2"#,
        "rule 1: partial_reduction 1280 does not divide the size 16000",
    );
    for split in [0u32, 3, 512, 1 << 31] {
        rejects(
            &format!(r#""split": {split}"#),
            &format!("rule F1: split is {split}, which does not divide the size 32000"),
        );
    }
    rejects(
        r#""lazy_index": true"#,
        "rule D: lazy_index and accumulators are for native kernels",
    );
    rejects(r#""partial_reduction": [0, 0]"#, "rule 1");
    rejects(
        r#""partial_reduction": [1, 1280]"#,
        "rule 1: partial_reduction is 1 on the parallel dimension 0",
    );
    rejects(
        r#""thread": [0, 8]"#,
        "rule 2: partial_reduction 1280 is not a multiple of 1 subgroups x 64 lanes x 8 elements = 512",
    );
    rejects(
        r#""workgroup": [3, 0]"#,
        "rule 3: the workgroup tile 3 does not divide the size 4 of dimension 0",
    );
    rejects(r#""workgroup": [8, 0]"#, "rule 3");
    rejects(r#""workgroup": [0, 0]"#, "rule 3");
    rejects(
        r#""workgroup": [1, 64]"#,
        "rule 3: workgroup is 64 on the reduced dimension 1",
    );
    rejects(
        r#""workgroup": [2, 0], "thread": [4, 4]"#,
        "rule 3: the workgroup tile 2 is not a multiple of 1 subgroups x 1 lanes x 4 elements = 4",
    );
    rejects(
        r#""lane_basis": [[1, 5], [0, 1]]"#,
        "rule 4: the lane count 5 is not a power of two",
    );
    rejects(
        r#""subgroup_basis": [[1, 2], [0, 1]], "workgroup_size": [128, 1, 1]"#,
        "rule 5: 2 subgroups on the reduced dimension 1; of 2 dimensions it must be 1",
    );
    rejects(
        r#""subgroup_size": 32"#,
        "rule 6: the subgroup size is 32; on gfx942 IREE works with 64",
    );
    rejects(r#""thread": [0]"#, "rule 7: thread has 1 entries");
    rejects(
        r#""lane_basis": [[1, 64], [0, 0]]"#,
        "rule 7: lane_basis [[1, 64], [0, 0]]",
    );
    rejects(
        r#""subgroup_basis": [[0, 1], [0, 1]]"#,
        "rule 7: a count of subgroup_basis [0, 1] is 0",
    );
    rejects(
        r#""workgroup_size": [128, 1, 1]"#,
        "rule A: workgroup_size is [128, 1, 1]",
    );
    rejects(r#""workgroup_size": [64, 1, 2]"#, "rule A");
    rejects(
        r#""subgroup_basis": [[32, 1], [0, 1]], "workgroup_size": [2048, 1, 1]"#,
        "rule A: subgroups [32, 1] of 64 lanes make 2048 threads, more than 1024",
    );
    rejects(
        r#""workgroup": [2, 0], "lane_basis": [[2, 32], [0, 1]]"#,
        "rule B: 2 lanes on the parallel dimension 0 beside 32 on the reduced one",
    );
    rejects(
        r#""lane_basis": [[1, 128], [0, 1]]"#,
        "rule C: the product of the lane counts [1, 128] is 128",
    );
    rejects(
        r#""partial_reduction": [0, 16000], "thread": [0, 2]"#,
        "rule E1: a thread takes 250 elements a step; for f32 at most 128 pay",
    );
    let rank_1 = r#"{"workgroup":[0],"partial_reduction":[8192],"thread":[4],"lane_basis":[[64],[0]],
        "subgroup_basis":[[16],[0]],"subgroup_size":64,"workgroup_size":[1024,1,1]}"#;
    accepts("argmax:[1048576]xf32", rank_1, "");
    let rejects = |problem, changes: &str, message: &str| {
        crate::legality::rejects(problem, Generator::IREE, rank_1, changes, message);
    };
    rejects(
        "argmax:[1048576]xf32",
        r#""partial_reduction": [65536]"#,
        "rule E2: a thread takes 64 elements a step; with 1024 threads at most 40 fit the registers",
    );
    let split = r#""split": 8192, "partial_reduction": [128], "thread": [2], "subgroup_basis": [[1], [0]], "workgroup_size": [64, 1, 1]"#;
    accepts("argmax:[1048576]xf32", rank_1, split);
    rejects(
        "argmax:[1048576]xf32:i64",
        split,
        "rule F2: 64 lanes merge 8192 pieces of a row; each may take 106 results",
    );
    rejects(
        "argmax:[98304]xf32",
        r#""partial_reduction": [3072], "subgroup_basis": [[3], [0]], "workgroup_size": [192, 1, 1]"#,
        "rule 5: the subgroup count 3 is not a power of two",
    );
    rejects(
        "argmax:[1048576]xi8",
        "",
        "rule 4: 64 lanes on the reduced dimension; of keys of 8 bits at most 32 compile",
    );
}

/// Checks that rule 0 refuses the problem with this message, or accepts it.
#[track_caller]
fn check_taken(target: &str, problem: &str, refusal: Option<&str>) {
    let problem: Problem = problem.parse().unwrap();
    let target = Target::named(target).unwrap();
    match (check_problem(&problem, target, Generator::IREE), refusal) {
        (Ok(()), None) => {}
        (Err(rejection), Some(refusal)) => {
            let text = rejection.to_string();
            assert!(
                text.starts_with("rule 0: ") && text.contains(refusal),
                "{text}"
            );
        }
        (found, _) => panic!("{problem} on {target}: {found:?}"),
    }
}

#[test]
fn targets() {
    let taken = [
        "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201",
    ];
    for target in &TARGETS {
        let refusal = "iree-compile takes gfx90a, gfx942, gfx950, gfx1100, gfx1151, gfx1201";
        let refusal = (!taken.contains(&target.name)).then_some(refusal);
        check_taken(target.name, "argmax:4x[32000]xf32", refusal);
    }
}

#[test]
fn options_and_element_types() {
    let check = |problem: &str, refusal| check_taken("gfx942", problem, refusal);
    for element in ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"] {
        check(&format!("argmax:4x[64]x{element}:i64:index_base"), None);
        check(&format!("argmin:4x[64]x{element}:i32:explicit_index"), None);
    }
    // The 8-bit floats that the target's instructions convert.
    let (ocp, fnuz) = (["f8E4M3FN", "f8E5M2"], ["f8E4M3FNUZ", "f8E5M2FNUZ"]);
    let none = Some("of floats of 8 bits gfx90a has none");
    for element in ocp.into_iter().chain(fnuz) {
        let problem = format!("argmax:4x[64]x{element}");
        check_taken("gfx90a", &problem, none);
        check_taken("gfx1151", &problem, Some("gfx1151 has none"));
        let is_ocp = ocp.contains(&element);
        let taken = |target: &str, is_taken: bool, message| {
            check_taken(target, &problem, (!is_taken).then_some(message));
        };
        taken("gfx942", !is_ocp, "gfx942 has f8E4M3FNUZ and f8E5M2FNUZ");
        taken("gfx950", is_ocp, "gfx950 has f8E4M3FN and f8E5M2");
        taken("gfx1201", is_ocp, "gfx1201 has f8E4M3FN and f8E5M2");
    }
    let absolute = "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)";
    let extended = "2=arith.extf(0,f32);3=arith.extf(1,f32);arith.cmpf(ogt,2,3)";
    for (comparator, refusal) in [
        (
            absolute,
            Some("iree-compile has no math.absf of floats of 8 bits"),
        ),
        (extended, None),
    ] {
        let problem = format!("arg_compare{{{comparator}}}:4x[64]xf8E5M2");
        check_taken("gfx950", &problem, refusal);
    }
    check(
        "argmax:4x[64]xi1",
        Some("comparator arguments must match input value element type"),
    );
    check(
        "argmax:4x[64]xf32:index",
        Some("index types must not cross the dispatch boundary"),
    );
    check(
        "argmax:4x[64]xf32:i32:initial",
        Some("begins at pairs of its own"),
    );
    check(
        "argmax:4x[64]xf32:i32:pitch=80",
        Some("gaps between its rows"),
    );
    check("argmax:?x4x[64]xf32:i64", None);
    check(
        "argmax:[4]x[64]xf32",
        Some("the dimensions [0, 1] are reduced"),
    );
}

#[test]
fn comparators() {
    let check = |comparator: &str, element: &str, refusal| {
        check_taken(
            "gfx1100",
            &format!("{comparator}:4x[64]x{element}"),
            refusal,
        );
    };
    let key = |operation: &str| {
        let text = "2=KEY(0);3=KEY(1);arith.cmpf(ogt,2,3)".replace("KEY", operation);
        format!("arg_compare{{{text}}}")
    };
    check("argmax_last", "f32", None);
    check("argmin_nan", "bf16", None);
    check("argmax.ugt", "i8", None);
    check(&key("math.absf"), "f16", None);
    check(&key("math.sqrt"), "f32", None);
    let two_keys = "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);\
                    6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}";
    check(two_keys, "f32", None);
    check(
        "argmax.ugt",
        "f32",
        Some("neither proved nor promised that it orders the elements"),
    );
    let with = |operation: &str, constant: &str| {
        let text = "2=arith.constant(CON);3=OP(0,2);4=OP(1,2);arith.cmpCMP,3,4)";
        let compare = if constant.starts_with('i') {
            "i(sgt"
        } else {
            "f(ogt"
        };
        let text = text.replace("CON", constant).replace("OP", operation);
        format!("arg_compare{{{}}}", text.replace("CMP", compare))
    };
    check(&with("arith.mulf", "f32,3fc00000"), "f32", None);
    check(
        &with("arith.minimumf", "f32,3fc00000"),
        "f32",
        Some("compute arith.minimumf otherwise"),
    );
    check(
        &with("arith.divsi", "i32,3"),
        "i32",
        Some("compute arith.divsi otherwise"),
    );
    check(
        &with("arith.shrsi", "i32,3"),
        "i32",
        Some("compute arith.shrsi otherwise"),
    );
}

/// Checks that both dimensions may have lanes if lanes exchange pairs; a subgroup of RDNA has 32.
#[test]
fn lanes() {
    let check_lanes = |target: &Target, problem: &str, lanes: [u32; 2], refusal: Option<&str>| {
        let problem: Problem = problem.parse().unwrap();
        let size = target.subgroup_sizes[0];
        let changes = format!(
            r#""partial_reduction": [0, 640], "thread": [0, 1], "lane_basis": [{lanes:?}, [0, 1]], "workgroup": [{}, 0], "subgroup_size": {size}, "workgroup_size": [{size}, 1, 1]"#,
            lanes[0]
        );
        let configuration = changed(IREE_ROW, &changes);
        match (
            check(&problem, target, Generator::IREE, &configuration),
            refusal,
        ) {
            (Ok(()), None) => {}
            (Err(rejection), Some(rule)) => assert_eq!(rejection.rule, rule, "{rejection}"),
            (found, _) => panic!("{problem} on {target}: {lanes:?}: {found:?}"),
        }
    };
    check_lanes(gfx942(), "argmax:8x[32000]xf32", [2, 32], Some("B"));
    check_lanes(gfx942(), "argmax_nan:8x[32000]xf32", [2, 32], None);
    check_lanes(gfx942(), "argmax_nan:8x[32000]xf32", [4, 32], Some("C"));
    check_lanes(gfx1100(), "argmax_nan:8x[32000]xf32", [2, 32], Some("C"));
    check_lanes(gfx1100(), "argmax_nan:8x[32000]xf32", [2, 16], None);
    check_lanes(gfx1100(), "argmax:8x[32000]xf32", [1, 32], None);
    check_lanes(gfx1100(), "argmax:8x[32000]xf32", [1, 64], Some("C"));
    check_lanes(gfx942(), "argmax:8x[32000]xi8", [1, 32], None);
    check_lanes(gfx1100(), "argmax:8x[32000]xi8", [1, 32], Some("4"));
    check_lanes(gfx1100(), "argmax:8x[32000]xi8", [1, 16], None);
}
