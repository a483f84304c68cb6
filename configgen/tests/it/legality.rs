//! Tests of each rule broken alone.

use configgen::{Configuration, Generator, Problem, check};

use crate::gfx942;

/// Returns `base` with some keys replaced: `"thread": [0, 3]`.
pub(crate) fn changed(base: &str, changes: &str) -> Configuration {
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(base).unwrap();
    let changes = serde_json::from_str(&format!("{{{changes}}}")).unwrap();
    object.extend::<serde_json::Map<_, _>>(changes);
    serde_json::from_value(object.into()).unwrap()
}

#[track_caller]
pub(crate) fn rejects(
    problem: &str,
    generator: Generator,
    base: &str,
    changes: &str,
    message: &str,
) {
    let problem: Problem = problem.parse().unwrap();
    let rejection = check(&problem, gfx942(), generator, &changed(base, changes)).unwrap_err();
    let text = rejection.to_string();
    assert!(
        text.starts_with("rule ") && text.contains(message),
        "{text}"
    );
}

const ROW: &str = r#"{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
    "subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1]}"#;

#[track_caller]
fn accepts(problem: &str, changes: &str) {
    let problem: Problem = problem.parse().unwrap();
    let configuration = changed(ROW, changes);
    let checked = check(&problem, gfx942(), Generator::NATIVE, &configuration);
    assert_eq!(checked, Ok(()));
}

#[test]
fn native_rules() {
    let problem = "argmax:4x[32000]xf32";
    accepts(problem, "");
    let rejects =
        |changes: &str, message: &str| rejects(problem, Generator::NATIVE, ROW, changes, message);
    rejects(
        r#""workgroup": [1]"#,
        "rule N2: workgroup has 1 entries; the problem has 2 dimensions",
    );
    rejects(r#""thread": [0, 4, 0]"#, "rule N2: thread has 3 entries");
    rejects(
        r#""workgroup": [1, 64]"#,
        "rule N2: workgroup is 64 on the reduced dimension 1",
    );
    rejects(
        r#""workgroup": [0, 0]"#,
        "rule N2: workgroup is 0 on the parallel dimension 0",
    );
    rejects(
        r#""partial_reduction": [1, 1024]"#,
        "rule N2: partial_reduction is 1 on the parallel",
    );
    rejects(
        r#""lane_basis": [[1, 64], [1, 1]]"#,
        "rule N2: lane_basis [[1, 64], [1, 1]] does not name each of the 2 dimensions once",
    );
    rejects(r#""lane_basis": [[1, 64], [0, 2]]"#, "rule N2");
    rejects(r#""subgroup_basis": [[4], [1]]"#, "rule N2");
    rejects(
        r#""subgroup_size": 32"#,
        "rule N3: the subgroup size is 32; gfx942 has [64]",
    );
    rejects(
        r#""lane_basis": [[1, 48], [0, 1]]"#,
        "rule N4: the lane count 48 is not a power of two",
    );
    rejects(
        r#""lane_basis": [[1, 32], [0, 1]]"#,
        "rule N4: the product of the lane counts [1, 32] is 32, not the subgroup size 64",
    );
    rejects(r#""lane_basis": [[0, 64], [0, 1]]"#, "rule N4");
    rejects(
        r#""subgroup_basis": [[1, 3], [0, 1]]"#,
        "rule N5: the subgroup count 3",
    );
    rejects(
        r#""subgroup_basis": [[2, 16], [0, 1]]"#,
        "rule N5: subgroups [2, 16] of 64 lanes make 2048 threads, more than 1024",
    );
    rejects(
        r#""workgroup_size": [64, 1, 1]"#,
        "rule N5: workgroup_size is [64, 1, 1]; the subgroups make [256, 1, 1]",
    );
    rejects(r#""workgroup_size": [256, 2, 1]"#, "rule N5");
    rejects(
        r#""thread": [0, 3]"#,
        "rule N6: the thread tile 3 on dimension 1",
    );
    rejects(
        r#""thread": [0, 32]"#,
        "rule N6: the thread tile 32 on dimension 1",
    );
    rejects(
        r#""thread": [16, 4]"#,
        "rule N6: the thread tile 16 on dimension 0",
    );
    rejects(
        r#""partial_reduction": [0, 1000]"#,
        "rule N7: partial_reduction 1000 on dimension 1 is not a positive multiple of 4 subgroups x 64 lanes x 4 elements = 1024",
    );
    rejects(r#""partial_reduction": [0, 0]"#, "rule N7");
    rejects(
        r#""partial_reduction": [0, 33792]"#,
        "rule N7: partial_reduction 33792 on dimension 1 is more than 32768, the size 32000 rounded up to a multiple of 1024",
    );
    accepts("argmax:4x[769]xf32", "");
    self::rejects(
        "argmax:4x[768]xf32",
        Generator::NATIVE,
        ROW,
        "",
        "rule N7: with partial_reduction 1024 on dimension 1 the last of 4 subgroups starts at 768, beyond the size 768",
    );
    rejects(
        r#""workgroup": [3, 0], "thread": [2, 4]"#,
        "rule N8: workgroup 3 on dimension 0 is not a positive multiple of",
    );
    rejects(
        r#""workgroup": [5, 0]"#,
        "rule N8: workgroup 5 on dimension 0 is more than 4, the size 4 rounded up",
    );
    rejects(
        r#""workgroup": [8, 0], "thread": [4, 4], "subgroup_basis": [[2, 2], [0, 1]]"#,
        "rule N8: with workgroup 8 on dimension 0 the last of 2 subgroups starts at 4, beyond the size 4",
    );
    accepts(problem, r#""partial_reduction": [0, 16384]"#);
    rejects(
        r#""partial_reduction": [0, 17408]"#,
        "rule N9: a thread takes 1 rows x 68 elements = 68 per step, more than 64",
    );
    // Registers hold the elements of all inputs.
    self::rejects(
        "dot:4x[32000]xf32,f32(1)",
        Generator::NATIVE,
        ROW,
        r#""partial_reduction": [0, 9216]"#,
        "rule N9: a thread takes 1 rows x 36 elements = 36 per step, more than 32",
    );
    accepts(
        "dot:4x[32000]xf32,f32(1)",
        r#""partial_reduction": [0, 8192]"#,
    );
    // Gathered indices count among them, and indices along a dimension do not.
    let gathered = "sum(arith.mulf(0,1)):4x[32000]xf32(@2:50,1),f32,i64(0,1)";
    self::rejects(
        gathered,
        Generator::NATIVE,
        ROW,
        r#""partial_reduction": [0, 5120]"#,
        "rule N9: a thread takes 1 rows x 20 elements = 20 per step, more than 16",
    );
    accepts(gathered, r#""partial_reduction": [0, 4096]"#);
    let placed = "sum(2=arith.sitofp(1,f32);arith.mulf(0,2)):4x[32000]xf32,index(1)";
    accepts(placed, r#""partial_reduction": [0, 16384]"#);
    let many = "argmax:5000x[32000]xf32";
    self::rejects(
        many,
        Generator::NATIVE,
        ROW,
        r#""workgroup": [9, 0], "partial_reduction": [0, 256], "thread": [0, 1]"#,
        "rule N10: a lane has 9 rows, more than 8",
    );
    accepts(
        many,
        r#""workgroup": [8, 0], "partial_reduction": [0, 256], "thread": [0, 1]"#,
    );
    // In a map each element is a row.
    let copy = "copy:5000x32000xf16";
    let tile = r#""workgroup": [1, 16384], "partial_reduction": [0, 0], "thread": [0, 16]"#;
    accepts(copy, tile);
    self::rejects(
        copy,
        Generator::NATIVE,
        ROW,
        &tile.replace("16]", "32]"),
        "rule N6: the thread tile 32 on dimension 1 is not a power of two of at most 16",
    );
    self::rejects(
        copy,
        Generator::NATIVE,
        ROW,
        &tile.replace("[1, ", "[2, "),
        "rule N9: a thread takes 128 rows x 1 elements = 128 per step, more than 64",
    );
    self::rejects(
        copy,
        Generator::NATIVE,
        ROW,
        &format!(r#"{tile}, "split": 2"#),
        "rule N13: split is 2, more than 1; no reduced dimension",
    );
    self::rejects(
        copy,
        Generator::NATIVE,
        ROW,
        &format!(r#"{tile}, "accumulators": "one""#),
        "rule N15: one accumulator, but no reduced dimension has a thread tile",
    );
    let full = r#""lane_basis": [[64, 1], [0, 1]], "thread": [0, 1], "partial_reduction": [0, 16],
        "subgroup_basis": [[1, 16], [0, 1]], "workgroup_size": [1024, 1, 1]"#;
    self::rejects(
        many,
        Generator::NATIVE,
        ROW,
        &format!(r#"{full}, "workgroup": [512, 0]"#),
        "rule N11: 512 rows x 16 subgroups x 8 bytes + 4112 other bytes = 69648 bytes of LDS, more than 65536",
    );
    accepts(many, &format!(r#"{full}, "workgroup": [448, 0]"#));
    accepts(problem, r#""split": 32, "lazy_index": true"#);
    rejects(
        r#""split": 3"#,
        "rule N13: split is 3, not a power of two of at most 64, the subgroup size",
    );
    rejects(
        r#""split": 128"#,
        "rule N13: split is 128, not a power of two of at most 64, the subgroup size",
    );
    self::rejects(
        "argmax:4x[2000]xf32",
        Generator::NATIVE,
        ROW,
        r#""split": 4"#,
        "rule N13: split is 4, more than 2; no reduced dimension has more than the 2 steps of dimension 1",
    );
}

#[test]
fn workgroups_that_wait_are_on_the_device_together() {
    accepts("softmax:4x[320000]xf32", r#""split": 32"#);
    accepts("log_sum_exp:4x[320000]xf32", r#""split": 32"#);
    accepts("argmax:4x[320000]xf32", r#""split": 64"#);
    rejects(
        "softmax:4x[320000]xf32",
        Generator::NATIVE,
        ROW,
        r#""split": 64"#,
        "rule N17: split is 64: that many workgroups would wait for each other, and a gfx942 device holds only 38",
    );
    // The rule for each target: half of the compute units if a workgroup may occupy two.
    let together = configgen::TARGETS
        .each_ref()
        .map(|target| target.workgroups_together());
    assert_eq!(together, [60, 104, 38, 32, 30, 35, 8, 24]);
}

/// One lane per row, with 64 elements per step.
const ONE_LANE: &str = r#"{"workgroup":[64,0],"partial_reduction":[0,64],"thread":[0,1],"lane_basis":[[64,1],[0,1]],
    "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;

#[test]
fn a_sum_of_floats_has_few_additions_one_after_the_other() {
    let rejected = |problem: &str, base: &str, changes: &str| {
        let (parsed, changed) = (problem.parse().unwrap(), changed(base, changes));
        let checked = check(&parsed, gfx942(), Generator::NATIVE, &changed);
        checked.map_err(|rejection| rejection.to_string())
    };
    let rejects = |problem: &str, base: &str, changes: &str, serial: u64, tree: u64, most: u64| {
        let numbers = format!(
            "rule N18: a lane adds {serial} elements in sequence, and {tree} additions follow"
        );
        let error = rejected(problem, base, changes).unwrap_err();
        assert!(error.starts_with(&numbers), "{problem}: {error}");
        assert!(
            error.ends_with(&format!("at most {most}")),
            "{problem}: {error}"
        );
    };
    let accepts = |problem: &str, base: &str, changes: &str| {
        assert_eq!(rejected(problem, base, changes), Ok(()), "{problem}");
    };
    // A short row has one lane, and a longer one the lanes that keep its sum accurate.
    accepts("sum:64x[64]xf32", ONE_LANE, "");
    accepts(
        "sum:64x[65]xf64",
        ONE_LANE,
        r#""partial_reduction": [0, 5]"#,
    );
    rejects("sum:64x[66]xf32", ONE_LANE, "", 128, 0, 65);
    rejects("sum:64x[1000003]xf32", ONE_LANE, "", 1_000_064, 0, 987);
    rejects(
        "dot:64x[1000003]xf32,f32(1):f64",
        ONE_LANE,
        r#""partial_reduction": [0, 16]"#,
        1_000_016,
        0,
        987,
    );
    rejects(
        "rms_norm:64x[1009]xbf16",
        ONE_LANE,
        r#""partial_reduction": [0, 16]"#,
        1024,
        0,
        68,
    );
    // A reduction that every order computes exactly may be slow.
    for problem in ["argmax", "max", "product"] {
        accepts(&format!("{problem}:64x[1009]xf32"), ONE_LANE, "");
    }
    accepts("sum:64x[1009]xi8", ONE_LANE, "");
    // 16 accumulators of a lane are a tree, and one is a chain.
    let wide = r#""thread": [0, 16], "partial_reduction": [0, 64]"#;
    accepts("sum:64x[1024]xf32", ONE_LANE, wide);
    let one = r#""thread": [0, 16], "partial_reduction": [0, 64], "accumulators": "one""#;
    rejects("sum:64x[1024]xf32", ONE_LANE, one, 1024, 0, 68);
    // Lanes, subgroups and workgroups share a row.
    accepts("sum:4x[32000]xf32", ROW, "");
    accepts("sum:4x[320000]xf32", ROW, "");
    let half = r#""partial_reduction": [0, 512], "subgroup_basis": [[1, 2], [0, 1]], "workgroup_size": [128, 1, 1]"#;
    rejects("sum:4x[320000]xf32", ROW, half, 625, 9, 323);
    accepts("sum:4x[320000]xf32", ROW, &format!(r#"{half}, "split": 2"#));
}

/// One lane per row, with 4 steps of 8 elements.
const SERIAL: &str = r#"{"workgroup":[64,0],"partial_reduction":[0,8],"thread":[0,4],"lane_basis":[[64,1],[0,1]],
    "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;

#[test]
fn native_rules_of_unordered_comparators() {
    let accepts = |problem: &str, base: &str, changes: &str| {
        let problem: Problem = problem.parse().unwrap();
        assert_eq!(
            check(
                &problem,
                gfx942(),
                Generator::NATIVE,
                &changed(base, changes)
            ),
            Ok(())
        );
    };
    let problem = "argmax.ugt:4x[32]xf32";
    accepts(problem, SERIAL, "");
    accepts("argmax:4x[33]xf32", SERIAL, "");
    let rejects = |problem, changes: &str, message: &str| {
        self::rejects(problem, Generator::NATIVE, SERIAL, changes, message);
    };
    rejects(
        problem,
        r#""lane_basis": [[32, 2], [0, 1]]"#,
        "so one lane takes a row, but the reduced dimension 1 has 1 subgroups x 2 lanes",
    );
    rejects(
        problem,
        r#""subgroup_basis": [[1, 2], [0, 1]], "workgroup_size": [128, 1, 1]"#,
        "rule N1: argmax.ugt does not order the elements (",
    );
    rejects(
        "argmax.ugt:4x[7]xf32",
        "",
        "so each element is taken once, but partial_reduction 8 on dimension 1 is more than the size 7",
    );
    accepts("argmax:4x[7]xf32", SERIAL, "");
    accepts("argmax.ugt:4x[33]xf32", SERIAL, "");
    rejects(
        problem,
        r#""split": 4"#,
        "so one workgroup takes a row, but split is 4",
    );
    rejects(problem, r#""lazy_index": true"#, "rule N14");
    rejects(
        problem,
        r#""lane_basis": [[32, 1], [0, 1]]"#,
        "rule N4: the product of the lane counts [32, 1] is 32, not the subgroup size 64",
    );
    // The greatest, and values that are not positive replace a NaN. The greatest of a row may
    // differ from that of its rest.
    let spoilt = "2=arith.constant(f32,0);3=arith.cmpf(ole,0,2);4=arith.cmpf(uno,1,1);5=arith.andi(3,4);\
                  6=arith.cmpf(ogt,0,1);arith.ori(5,6)";
    let problem = |options| format!("arg_compare{{{spoilt}}}:4x[7]xf32:i32{options}");
    accepts(&problem(""), SERIAL, "");
    rejects(
        &problem(":initial"),
        "",
        "does not order the values that can follow the initial value (-1.0 replaces NaN (0x7fc00000), and ",
    );
    let one = r#"{"workgroup":[0],"partial_reduction":[8],"thread":[4],"lane_basis":[[1],[0]],
        "subgroup_basis":[[1],[0]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;
    accepts("argmax.ugt:[32]xf32", one, "");
    self::rejects(
        "argmax:[32]xf32",
        Generator::NATIVE,
        one,
        "",
        "rule N4: the product of the lane counts [1] is 1, not the subgroup size 64",
    );
    self::rejects(
        "argmax.ugt:[128]xf32",
        Generator::NATIVE,
        one,
        r#""partial_reduction": [64], "lane_basis": [[64], [0]], "thread": [1]"#,
        "rule N1",
    );
    let two = r#"{"workgroup":[0,64,0],"partial_reduction":[2,0,8],"thread":[2,0,8],
        "lane_basis":[[1,64,1],[0,1,2]],"subgroup_basis":[[1,1,1],[0,1,2]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#;
    accepts("argmax.ugt:[4]x3x[8]xf32", two, "");
    accepts(
        "argmax.ugt:[4]x3x[16]xf32",
        two,
        r#""partial_reduction": [1, 0, 8], "thread": [1, 0, 4]"#,
    );
    for wrong in [
        r#""thread": [2, 0, 4]"#,
        r#""partial_reduction": [2, 0, 16]"#,
    ] {
        self::rejects(
            "argmax.ugt:[4]x3x[16]xf32",
            Generator::NATIVE,
            two,
            wrong,
            "the thread tile on dimension 0 is 2, not 1, and that on dimension 2 after it is",
        );
    }
    self::rejects(
        "argmax.ugt:[4]x3x[16]xf32",
        Generator::NATIVE,
        two,
        r#""thread": [1, 0, 8]"#,
        "rule N12: 2 batches on dimension 0; it must be 1, because the reduced dimension 2 after it takes several steps",
    );
}

/// Checks a thread tile that is legal for a known count, and breaks one rule for an open one.
#[test]
fn a_count_that_is_open_has_no_thread_tile() {
    let (known, open) = (
        "argmax:300x[32000]xf32",
        "argmax:?x[32000]xf32:i32:count=1..300",
    );
    let accepts = |problem: &str, changes: &str| {
        let problem: Problem = problem.parse().unwrap();
        let configuration = changed(ROW, changes);
        let found = check(&problem, gfx942(), Generator::NATIVE, &configuration);
        assert_eq!(found, Ok(()), "{problem} {changes}");
    };
    let tile = r#""workgroup": [4, 0], "thread": [2, 4]"#;
    accepts(known, tile);
    let message =
        "rule N16: the thread tile is 2 on dimension 0, whose count is known at launch only";
    rejects(open, Generator::NATIVE, ROW, tile, message);
    accepts(open, r#""workgroup": [4, 0], "thread": [1, 4]"#);
    let lanes =
        r#""workgroup": [16, 0], "partial_reduction": [0, 64], "lane_basis": [[16, 4], [0, 1]]"#;
    accepts(open, lanes);
}
