//! Tests of MLIR text: parsed forms, printed forms, and positions of errors.

use expect_test::expect;

use super::super::mlir::MAX_BLOCK_BYTES;
use super::super::scalar::ScalarType;
use super::super::{Block, Comparator, MAX_OPERATIONS, Region};
use super::block;

#[track_caller]
fn check(text: &str, expected: &str) {
    let comparator = Comparator::from_block(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(comparator.compact(), expected);
}

#[test]
fn ways_to_write_a_block() {
    check(
        "^bb0(%a: f32, %b: f32): %c = arith.cmpf ogt, %a, %b : f32 iree_linalg_ext.yield %c : i1",
        "arith.cmpf(ogt,0,1)",
    );
    check(
        "// A comment.\n{ ^bb0(%arg3: bf16, %arg4: bf16): // another\n %11 = arith.cmpf olt, %arg3, %arg4 fastmath<none> : bf16 loc(#loc1)
         iree_linalg_ext.yield %11 : i1 loc(\"file.mlir\":1:2) }",
        "arith.cmpf(olt,0,1)",
    );
    check(
        "^bb0(%x: i8 loc(unknown), %y: i8 loc(\"f)\":1:1)):
         %s = arith.addi %x, %y overflow<nsw, nuw> : i8
         %u = arith.shrui %s, %y exact : i8
         %w = arith.extui %u nneg : i8 to i16
         %c = arith.cmpi eq, %w, %w : i16
         iree_linalg_ext.yield %c : i1",
        "arith.constant(i1,1)",
    );
}

#[test]
fn the_generic_form() {
    check(
        "^bb0(%arg3: f32, %arg4: f32):
         %3 = \"arith.constant\"() <{value = -0.000000e+00 : f32}> : () -> f32
         %4 = \"arith.maxnumf\"(%arg3, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
         %5 = \"arith.truncf\"(%4) : (f32) -> f8E4M3FN
         %6 = \"arith.constant\"() {value = 1.000000e+00 : f8E4M3FN} : () -> f8E4M3FN
         %7 = \"arith.cmpf\"(%5, %6) <{fastmath = #arith.fastmath<none>, predicate = 14 : i64}> : (f8E4M3FN, f8E4M3FN) -> i1
         %8 = \"arith.select\"(%7, %arg3, %arg4) : (i1, f32, f32) -> f32
         %9 = \"arith.cmpf\"(%8, %arg4) <{predicate = 13}> : (f32, f32) -> i1
         \"iree_linalg_ext.yield\"(%9) : (i1) -> ()",
        "2=arith.constant(f32,80000000);3=arith.maxnumf(0,2);4=arith.truncf(3,f8E4M3FN);5=arith.cmpf(uno,4,4);\
         6=arith.select(5,0,1);arith.cmpf(une,1,6)",
    );
}

/// Checks that both spellings of short forms become other operations.
#[test]
fn short_forms() {
    #[track_caller]
    fn check(element: &str, name: &str, expected: &str) {
        let custom = format!("%c = math.{name} %a : {element}");
        let generic = format!(
            "%c = \"math.{name}\"(%a) <{{fastmath = #arith.fastmath<none>}}> : ({element}) -> i1"
        );
        for lines in [custom, generic] {
            let found = super::parse(element, &lines, "%c");
            assert_eq!(found.compact(), expected);
        }
    }
    check("f32", "isnan", "arith.cmpf(uno,0,0)");
    check(
        "f32",
        "isinf",
        "2=math.absf(0);3=arith.constant(f32,7f800000);arith.cmpf(oeq,2,3)",
    );
    check(
        "f16",
        "isfinite",
        "2=math.absf(0);3=arith.constant(f16,7bff);arith.cmpf(ole,2,3)",
    );
    check(
        "f64",
        "isnormal",
        "2=math.absf(0);3=arith.constant(f64,10000000000000);4=arith.cmpf(oge,2,3);\
         5=arith.constant(f64,7fefffffffffffff);6=arith.cmpf(ole,2,5);arith.andi(4,6)",
    );
    check("f8E4M3FN", "isinf", "arith.constant(i1,0)");
    // Tries all values of the type.
    let names = ["isnan", "isinf", "isfinite", "isnormal"];
    for scalar in [
        ScalarType::F8E5M2,
        ScalarType::F8E4M3FN,
        ScalarType::F8E4M3FNUZ,
    ] {
        let tests = names.map(|name| {
            super::parse(
                scalar.name(),
                &format!("%c = math.{name} %a : {scalar}"),
                "%c",
            )
        });
        for bits in 0..=255 {
            let number = scalar.to_f64(bits);
            let is_normal =
                number.is_finite() && number.abs() >= scalar.to_f64(scalar.least_normal());
            let expected = [
                number.is_nan(),
                number.is_infinite(),
                number.is_finite(),
                is_normal,
            ];
            let found = [0, 1, 2, 3].map(|test| tests[test].evaluate(bits, 0));
            assert_eq!(found, expected, "{scalar} {bits:#x}");
        }
    }
}

/// Checks that a clamp gives NaN if one operand is, and the lower limit if the limits are
/// exchanged.
#[test]
fn clamps() {
    const NAN: f32 = f32::NAN;
    #[track_caller]
    fn check(x: f32, limits: [f32; 2], expected: f32) {
        let [low, high] = limits.map(|limit| format!("0x{:08X} : f32", limit.to_bits()));
        let constants = format!("%l = arith.constant {low}\n%h = arith.constant {high}\n");
        for clamp in [
            "%x = math.clampf %a to [%l, %h] : f32",
            "%x = \"math.clampf\"(%a, %l, %h) : (f32, f32, f32) -> f32",
        ] {
            let bits = "%i = arith.bitcast %x : f32 to i32\n%j = arith.bitcast %b : f32 to i32";
            let lines = format!("{constants}{clamp}\n{bits}\n%c = arith.cmpi eq, %i, %j : i32");
            let comparator = super::parse("f32", &lines, "%c");
            let [x, expected] = [x, expected].map(|number| u64::from(number.to_bits()));
            assert!(comparator.evaluate(x, expected), "{lines}");
        }
    }
    check(5.0, [1.0, 3.0], 3.0);
    check(-5.0, [1.0, 3.0], 1.0);
    check(2.0, [1.0, 3.0], 2.0);
    check(2.0, [3.0, 1.0], 3.0);
    check(-0.0, [0.0, 1.0], 0.0);
    check(NAN, [1.0, 3.0], NAN);
    check(2.0, [NAN, 3.0], NAN);
    check(2.0, [1.0, NAN], NAN);
}

#[track_caller]
fn check_constant(literal: &str, scalar: ScalarType, expected: u64) {
    let text = block(
        "f32",
        &format!("%k = arith.constant {literal}\n%c = arith.constant true"),
        "%c",
    );
    let region = Region::from_block(&text).unwrap_or_else(|error| panic!("{error}"));
    let constant = &region.operations()[0];
    assert_eq!(constant.result, scalar);
    assert_eq!(
        region.constant(super::super::Value(2)),
        Some(expected),
        "{literal}"
    );
    // Printed, and parsed again.
    assert_eq!(
        Region::from_block(&Block::new(&region).to_string()),
        Ok(region)
    );
}

#[test]
fn constants() {
    use ScalarType::*;
    check_constant("true", I1, 1);
    check_constant("false : i1", I1, 0);
    check_constant("1 : i1", I1, 1);
    check_constant("-1 : i1", I1, 1);
    check_constant("255 : i8", I8, 255);
    check_constant("-128 : i8", I8, 128);
    check_constant("0xFF : i8", I8, 255);
    check_constant("18446744073709551615 : i64", I64, u64::MAX);
    check_constant("-9223372036854775808 : i64", I64, 1 << 63);
    check_constant("1.0 : f32", F32, 0x3f80_0000);
    check_constant("-0.0 : f32", F32, 0x8000_0000);
    check_constant("1. : f32", F32, 0x3f80_0000);
    check_constant("1.5e+2 : f16", F16, 0x58b0);
    check_constant("1.0E-3 : f64", F64, 0.001f64.to_bits());
    check_constant("0x7FC00001 : f32", F32, 0x7fc0_0001);
    check_constant("0.1 : f32", F32, 0x3dcc_cccd);
    check_constant("448.0 : f8E4M3FN", F8E4M3FN, 0x7e);
    check_constant(
        "1e6 : f8E4M3FN".replace("1e6", "1.0e6").as_str(),
        F8E4M3FN,
        0x7f,
    );
    check_constant("-1.0 : f8E5M2FNUZ", F8E5M2FNUZ, 0xc0);
}

#[test]
fn errors_of_the_block() {
    let twice = "%x = arith.negf %a : f32\n".repeat(2);
    let many: String = (0..=MAX_OPERATIONS)
        .map(|place| format!("%v{place} = arith.negf %a : f32\n"))
        .collect();
    let good = block("f32", "%c = arith.cmpf ogt, %a, %b : f32", "%c");
    let texts = [
        "",
        "%c = arith.cmpf ogt, %a, %b : f32",
        "^bb0(%a: f32):",
        "^bb0(%a: f32, %a: f32):",
        "^bb0(%a: f32, %b: f16):",
        "^bb0(%a: f31, %b: f32):",
        "^bb0(%a: tensor<4xf32>, %b: f32):",
        "^bb0(%a: f32, %b: f32):\n  %c = arith.cmpf ogt, %a, %b : f32\n",
        "^bb0(%a: f32, %b: f32):\n  iree_linalg_ext.yield %a : f32",
        &" ".repeat(MAX_BLOCK_BYTES + 1),
        &format!("{good}}}"),
        &format!("{good} // the end\n\n  more than this"),
        &format!("{{{good}"),
        &block("f32", &twice, "%x"),
        &block("f32", &many, "%v0"),
    ];
    let errors = texts.map(|text| Comparator::from_block(text).unwrap_err().to_string() + "\n");
    expect![[r#"
        comparator, line 1, column 1: expected a block with two arguments, such as "^bb0(%a: f32, %b: f32):", found the end of the text
        comparator, line 1, column 1: expected a block with two arguments, such as "^bb0(%a: f32, %b: f32):", found "%c"
        comparator, line 1, column 13: expected "," and the second argument, found ")"
        comparator, line 1, column 15: %a is an argument already
        comparator, line 1, column 19: both arguments must have the same type, and the first is f32
        comparator, line 1, column 10: expected a type: i1 i8 i16 i32 i64 f16 bf16 f32 f64 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ, found "f31"
        comparator, line 1, column 10: expected a type: i1 i8 i16 i32 i64 f16 bf16 f32 f64 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ, found "tensor"
        comparator, line 3, column 1: expected an operation, such as "%c = arith.cmpf ogt, %a, %b : f32", or "iree_linalg_ext.yield", found the end of the text
        comparator, line 2, column 25: a comparator must yield an i1, and this value is f32
        comparator, line 1, column 1: a comparator's text has at most 65536 bytes, not 65537
        comparator, line 4, column 1: the text should end after the block
        comparator, line 6, column 3: the text should end after the block
        comparator, line 4, column 1: expected "}" after the block, found the end of the text
        comparator, line 3, column 3: %x is defined already
        comparator, line 258, column 11: a region has at most 256 operations
    "#]].assert_eq(&errors.concat());
}

#[test]
fn errors_of_operations() {
    let lines = [
        "%c = arith.cmpf agt, %a, %b : f32",
        "%c = arith.cmpf ogt %a, %b : f32",
        "%c = arith.cmpf ogt, %a : f32",
        "%c = arith.cmpf ogt, %a, %d : f32",
        "%c = arith.cmpf ogt, %a, %b : f16",
        "%c = arith.cmpf ogt, %a, %b",
        "%c = arith.cmpf ogt, %a, %b fastmath<nnan, ninf> : f32",
        "%c = arith.cmpi sgt, %a, %b : f32",
        "%c = arith.addi %a, %b : f32",
        "%c = arith.addf %a, %b : vector<4xf32>",
        "%c = math.exp %a : f32",
        "%c = math.isnan %a : i32",
        "%c = math.isnan %a, %b : f32",
        "%c = math.clampf %a, %a, %b : f32",
        "%c = math.clampf %a to [%b, %s] : f32",
        "%c = \"math.clampf\"(%a, %b) : (f32, f32) -> f32",
        "%c = \"math.isinf\"(%a) : (f32) -> f32",
        "%c = \"math.isinf\"() : () -> i1",
        "%c = func.call @f(%a) : (f32) -> f32",
        "%c = arith.truncf %a : f32 to f64",
        "%c = arith.truncf %a upward : f32 to f16",
        "%c = arith.bitcast %a : f32 to i16",
        "%c = arith.sitofp %a : f32 to f16",
        "%c = arith.select %a, %a, %b : f32",
        "%c = arith.constant 1 : f32",
        "%c = arith.constant 256 : i8",
        "%c = arith.constant -0x1 : f32",
        "%c = arith.constant 0x123456789 : f32",
        "%c = arith.constant dense<1.0> : f32",
        "%s = arith.cmpf ogt, %a, %b : f32",
        "%c = \"arith.cmpf\"(%a, %b) : (f32, f32) -> i1",
        "%c = \"arith.cmpf\"(%a, %b) <{predicate = 16}> : (f32, f32) -> i1",
        "%c = \"arith.constant\"() <{value = 1 : i8}> : () -> i1",
        "%c = \"arith.addf\"(%a, %b) : (f32) -> f32",
    ];
    let errors = lines.map(|line| {
        let text = block(
            "f32",
            &format!("%s = arith.subf %a, %b : f32\n{line}"),
            "%c",
        );
        let error = Comparator::from_block(&text).unwrap_err();
        format!("{line}\n    {error}\n")
    });
    expect![[r#"
        %c = arith.cmpf agt, %a, %b : f32
            comparator, line 3, column 19: expected a predicate: oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno false true, found "agt"
        %c = arith.cmpf ogt %a, %b : f32
            comparator, line 3, column 23: expected "," after the predicate, found "%a"
        %c = arith.cmpf ogt, %a : f32
            comparator, line 3, column 27: expected "," before the next operand, found ":"
        %c = arith.cmpf ogt, %a, %d : f32
            comparator, line 3, column 28: %d is not defined before this position
        %c = arith.cmpf ogt, %a, %b : f16
            comparator, line 3, column 33: the operand is f32, not f16
        %c = arith.cmpf ogt, %a, %b
            comparator, line 4, column 3: expected ":" and the type after the operands, found "iree_linalg_ext.yield"
        %c = arith.cmpf ogt, %a, %b fastmath<nnan, ninf> : f32
            comparator, line 3, column 31: fastmath flags allow several results for the same values, and a block must have one: remove them
        %c = arith.cmpi sgt, %a, %b : f32
            comparator, line 3, column 8: arith.cmpi compares an integer type, not f32
        %c = arith.addi %a, %b : f32
            comparator, line 3, column 8: arith.addi takes an integer type, not f32
        %c = arith.addf %a, %b : vector<4xf32>
            comparator, line 3, column 28: expected a type: i1 i8 i16 i32 i64 f16 bf16 f32 f64 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ, found "vector"
        %c = math.exp %a : f32
            comparator, line 3, column 8: math.exp is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions before a reduction take exact operations only; row programs use functions within error bounds. Instead: compare its argument, because the function never decreases; otherwise compute it in an operation before or after
        %c = math.isnan %a : i32
            comparator, line 3, column 24: the operand is f32, not i32
        %c = math.isnan %a, %b : f32
            comparator, line 3, column 21: expected ":" and the type after the operands, found ","
        %c = math.clampf %a, %a, %b : f32
            comparator, line 3, column 22: expected "to" and the limits, found ","
        %c = math.clampf %a to [%b, %s] : f32
            comparator, line 4, column 25: a comparator must yield an i1, and this value is f32
        %c = "math.clampf"(%a, %b) : (f32, f32) -> f32
            comparator, line 3, column 8: math.clampf takes 3 operands, not 2
        %c = "math.isinf"(%a) : (f32) -> f32
            comparator, line 3, column 8: math.isinf of f32 gives i1, not f32
        %c = "math.isinf"() : () -> i1
            comparator, line 3, column 8: math.isinf takes operands
        %c = func.call @f(%a) : (f32) -> f32
            comparator, line 3, column 8: a comparator may not have the operation "func.call"; one of arith.constant arith.addf arith.subf arith.mulf arith.divf arith.remf arith.maximumf arith.minimumf arith.maxnumf arith.minnumf math.copysign arith.addi arith.subi arith.muli arith.divsi arith.divui arith.ceildivsi arith.ceildivui arith.floordivsi arith.remsi arith.remui arith.maxsi arith.maxui arith.minsi arith.minui arith.andi arith.ori arith.xori arith.shli arith.shrsi arith.shrui arith.negf math.absf math.sqrt math.floor math.ceil math.trunc math.round math.roundeven math.absi math.ctpop math.ctlz math.cttz math.fma arith.cmpf arith.cmpi arith.select arith.extf arith.truncf arith.extsi arith.extui arith.trunci arith.sitofp arith.uitofp arith.fptosi arith.fptoui arith.bitcast math.isnan math.isinf math.isfinite math.isnormal math.clampf
        %c = arith.truncf %a : f32 to f64
            comparator, line 3, column 8: the result of arith.truncf has fewer bits than its operand, but f64 has 64 and f32 has 32
        %c = arith.truncf %a upward : f32 to f16
            comparator, line 3, column 24: the only rounding mode is to_nearest_even
        %c = arith.bitcast %a : f32 to i16
            comparator, line 3, column 8: the result of arith.bitcast has as many bits as its operand, but i16 has 16 and f32 has 32
        %c = arith.sitofp %a : f32 to f16
            comparator, line 3, column 8: arith.sitofp is from an integer type to a floating-point type, not from f32 to f16
        %c = arith.select %a, %a, %b : f32
            comparator, line 3, column 8: the first operand of arith.select is i1 here, but the value is f32
        %c = arith.constant 1 : f32
            comparator, line 3, column 23: a constant of type f32 needs a decimal point, as in 1.0, or its bits in hexadecimal
        %c = arith.constant 256 : i8
            comparator, line 3, column 23: the constant does not fit i8
        %c = arith.constant -0x1 : f32
            comparator, line 3, column 23: the bits of a float have no sign before them
        %c = arith.constant 0x123456789 : f32
            comparator, line 3, column 23: f32 has fewer bits than this constant
        %c = arith.constant dense<1.0> : f32
            comparator, line 3, column 23: expected a number, "true" or "false" as the constant, found "dense"
        %s = arith.cmpf ogt, %a, %b : f32
            comparator, line 3, column 3: %s is defined already
        %c = "arith.cmpf"(%a, %b) : (f32, f32) -> i1
            comparator, line 3, column 29: expected the operation's attributes, such as "<{predicate = 2 : i64}>", found ":"
        %c = "arith.cmpf"(%a, %b) <{predicate = 16}> : (f32, f32) -> i1
            comparator, line 3, column 43: expected the number of a predicate, found "16"
        %c = "arith.constant"() <{value = 1 : i8}> : () -> i1
            comparator, line 3, column 48: the constant is not of type i1
        %c = "arith.addf"(%a, %b) : (f32) -> f32
            comparator, line 3, column 31: these are not the types of the operands
    "#]].assert_eq(&errors.concat());
}

#[test]
fn printing() {
    let text = block(
        "f16",
        "%k = arith.constant 0.1 : f32\n%l = arith.constant 2.5 : f16\n%n = arith.constant 0x7E01 : f16\n%t = arith.constant true
         %x = arith.extf %a : f16 to f32\n%g = arith.cmpf ogt, %x, %k : f32\n%y = math.fma %b, %l, %n : f16
         %s = arith.select %g, %a, %y : f16\n%i = arith.bitcast %s : f16 to i16\n%m = arith.constant -7 : i16
         %h = arith.cmpi ult, %i, %m : i16\n%c = arith.xori %h, %t : i1",
        "%c",
    );
    let region = Region::from_block(&text).unwrap();
    let named = Block::new(&region).prefixed("cmp_");
    let printed = named.to_string();
    expect![[r#"
        ^bb0(%cmp_a: f16, %cmp_b: f16):
          %cmp_0 = arith.constant 0x3DCCCCCD : f32
          %cmp_1 = arith.constant 2.5 : f16
          %cmp_2 = arith.constant 0x7E01 : f16
          %cmp_3 = arith.constant true
          %cmp_4 = arith.extf %cmp_a : f16 to f32
          %cmp_5 = arith.cmpf ogt, %cmp_4, %cmp_0 : f32
          %cmp_6 = math.fma %cmp_b, %cmp_1, %cmp_2 : f16
          %cmp_7 = arith.select %cmp_5, %cmp_a, %cmp_6 : f16
          %cmp_8 = arith.bitcast %cmp_7 : f16 to i16
          %cmp_9 = arith.constant -7 : i16
          %cmp_10 = arith.cmpi ult, %cmp_8, %cmp_9 : i16
          %cmp_11 = arith.xori %cmp_10, %cmp_3 : i1
          iree_linalg_ext.yield %cmp_11 : i1
    "#]]
    .assert_eq(&printed);
    let indented: String = printed.lines().map(|line| format!("  {line}\n")).collect();
    assert_eq!(named.indented(2).to_string(), indented);
    assert_eq!(Region::from_block(&printed), Ok(region));
}

#[test]
fn compact_text() {
    let unsorted = "2=math.absf(1);3=math.absf(0);4=math.absf(3);arith.cmpf(olt,2,4)";
    let comparator = Comparator::from_compact(unsorted, ScalarType::F32).unwrap();
    assert_eq!(
        comparator.compact(),
        "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)"
    );
    let texts = [
        "",
        "arith.cmpf(ogt,0,1);",
        "arith.cmpf(ogt,0,2)",
        "arith.cmpf(ogt,0)",
        "arith.cmpf(sgt,0,1)",
        "3=math.absf(0);arith.cmpf(ogt,0,1)",
        "2=math.absf(0)",
        "math.absf(0)",
        "2=arith.constant(f16,12345);arith.cmpf(ogt,0,1)",
        "arith.cmpi(sgt,0,1)",
        "arith.cmpf (ogt,0,1)",
        "2=arith.truncf(0,f64);arith.cmpf(ogt,0,1)",
        "ärith.cmpf(ogt,0,1)",
    ];
    let errors = texts.map(|text| {
        let error = Comparator::from_compact(text, ScalarType::F32).unwrap_err();
        format!("{text}\n    {error}\n")
    });
    expect![[r#"

            comparator, line 1, column 1: expected an operation, such as "arith.cmpf"
        arith.cmpf(ogt,0,1);
            comparator, line 1, column 20: the text should end after the operation without a number
        arith.cmpf(ogt,0,2)
            comparator, line 1, column 18: expected the number of a value that is defined before
        arith.cmpf(ogt,0)
            comparator, line 1, column 17: expected ',' before an operand
        arith.cmpf(sgt,0,1)
            comparator, line 1, column 12: expected a predicate, such as ogt
        3=math.absf(0);arith.cmpf(ogt,0,1)
            comparator, line 1, column 1: values are numbered in order, after the arguments: the next value is 2
        2=math.absf(0)
            comparator, line 1, column 15: expected ';' after an operation with a number
        math.absf(0)
            comparator, line 1, column 1: the last operation gives an i1
        2=arith.constant(f16,12345);arith.cmpf(ogt,0,1)
            comparator, line 1, column 22: expected the bits of a constant, in hexadecimal
        arith.cmpi(sgt,0,1)
            comparator, line 1, column 1: arith.cmpi compares an integer type, not f32
        arith.cmpf (ogt,0,1)
            comparator, line 1, column 11: expected '(' after the name of an operation
        2=arith.truncf(0,f64);arith.cmpf(ogt,0,1)
            comparator, line 1, column 3: the result of arith.truncf has fewer bits than its operand, but f64 has 64 and f32 has 32
        ärith.cmpf(ogt,0,1)
            comparator, line 1, column 1: expected an operation, such as "arith.cmpf"
    "#]].assert_eq(&errors.concat());
}
