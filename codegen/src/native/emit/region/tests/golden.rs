//! What is printed of regions that people write.

use configgen::comparator::order::Class;
use configgen::comparator::{Comparator, Region, ScalarType};
use expect_test::{Expect, expect};

use super::super::print;
use crate::native::ir::{Ir, Value};

/// The text of a comparator, given by name or in its compact form, and its result.
#[track_caller]
fn check(element: ScalarType, comparator: &str, expected: Expect) {
    let comparator = Comparator::named(comparator, element)
        .unwrap_or_else(|| Comparator::from_compact(comparator, element).unwrap());
    check_region(comparator.region(), expected);
}

#[track_caller]
fn check_region(region: &Region, expected: Expect) {
    let mut ir = Ir::new();
    let arguments = &["%a", "%b"].map(Value::text)[..region.arguments() as usize];
    let result = print(&mut ir, region, arguments);
    expected.assert_eq(&format!("{}  {result}\n", ir.into_text()));
}

#[test]
fn comparisons_are_one_instruction() {
    check(
        ScalarType::F32,
        "argmax",
        expect![[r#"
        entry:
          %v1 = fcmp ogt float %a, %b
          %v1
    "#]],
    );
    check(
        ScalarType::F16,
        "argmin_last",
        expect![[r#"
        entry:
          %v1 = fcmp ole half %a, %b
          %v1
    "#]],
    );
    check(
        ScalarType::I64,
        "argmin.ult",
        expect![[r#"
        entry:
          %v1 = icmp ult i64 %a, %b
          %v1
    "#]],
    );
    check(
        ScalarType::F64,
        "argmax_nan",
        expect![[r#"
        entry:
          %v1 = fcmp ord double %b, %b
          %v2 = fcmp ugt double %a, %b
          %v3 = and i1 %v1, %v2
          %v3
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
        entry:
          %v1 = and i16 %a, 32767
          %v1
    "#]],
    );
}

#[test]
fn narrow_types_are_compared_as_numbers() {
    check(
        ScalarType::Bf16,
        "argmax",
        expect![[r#"
        entry:
          %v1 = zext i16 %a to i32
          %v2 = shl i32 %v1, 16
          %v3 = bitcast i32 %v2 to float
          %v4 = zext i16 %b to i32
          %v5 = shl i32 %v4, 16
          %v6 = bitcast i32 %v5 to float
          %v7 = fcmp ogt float %v3, %v6
          %v7
    "#]],
    );
    check(
        ScalarType::F8E5M2,
        "argmax",
        expect![[r#"
        entry:
          %v1 = zext i8 %a to i16
          %v2 = shl i16 %v1, 8
          %v3 = bitcast i16 %v2 to half
          %v4 = fpext half %v3 to float
          %v5 = zext i8 %b to i16
          %v6 = shl i16 %v5, 8
          %v7 = bitcast i16 %v6 to half
          %v8 = fpext half %v7 to float
          %v9 = fcmp ogt float %v4, %v8
          %v9
    "#]],
    );
    check(
        ScalarType::F8E4M3FN,
        "argmax",
        expect![[r#"
        entry:
          %v1 = sext i8 %a to i32
          %v2 = shl i32 %v1, 20
          %v3 = and i32 %v2, -2014314496
          %v4 = bitcast i32 %v3 to float
          %v5 = fmul float %v4, 0x4770000000000000
          %v6 = call float @llvm.fabs.f32(float %v5)
          %v7 = fcmp ogt float %v6, 448.0
          %v8 = select i1 %v7, float 0x7FF8000000000000, float %v5
          %v9 = sext i8 %b to i32
          %v10 = shl i32 %v9, 20
          %v11 = and i32 %v10, -2014314496
          %v12 = bitcast i32 %v11 to float
          %v13 = fmul float %v12, 0x4770000000000000
          %v14 = call float @llvm.fabs.f32(float %v13)
          %v15 = fcmp ogt float %v14, 448.0
          %v16 = select i1 %v15, float 0x7FF8000000000000, float %v13
          %v17 = fcmp ogt float %v8, %v16
          %v17
    "#]],
    );
    check(
        ScalarType::F8E4M3FNUZ,
        "2=math.absf(0);3=math.absf(1);arith.cmpf(olt,2,3)",
        expect![[r#"
            entry:
              %v1 = sext i8 %a to i32
              %v2 = shl i32 %v1, 20
              %v3 = and i32 %v2, -2014314496
              %v4 = bitcast i32 %v3 to float
              %v5 = fmul float %v4, 0x4760000000000000
              %v6 = icmp eq i8 %a, -128
              %v7 = select i1 %v6, float 0x7FF8000000000000, float %v5
              %v8 = call float @llvm.fabs.f32(float %v7)
              %v9 = sext i8 %b to i32
              %v10 = shl i32 %v9, 20
              %v11 = and i32 %v10, -2014314496
              %v12 = bitcast i32 %v11 to float
              %v13 = fmul float %v12, 0x4760000000000000
              %v14 = icmp eq i8 %b, -128
              %v15 = select i1 %v14, float 0x7FF8000000000000, float %v13
              %v16 = call float @llvm.fabs.f32(float %v15)
              %v17 = fcmp olt float %v8, %v16
              %v17
        "#]],
    );
}

#[test]
fn chains_of_narrow_operations_stay_in_numbers() {
    check(
        ScalarType::Bf16,
        "2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.addf(2,1);5=arith.addf(3,0);arith.cmpf(ogt,4,5)",
        expect![[r#"
            entry:
              %v1 = zext i16 %b to i32
              %v2 = shl i32 %v1, 16
              %v3 = bitcast i32 %v2 to float
              %v4 = fmul float %v3, %v3
              %v5 = fptrunc float %v4 to bfloat
              %v6 = fpext bfloat %v5 to float
              %v7 = zext i16 %a to i32
              %v8 = shl i32 %v7, 16
              %v9 = bitcast i32 %v8 to float
              %v10 = fadd float %v9, %v6
              %v11 = fptrunc float %v10 to bfloat
              %v12 = fpext bfloat %v11 to float
              %v13 = fmul float %v9, %v9
              %v14 = fptrunc float %v13 to bfloat
              %v15 = fpext bfloat %v14 to float
              %v16 = fadd float %v3, %v15
              %v17 = fptrunc float %v16 to bfloat
              %v18 = fpext bfloat %v17 to float
              %v19 = fcmp olt float %v12, %v18
              %v19
        "#]],
    );
    check(
        ScalarType::F8E4M3FNUZ,
        "2=arith.mulf(0,1);arith.cmpf(ogt,2,1)",
        expect![[r#"
            entry:
              %v1 = sext i8 %a to i32
              %v2 = shl i32 %v1, 20
              %v3 = and i32 %v2, -2014314496
              %v4 = bitcast i32 %v3 to float
              %v5 = fmul float %v4, 0x4760000000000000
              %v6 = icmp eq i8 %a, -128
              %v7 = select i1 %v6, float 0x7FF8000000000000, float %v5
              %v8 = sext i8 %b to i32
              %v9 = shl i32 %v8, 20
              %v10 = and i32 %v9, -2014314496
              %v11 = bitcast i32 %v10 to float
              %v12 = fmul float %v11, 0x4760000000000000
              %v13 = icmp eq i8 %b, -128
              %v14 = select i1 %v13, float 0x7FF8000000000000, float %v12
              %v15 = fmul float %v7, %v14
              %v16 = call float @llvm.fabs.f32(float %v15)
              %v17 = bitcast float %v16 to i32
              %v18 = and i32 %v17, 2139095040
              %v19 = call i32 @llvm.umax.i32(i32 %v18, i32 1006632960)
              %v20 = add i32 %v19, 167772160
              %v21 = bitcast i32 %v20 to float
              %v22 = fadd float %v16, %v21
              %v23 = fsub float %v22, %v21
              %v24 = fcmp olt float %v16, 248.0
              %v25 = select i1 %v24, float %v23, float 0x7FF8000000000000
              %v26 = call float @llvm.copysign.f32(float %v25, float %v15)
              %v27 = fcmp oeq float %v26, 0.0
              %v28 = select i1 %v27, float 0.0, float %v26
              %v29 = fcmp olt float %v14, %v28
              %v29
        "#]],
    );
}

#[test]
fn nans_are_canonical_where_they_are_seen() {
    check(
        ScalarType::F32,
        "2=arith.subf(0,1);3=arith.bitcast(2,i32);4=arith.constant(i32,0);arith.cmpi(slt,3,4)",
        expect![[r#"
            entry:
              %v1 = fsub float %a, %b
              %v2 = fcmp uno float %v1, %v1
              %v3 = select i1 %v2, float 0x7FF8000000000000, float %v1
              %v4 = bitcast float %v3 to i32
              %v5 = icmp slt i32 %v4, 0
              %v5
        "#]],
    );
    check(
        ScalarType::F32,
        "2=arith.maxnumf(0,1);arith.cmpf(ult,2,0)",
        expect![[r#"
            entry:
              %v1 = call float @llvm.canonicalize.f32(float %a)
              %v2 = call float @llvm.canonicalize.f32(float %b)
              %v3 = call float @llvm.maxnum.f32(float %v1, float %v2)
              %v4 = fcmp ugt float %a, %v3
              %v4
        "#]],
    );
}

#[test]
fn what_llvm_leaves_undefined_is_defined() {
    check(
        ScalarType::I32,
        "2=arith.divsi(0,1);arith.cmpi(slt,2,1)",
        expect![[r#"
            entry:
              %v1 = icmp eq i32 %b, 0
              %v2 = icmp eq i32 %a, -2147483648
              %v3 = icmp eq i32 %b, -1
              %v4 = and i1 %v2, %v3
              %v5 = or i1 %v1, %v4
              %v6 = select i1 %v5, i32 1, i32 %b
              %v7 = sdiv i32 %a, %v6
              %v8 = select i1 %v1, i32 -1, i32 %v7
              %v9 = icmp sgt i32 %b, %v8
              %v9
        "#]],
    );
    check(
        ScalarType::I8,
        "2=arith.shli(0,1);3=arith.shrsi(1,0);arith.cmpi(ult,2,3)",
        expect![[r#"
            entry:
              %v1 = shl i8 %a, %b
              %v2 = icmp ult i8 %b, 8
              %v3 = select i1 %v2, i8 %v1, i8 0
              %v4 = call i8 @llvm.umin.i8(i8 %a, i8 7)
              %v5 = ashr i8 %b, %v4
              %v6 = icmp ult i8 %v3, %v5
              %v6
        "#]],
    );
    check(
        ScalarType::I16,
        "2=arith.constant(i16,3);3=arith.remui(0,2);4=arith.shrui(1,2);arith.cmpi(ult,3,4)",
        expect![[r#"
            entry:
              %v1 = urem i16 %a, 3
              %v2 = lshr i16 %b, 3
              %v3 = icmp ult i16 %v1, %v2
              %v3
        "#]],
    );
}

#[test]
fn remainders_are_a_loop() {
    check(
        ScalarType::F32,
        "2=arith.remf(0,1);arith.cmpf(ogt,2,1)",
        expect![[r#"
            entry:
              %v1 = call float @llvm.fabs.f32(float %a)
              %v2 = call float @llvm.fabs.f32(float %b)
              %v3 = fcmp olt float %v1, 0x7FF0000000000000
              %v4 = fcmp ogt float %v2, 0.0
              %v5 = and i1 %v3, %v4
              %v6 = fcmp oge float %v1, %v2
              %v7 = and i1 %v5, %v6
              %v8 = call { float, i32 } @llvm.frexp.f32.i32(float %v1)
              %v9 = extractvalue { float, i32 } %v8, 0
              %v10 = extractvalue { float, i32 } %v8, 1
              %v11 = call { float, i32 } @llvm.frexp.f32.i32(float %v2)
              %v12 = extractvalue { float, i32 } %v11, 0
              %v13 = extractvalue { float, i32 } %v11, 1
              %v14 = sub i32 %v10, %v13
              %v15 = select i1 %v7, i32 %v14, i32 0
              %v16 = fsub float %v9, %v12
              %v17 = fcmp oge float %v9, %v12
              %v18 = select i1 %v17, float %v16, float %v9
              br label %divide1
            divide1:
              %v19 = phi float [ %v18, %entry ], [ %v25, %step2 ]
              %v20 = phi i32 [ %v15, %entry ], [ %v26, %step2 ]
              %v21 = icmp sgt i32 %v20, 0
              br i1 %v21, label %step2, label %divided3
            step2:
              %v22 = fadd float %v19, %v19
              %v23 = fsub float %v22, %v12
              %v24 = fcmp oge float %v22, %v12
              %v25 = select i1 %v24, float %v23, float %v22
              %v26 = sub i32 %v20, 1
              br label %divide1
            divided3:
              %v27 = call float @llvm.ldexp.f32.i32(float %v19, i32 %v13)
              %v28 = select i1 %v7, float %v27, float %v1
              %v29 = select i1 %v5, float %v28, float 0x7FF8000000000000
              %v30 = call float @llvm.copysign.f32(float %v29, float %a)
              %v31 = fcmp olt float %b, %v30
              %v31
        "#]],
    );
}

#[test]
fn signs_of_zeros_survive() {
    check(
        ScalarType::F32,
        "2=arith.constant(f32,0);3=arith.subf(2,0);4=arith.divf(1,3);arith.cmpf(ogt,4,1)",
        expect![[r#"
            entry:
              %v1 = fneg float %a
              %v2 = fcmp oeq float %v1, 0.0
              %v3 = select i1 %v2, float 0.0, float %v1
              %v4 = fdiv float %b, %v3
              %v5 = fcmp olt float %b, %v4
              %v5
        "#]],
    );
    check(
        ScalarType::F32,
        "2=arith.mulf(0,1);3=arith.truncf(2,f16);4=arith.bitcast(3,i16);5=arith.bitcast(1,i32);6=arith.trunci(5,i16);arith.cmpi(slt,4,6)",
        expect![[r#"
            entry:
              %v1 = bitcast float %b to i32
              %v2 = trunc i32 %v1 to i16
              %v3 = fmul float %a, %b
              %v4 = fptrunc float %v3 to half
              %v5 = bitcast float %v3 to i32
              %v6 = lshr i32 %v5, 16
              %v7 = trunc i32 %v6 to i16
              %v8 = bitcast i16 %v7 to half
              %v9 = fcmp oeq float %v3, 0.0
              %v10 = select i1 %v9, half %v8, half %v4
              %v11 = fcmp uno half %v10, %v10
              %v12 = select i1 %v11, half 0xH7E00, half %v10
              %v13 = bitcast half %v12 to i16
              %v14 = icmp sgt i16 %v2, %v13
              %v14
        "#]],
    );
}
