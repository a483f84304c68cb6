//! The operations that are built for typical regions.

use configgen::comparator::order::Class;
use configgen::comparator::{Comparator, Region, ScalarType};
use expect_test::{Expect, expect};

use super::super::{build, types};
use crate::native::ir::{Builder, Value, text};

/// Checks the operations of a comparator, given by name or in its compact form.
#[track_caller]
fn check(element: ScalarType, comparator: &str, expected: Expect) {
    let comparator = Comparator::named(comparator, element)
        .unwrap_or_else(|| Comparator::from_compact(comparator, element).unwrap());
    check_region(comparator.region(), expected);
}

#[track_caller]
fn check_region(region: &Region, expected: Expect) {
    let mut ir = Builder::new();
    let kind = types::held(region.element());
    let arguments: Vec<Value> = ["a", "b"][..region.arguments() as usize]
        .iter()
        .map(|name| ir.argument(kind, name))
        .collect();
    let result = build(&mut ir, region, &arguments);
    expected.assert_eq(&text::lines(ir, &arguments, result));
}

#[test]
fn comparisons_are_one_instruction() {
    check(
        ScalarType::F32,
        "argmax",
        expect![[r#"
            v1: i1 = compare ogt a, b
            yield v1
        "#]],
    );
    check(
        ScalarType::F16,
        "argmin_last",
        expect![[r#"
            v1: i1 = compare ole a, b
            yield v1
        "#]],
    );
    check(
        ScalarType::I64,
        "argmin.ult",
        expect![[r#"
            v1: i1 = compare ult a, b
            yield v1
        "#]],
    );
    check(
        ScalarType::F64,
        "argmax_nan",
        expect![[r#"
            v1: i1 = compare ord b, b
            v2: i1 = compare ugt a, b
            v3: i1 = and v1, v2
            yield v3
        "#]],
    );
}

#[test]
fn keys_have_one_argument() {
    let text = "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)";
    let comparator = Comparator::from_compact(text, ScalarType::Bf16).unwrap();
    let Class::Extreme(extreme) = &comparator.order().class else {
        panic!("{:?}", comparator.order());
    };
    check_region(
        &extreme.key,
        expect![[r#"
            v1: i16 = and a, 32767
            yield v1
        "#]],
    );
}

#[test]
fn narrow_types_are_compared_as_numbers() {
    check(
        ScalarType::Bf16,
        "argmax",
        expect![[r#"
            v1: i32 = zero_extend a
            v2: i32 = shift_left v1, 16
            v3: f32 = bits v2
            v4: i32 = zero_extend b
            v5: i32 = shift_left v4, 16
            v6: f32 = bits v5
            v7: i1 = compare ogt v3, v6
            yield v7
        "#]],
    );
    check(
        ScalarType::F8E5M2,
        "argmax",
        expect![[r#"
            v1: i16 = zero_extend a
            v2: i16 = shift_left v1, 8
            v3: f16 = bits v2
            v4: f32 = extend v3
            v5: i16 = zero_extend b
            v6: i16 = shift_left v5, 8
            v7: f16 = bits v6
            v8: f32 = extend v7
            v9: i1 = compare ogt v4, v8
            yield v9
        "#]],
    );
    check(
        ScalarType::F8E4M3FN,
        "argmax",
        expect![[r#"
            v1: i32 = sign_extend a
            v2: i32 = shift_left v1, 20
            v3: i32 = and v2, -2014314496
            v4: f32 = bits v3
            v5: f32 = mul_float v4, 1.329227995784916e36
            v6: f32 = abs_float v5
            v7: i1 = compare ogt v6, 448.0
            v8: f32 = select v7, 0x7fc00000, v5
            v9: i32 = sign_extend b
            v10: i32 = shift_left v9, 20
            v11: i32 = and v10, -2014314496
            v12: f32 = bits v11
            v13: f32 = mul_float v12, 1.329227995784916e36
            v14: f32 = abs_float v13
            v15: i1 = compare ogt v14, 448.0
            v16: f32 = select v15, 0x7fc00000, v13
            v17: i1 = compare ogt v8, v16
            yield v17
        "#]],
    );
    check(
        ScalarType::F8E4M3FNUZ,
        "2=math.absf(0);3=math.absf(1);arith.cmpf(olt,2,3)",
        expect![[r#"
            v1: i32 = sign_extend a
            v2: i32 = shift_left v1, 20
            v3: i32 = and v2, -2014314496
            v4: f32 = bits v3
            v5: f32 = mul_float v4, 6.64613997892458e35
            v6: i1 = compare eq a, -128
            v7: f32 = select v6, 0x7fc00000, v5
            v8: f32 = abs_float v7
            v9: i32 = sign_extend b
            v10: i32 = shift_left v9, 20
            v11: i32 = and v10, -2014314496
            v12: f32 = bits v11
            v13: f32 = mul_float v12, 6.64613997892458e35
            v14: i1 = compare eq b, -128
            v15: f32 = select v14, 0x7fc00000, v13
            v16: f32 = abs_float v15
            v17: i1 = compare olt v8, v16
            yield v17
        "#]],
    );
}

#[test]
fn chains_of_narrow_operations_stay_in_numbers() {
    check(
        ScalarType::Bf16,
        "2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.addf(2,1);5=arith.addf(3,0);arith.cmpf(ogt,4,5)",
        expect![[r#"
            v1: i32 = zero_extend b
            v2: i32 = shift_left v1, 16
            v3: f32 = bits v2
            v4: f32 = mul_float v3, v3
            v5: bf16 = round v4
            v6: f32 = extend v5
            v7: i32 = zero_extend a
            v8: i32 = shift_left v7, 16
            v9: f32 = bits v8
            v10: f32 = add_float v9, v6
            v11: bf16 = round v10
            v12: f32 = extend v11
            v13: f32 = mul_float v9, v9
            v14: bf16 = round v13
            v15: f32 = extend v14
            v16: f32 = add_float v3, v15
            v17: bf16 = round v16
            v18: f32 = extend v17
            v19: i1 = compare olt v12, v18
            yield v19
        "#]],
    );
    check(
        ScalarType::F8E4M3FNUZ,
        "2=arith.mulf(0,1);arith.cmpf(ogt,2,1)",
        expect![[r#"
            v1: i32 = sign_extend a
            v2: i32 = shift_left v1, 20
            v3: i32 = and v2, -2014314496
            v4: f32 = bits v3
            v5: f32 = mul_float v4, 6.64613997892458e35
            v6: i1 = compare eq a, -128
            v7: f32 = select v6, 0x7fc00000, v5
            v8: i32 = sign_extend b
            v9: i32 = shift_left v8, 20
            v10: i32 = and v9, -2014314496
            v11: f32 = bits v10
            v12: f32 = mul_float v11, 6.64613997892458e35
            v13: i1 = compare eq b, -128
            v14: f32 = select v13, 0x7fc00000, v12
            v15: f32 = mul_float v7, v14
            v16: f32 = abs_float v15
            v17: i32 = bits v16
            v18: i32 = and v17, 2139095040
            v19: i32 = max_unsigned v18, 1006632960
            v20: i32 = add v19, 167772160
            v21: f32 = bits v20
            v22: f32 = add_float v16, v21
            v23: f32 = sub_float v22, v21
            v24: i1 = compare olt v16, 248.0
            v25: f32 = select v24, v23, 0x7fc00000
            v26: f32 = copy_sign v25, v15
            v27: i1 = compare oeq v26, 0.0
            v28: f32 = select v27, 0.0, v26
            v29: i1 = compare olt v14, v28
            yield v29
        "#]],
    );
}

#[test]
fn observable_nans_are_canonical() {
    check(
        ScalarType::F32,
        "2=arith.subf(0,1);3=arith.bitcast(2,i32);4=arith.constant(i32,0);arith.cmpi(slt,3,4)",
        expect![[r#"
            v1: f32 = sub_float a, b
            v2: i1 = compare uno v1, v1
            v3: f32 = select v2, 0x7fc00000, v1
            v4: i32 = bits v3
            v5: i1 = compare slt v4, 0
            yield v5
        "#]],
    );
    check(
        ScalarType::F32,
        "2=arith.maxnumf(0,1);arith.cmpf(ult,2,0)",
        expect![[r#"
            v1: f32 = canonicalize a
            v2: f32 = canonicalize b
            v3: f32 = max_number v1, v2
            v4: i1 = compare ugt a, v3
            yield v4
        "#]],
    );
}

#[test]
fn undefined_behaviour_of_llvm_is_defined() {
    check(
        ScalarType::I32,
        "2=arith.divsi(0,1);arith.cmpi(slt,2,1)",
        expect![[r#"
            v1: i1 = compare eq b, 0
            v2: i1 = compare eq a, -2147483648
            v3: i1 = compare eq b, -1
            v4: i1 = and v2, v3
            v5: i1 = or v1, v4
            v6: i32 = select v5, 1, b
            v7: i32 = div_signed a, v6
            v8: i32 = select v1, -1, v7
            v9: i1 = compare sgt b, v8
            yield v9
        "#]],
    );
    check(
        ScalarType::I8,
        "2=arith.shli(0,1);3=arith.shrsi(1,0);arith.cmpi(ult,2,3)",
        expect![[r#"
            v1: i8 = shift_left a, b
            v2: i1 = compare ult b, 8
            v3: i8 = select v2, v1, 0
            v4: i8 = min_unsigned a, 7
            v5: i8 = shift_right_signed b, v4
            v6: i1 = compare ult v3, v5
            yield v6
        "#]],
    );
    check(
        ScalarType::I16,
        "2=arith.constant(i16,3);3=arith.remui(0,2);4=arith.shrui(1,2);arith.cmpi(ult,3,4)",
        expect![[r#"
            v1: i16 = rem_unsigned a, 3
            v2: i16 = shift_right_unsigned b, 3
            v3: i1 = compare ult v1, v2
            yield v3
        "#]],
    );
}

#[test]
fn remainders_are_a_loop() {
    check(
        ScalarType::F32,
        "2=arith.remf(0,1);arith.cmpf(ogt,2,1)",
        expect![[r#"
            v1: f32 = abs_float a
            v2: f32 = abs_float b
            v3: i1 = compare olt v1, inf
            v4: i1 = compare ogt v2, 0.0
            v5: i1 = and v3, v4
            v6: i1 = compare oge v1, v2
            v7: i1 = and v5, v6
            v8: f32, v9: i32 = split v1
            v10: f32, v11: i32 = split v2
            v12: i32 = sub v9, v11
            v13: i32 = select v7, v12, 0
            v14: f32 = sub_float v8, v10
            v15: i1 = compare oge v8, v10
            v16: f32 = select v15, v14, v8
            loop v17: f32 = v16, v18: i32 = v13
              v19: i1 = compare sgt v18, 0
              yield v17
            while v19
              v20: f32 = add_float v17, v17
              v21: f32 = sub_float v20, v10
              v22: i1 = compare oge v20, v10
              v23: f32 = select v22, v21, v20
              v24: i32 = sub v18, 1
              yield v23, v24
            v25: f32 = end
            v26: f32 = scale v25, v11
            v27: f32 = select v7, v26, v1
            v28: f32 = select v5, v27, 0x7fc00000
            v29: f32 = copy_sign v28, a
            v30: i1 = compare olt b, v29
            yield v30
        "#]],
    );
}

#[test]
fn signs_of_zeros_survive() {
    check(
        ScalarType::F32,
        "2=arith.constant(f32,0);3=arith.subf(2,0);4=arith.divf(1,3);arith.cmpf(ogt,4,1)",
        expect![[r#"
            v1: f32 = negate a
            v2: i1 = compare oeq v1, 0.0
            v3: f32 = select v2, 0.0, v1
            v4: f32 = div_float b, v3
            v5: i1 = compare olt b, v4
            yield v5
        "#]],
    );
    check(
        ScalarType::F32,
        "2=arith.mulf(0,1);3=arith.truncf(2,f16);4=arith.bitcast(3,i16);5=arith.bitcast(1,i32);6=arith.trunci(5,i16);arith.cmpi(slt,4,6)",
        expect![[r#"
            v1: i32 = bits b
            v2: i16 = truncate v1
            v3: f32 = mul_float a, b
            v4: i32 = bits v3
            v5: i32 = opaque v4
            v6: f32 = bits v5
            v7: f16 = round v6
            v8: i1 = compare uno v7, v7
            v9: f16 = select v8, 0x7e00, v7
            v10: i16 = bits v9
            v11: i1 = compare sgt v2, v10
            yield v11
        "#]],
    );
}
