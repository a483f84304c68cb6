//! Tests of the texts of row programs.

use super::{check, check_error};

#[test]
fn canonical_text() {
    let same = |text: &str| check(text, text);
    // Values that are used once have no name, and numbers are the shortest decimals.
    check(
        "rows(s = x * 0.125 + x1; m = max(s); e = exp(s - m); e / sum(e)):8x16x[128]xf32,f32(0,2)",
        "rows(e1=x*0.125+x1;e2=exp(e1-max(e1));e2/sum(e2)):8x16x[128]xf32,f32(0,2)",
    );
    same("rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/4096+1e-6))*x1):?x[4096]xf16,f16(1):count=1..512");
    same("rows(max(abs(x))):64x[4096]xf32");
    same("rows(r1=sum(x)/4096;e1=x-r1;r1,sum(e1*e1)/4096):64x[4096]xf32");
    same("rows(x/sqrt(sum(x*x))):2x[64]xf32:pitch=80");
    same("rows(sum(x),at(x,0),at(x,63)):2x[64]xf32");
    same("rows(sum(select(x1,x,0))):2x[64]xf32,i1");
    same("rows(maxnum(max(x,x1)),min(-x),minnum(x)):2x[64]xf32,f32(1)");
    same("rows(sum(x-(x1-2)-3)):[64]xf32,f32");
    same("rows(r1=max(abs(x))/127;i8(max(min(roundeven(x/r1),127),-128)),r1):64x[4096]xf32");
    same("rows(f8E4M3FNUZ(f16(x*rsqrt(sum(x*x))))):64x[4096]xf32");
    // Without a fold, each element is a row.
    same("rows(x/(exp(-x)+1)):64x1024xbf16");
    same("rows(x/(exp(-x)+1)*x1):?x1024xf16,f16:count=1..512");
    same("rows(x*x1,tanh(x)):8x16x4xf32,f32(2)");
    // Operands that commute have one order, and parentheses stay only where they count.
    check(
        "rows(sum((2*x)+(x1*x))):[64]xf32,f32",
        "rows(sum(x*x1+x*2)):[64]xf32,f32",
    );
    check("rows(x-(max(x))):[8]xf32", "rows(x-max(x)):[8]xf32");
}

#[test]
fn a_named_operation_keeps_its_name() {
    check(
        "rows(m=max(x);x-m-log(sum(exp(x-m)))):64x[768]xf32",
        "rows(e1=x-max(x);e1-log(sum(exp(e1)))):64x[768]xf32",
    );
    check(
        "rows(m=maxnum(x);x-m-log(sum(exp(x-m)))):64x[768]xf32",
        "log_softmax:64x[768]xf32",
    );
    check(
        "rows(f16(rsqrt(sum(f32(x)*f32(x))/768+1e-5)*f32(x)*f32(x1))):64x[768]xf16,f16(1)",
        "rms_norm:64x[768]xf16:epsilon=1e-5",
    );
    check(
        "rows(m=maxnum(x);e=exp(x-m);e*(1/sum(e))):3x[768]xf32",
        "softmax:3x[768]xf32",
    );
}

#[test]
fn errors_point_at_the_character() {
    check_error("rows:4x[8]xf32", 4, "in parentheses, as in rows(");
    check_error("rows(x+1):4x[8]xf32", 5, "nothing is folded here");
    check_error("rows(sum(x)):4x8xf32", 5, "this program folds rows");
    check_error("rows(x,f32(1)):4x8xf32", 13, "a result is a number");
    check_error(
        "rows(sum(y)):4x[8]xf32",
        9,
        "y has no value yet; the input is x",
    );
    check_error("rows(sum(x)+):4x[8]xf32", 12, "expected a value");
    check_error("rows(x=sum(x);x):4x[8]xf32", 5, "x is an input");
    check_error(
        "rows(a=sum(x);a=a;a):4x[8]xf32",
        14,
        "a has a value already",
    );
    check_error("rows(a=sum(x)):4x[8]xf32", 13, "after the value of a name");
    check_error(
        "rows(sum(x)+x1):4x[8]xf32,f16",
        11,
        "the second operand of arith.addf is f32",
    );
    check_error(
        "rows(sum(x)):4x[8]xf16",
        5,
        "folds take f32, and this is f16",
    );
    check_error(
        "rows(sum(max(x))):4x[8]xf32",
        5,
        "the same for all elements",
    );
    check_error("rows(sum(x)):4x[8]xf32,f16", 11, "does not use input 1");
    check_error(
        "rows(sum(x),at(x,8)):4x[8]xf32",
        5,
        "position 8 is outside a row of 8 elements",
    );
    check_error(
        "rows(sum(x),at(x,-1)):4x[8]xf32",
        5,
        "position -1 is outside",
    );
    check_error(
        "rows(sum(x),at(x,0)):4x[8]x[8]xf32",
        5,
        "a position is one along a single dimension",
    );
    check_error("rows(sum(x) x):4x[8]xf32", 12, "should end here");
    check_error(
        "rows(sum(tan(x))):4x[8]xf32",
        9,
        "no program has a function tan",
    );
    check_error(
        "rows(i32(sum(x))):4x[8]xf32",
        5,
        "which i32 does not convert",
    );
    check_error("rows(1+2):4x[8]xf32", 5, "the type of this number is open");
    check_error("rows(sum(x)*1e99):4x[8]xf32", 12, "f32 has no 1e99");
    check_error("rows(sum(x)):4x[8]xi32", 5, "not i32");
    check_error(
        "rows(sum(x+x1)):4x[8]xf32,f32(1,0)",
        5,
        "in the order of the problem",
    );
    check_error(
        "rows(sum(x)>0):4x[8]xf32",
        13,
        "a result is f32, f16, bf16, i8 or a float of 8 bits, and this is i1",
    );
    check_error(
        "rows(sum(x)):4x[8]xf32:epsilon=1",
        23,
        "an option is \"pitch=SIZE\"",
    );
    let deep = format!("rows({}x{}):[8]xf32", "(".repeat(400), ")".repeat(400));
    check_error(&deep, 305, "too many nested expressions");
}
