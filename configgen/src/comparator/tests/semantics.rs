//! Tests of operations in the cases that MLIR leaves open, and at edges.

use super::super::opcode::{Opcode, OpcodeSignature};
use super::super::scalar::ScalarType;
use super::super::semantics::{apply, seen_nans};
use super::random::Random;

#[track_caller]
fn check(opcode: &str, scalar: ScalarType, operands: [i64; 2], expected: i64) {
    let opcode = Opcode::from_name(opcode).unwrap();
    let [x, y] = operands.map(|operand| operand as u64 & scalar.mask());
    let result = apply(opcode, scalar, scalar, [x, y, 0]);
    assert_eq!(result, expected as u64 & scalar.mask());
}

#[test]
fn integers_are_total() {
    use ScalarType::{I1, I8, I32, I64};
    check("arith.addi", I8, [127, 1], -128);
    check("arith.muli", I64, [i64::MAX, 2], -2);
    check("arith.divsi", I32, [7, 0], -1);
    check("arith.divui", I32, [7, 0], -1);
    check("arith.remsi", I32, [-7, 0], -7);
    check("arith.remui", I32, [7, 0], 7);
    check("arith.divsi", I8, [-128, -1], -128);
    check("arith.remsi", I8, [-128, -1], 0);
    check("arith.divsi", I64, [i64::MIN, -1], i64::MIN);
    check("arith.remsi", I64, [i64::MIN, -1], 0);
    check("arith.divsi", I8, [-7, 2], -3);
    check("arith.remsi", I8, [-7, 2], -1);
    check("arith.divui", I8, [-7, 2], 124);
    check("arith.shli", I8, [1, 7], -128);
    check("arith.shli", I8, [1, 8], 0);
    check("arith.shli", I64, [1, 64], 0);
    check("arith.shli", I8, [1, -1], 0);
    check("arith.shrui", I8, [-1, 8], 0);
    check("arith.shrui", I64, [-1, 64], 0);
    check("arith.shrsi", I8, [-128, 7], -1);
    check("arith.shrsi", I8, [-128, 200], -1);
    check("arith.shrsi", I64, [-2, 64], -1);
    check("arith.shrsi", I64, [2, 64], 0);
    check("math.absi", I8, [-128, 0], -128);
    check("math.absi", I8, [-127, 0], 127);
    check("arith.maxsi", I8, [-1, 1], 1);
    check("arith.maxui", I8, [-1, 1], -1);
    check("arith.addi", I1, [1, 1], 0);
    check("arith.divsi", I1, [1, 0], 1);
}

/// Compares rounded divisions with numbers that cannot overflow.
#[test]
fn quotients_that_are_rounded() {
    let scalar = ScalarType::I8;
    for x in 0..=255u64 {
        for y in 0..=255u64 {
            let (sx, sy) = (scalar.signed(x) as f64, scalar.signed(y) as f64);
            let of = |name: &str| {
                let opcode = Opcode::from_name(name).unwrap();
                apply(opcode, scalar, scalar, [x, y, 0])
            };
            let wrapped = |quotient: f64| match y {
                0 => 255,
                _ => quotient as i64 as u64 & 255,
            };
            assert_eq!(
                of("arith.ceildivsi"),
                wrapped((sx / sy).ceil()),
                "{sx} {sy}"
            );
            assert_eq!(
                of("arith.floordivsi"),
                wrapped((sx / sy).floor()),
                "{sx} {sy}"
            );
            assert_eq!(
                of("arith.ceildivui"),
                wrapped((x as f64 / y as f64).ceil()),
                "{x} {y}"
            );
        }
    }
    use ScalarType::{I1, I64};
    check("arith.ceildivsi", I64, [i64::MIN, -1], i64::MIN);
    check("arith.floordivsi", I64, [i64::MIN, -1], i64::MIN);
    check("arith.ceildivui", I64, [-1, 2], i64::MIN);
    check(
        "arith.floordivsi",
        I64,
        [i64::MIN, 3],
        -3_074_457_345_618_258_603,
    );
    check("arith.ceildivsi", I1, [-1, -1], -1);
    check("arith.floordivsi", I1, [0, 0], -1);
}

#[test]
fn bits_are_counted() {
    use ScalarType::{I1, I8, I64};
    check("math.ctpop", I8, [-1, 0], 8);
    check("math.ctlz", I8, [1, 0], 7);
    check("math.ctlz", I8, [0, 0], 8);
    check("math.ctlz", I64, [-1, 0], 0);
    check("math.cttz", I8, [-128, 0], 7);
    check("math.cttz", I64, [0, 0], 64);
    check("math.cttz", I1, [0, 0], 1);
    check("math.ctlz", I1, [1, 0], 0);
    check("math.ctpop", I1, [1, 0], 1);
}

/// Compares every number of the 8-bit floats with its neighbouring or nearest integer.
#[test]
fn floats_as_integers() {
    for scalar in ScalarType::ALL
        .into_iter()
        .filter(|scalar| scalar.is_float() && scalar.bits() == 8)
    {
        for x in (0..=255).filter(|&x| !scalar.is_nan(x)) {
            let number = scalar.to_f64(x);
            let of = |name: &str| {
                let opcode = Opcode::from_name(name).unwrap();
                apply(opcode, scalar, scalar, [x, 0, 0])
            };
            let below = (-512i32..=512)
                .map(f64::from)
                .rfind(|&integer| integer <= number);
            let below = below.unwrap_or(number).min(number);
            let floor = scalar.to_f64(of("math.floor"));
            match number.is_finite() && number.abs() < 512.0 {
                true => assert_eq!(floor, below, "{scalar} {number}"),
                false => assert_eq!(floor, number),
            }
            let ceil = -scalar.to_f64(apply(
                Opcode::Floor,
                scalar,
                scalar,
                [scalar.round(-number), 0, 0],
            ));
            assert_eq!(scalar.to_f64(of("math.ceil")), ceil, "{scalar} {number}");
            let inner = if number < 0.0 { ceil } else { floor };
            assert_eq!(scalar.to_f64(of("math.trunc")), inner, "{scalar} {number}");
            let [down, up] = [number - floor, ceil - number];
            let nearest = if up < down { ceil } else { floor };
            if !number.is_finite() || down != up {
                let (round, even) = (of("math.round"), of("math.roundeven"));
                let whole = if number.is_finite() { nearest } else { number };
                assert_eq!([round, even].map(|bits| scalar.to_f64(bits)), [whole; 2]);
            }
        }
    }
}

#[track_caller]
fn check_f32(opcode: &str, operands: [f32; 3], expected: f32) {
    let opcode = Opcode::from_name(opcode).unwrap();
    let bits = operands.map(|operand| u64::from(operand.to_bits()));
    let result = apply(opcode, ScalarType::F32, ScalarType::F32, bits);
    assert_eq!(result, u64::from(expected.to_bits()));
}

#[test]
fn floats_at_edges() {
    const NAN: f32 = f32::NAN;
    let signalling = f32::from_bits(0xff80_0001);
    for (opcode, operands, expected) in [
        ("arith.maximumf", [1.0, NAN, 0.0], NAN),
        ("arith.maximumf", [signalling, 1.0, 0.0], NAN),
        ("arith.maximumf", [-0.0, 0.0, 0.0], 0.0),
        ("arith.minimumf", [0.0, -0.0, 0.0], -0.0),
        ("arith.maxnumf", [1.0, NAN, 0.0], 1.0),
        ("arith.maxnumf", [signalling, 1.0, 0.0], 1.0),
        ("arith.maxnumf", [signalling, -NAN, 0.0], NAN),
        ("arith.maxnumf", [-0.0, 0.0, 0.0], 0.0),
        ("arith.minnumf", [0.0, -0.0, 0.0], -0.0),
        ("arith.minnumf", [-1.0, 2.0, 0.0], -1.0),
        ("arith.divf", [0.0, 0.0, 0.0], NAN),
        ("arith.divf", [1.0, -0.0, 0.0], f32::NEG_INFINITY),
        ("arith.remf", [-5.5, 2.0, 0.0], -1.5),
        ("arith.remf", [1.0, 0.0, 0.0], NAN),
        ("arith.addf", [-NAN, 1.0, 0.0], NAN),
        ("arith.negf", [NAN, 0.0, 0.0], -NAN),
        (
            "math.absf",
            [signalling, 0.0, 0.0],
            f32::from_bits(0x7f80_0001),
        ),
        ("math.copysign", [1.0, -NAN, 0.0], -1.0),
        ("math.floor", [-0.25, 0.0, 0.0], -1.0),
        ("math.ceil", [-0.25, 0.0, 0.0], -0.0),
        ("math.trunc", [-1.75, 0.0, 0.0], -1.0),
        ("math.round", [-2.5, 0.0, 0.0], -3.0),
        ("math.round", [0.499_999_97, 0.0, 0.0], 0.0),
        ("math.roundeven", [2.5, 0.0, 0.0], 2.0),
        ("math.roundeven", [-0.5, 0.0, 0.0], -0.0),
        ("math.floor", [signalling, 0.0, 0.0], NAN),
        ("math.sqrt", [-1.0, 0.0, 0.0], NAN),
        ("math.sqrt", [-0.0, 0.0, 0.0], -0.0),
        // The square of 1 + 2^-23 has a last bit that only a fused sum keeps.
        (
            "math.fma",
            [
                1.0 + f32::EPSILON,
                1.0 + f32::EPSILON,
                -1.0 - 2.0 * f32::EPSILON,
            ],
            f32::EPSILON * f32::EPSILON,
        ),
    ] {
        check_f32(opcode, operands, expected);
    }
}

#[track_caller]
fn check_cast(opcode: &str, from: ScalarType, x: u64, to: ScalarType, expected: u64) {
    let opcode = Opcode::from_name(opcode).unwrap();
    let result = apply(opcode, from, to, [x, 0, 0]);
    assert_eq!(result, expected, "{result:#x}");
}

#[test]
fn conversions_at_edges() {
    use ScalarType::*;
    let f32_bits = |value: f32| u64::from(value.to_bits());
    check_cast("arith.fptosi", F32, f32_bits(f32::NAN), I32, 0);
    check_cast("arith.fptosi", F32, f32_bits(1e10), I32, 0x7fff_ffff);
    check_cast("arith.fptosi", F32, f32_bits(-1e10), I32, 0x8000_0000);
    check_cast("arith.fptosi", F32, f32_bits(-1.9), I8, 0xff);
    check_cast(
        "arith.fptosi",
        F64,
        1e300f64.to_bits(),
        I64,
        i64::MAX as u64,
    );
    check_cast("arith.fptoui", F32, f32_bits(-5.0), I8, 0);
    check_cast("arith.fptoui", F32, f32_bits(255.9), I8, 255);
    check_cast("arith.fptoui", F64, f64::INFINITY.to_bits(), I64, u64::MAX);
    check_cast("arith.fptosi", F32, f32_bits(-7.0), I1, 1);
    check_cast("arith.sitofp", I1, 1, F32, f32_bits(-1.0));
    check_cast("arith.uitofp", I64, u64::MAX, F16, 0x7c00);
    check_cast("arith.uitofp", I64, u64::MAX, F8E4M3FN, 0x7f);
    check_cast(
        "arith.sitofp",
        I32,
        0xffff_ffff,
        F8E5M2FNUZ,
        F8E5M2FNUZ.round(-1.0),
    );
    // 1 + 2^-9 + 2^-40 is above the middle of two bf16, which f32 loses.
    let middle: f64 = 1.0 + (-8f64).exp2() + (-40f64).exp2();
    check_cast("arith.truncf", F64, middle.to_bits(), Bf16, 0x3f81);
    // A conversion to an 8-bit float rounds to f32 first.
    let middle: f64 = 1.0 + (-4f64).exp2() + (-40f64).exp2();
    check_cast("arith.truncf", F64, middle.to_bits(), F8E4M3FN, 0x38);
    check_cast("arith.extf", F16, 0xfc01, F32, f32_bits(f32::NAN));
    check_cast("arith.trunci", I32, 0x1_ff, I8, 0xff);
    check_cast("arith.extsi", I8, 0x80, I16, 0xff80);
    check_cast("arith.extui", I8, 0x80, I16, 0x80);
    // The FNUZ types have one zero and one NaN, and neither has a sign.
    check_cast("arith.negf", F8E4M3FNUZ, 0x80, F8E4M3FNUZ, 0x80);
    check_cast("arith.negf", F8E4M3FNUZ, 0, F8E4M3FNUZ, 0);
    check_cast("math.absf", F8E5M2FNUZ, 0x80, F8E5M2FNUZ, 0x80);
    check_cast("arith.truncf", F32, f32_bits(-0.0), F8E5M2FNUZ, 0);
    check_cast("arith.truncf", F32, f32_bits(-1e-30), F8E4M3FNUZ, 0);
}

/// Checks that results stay within their type, NaNs are canonical, and commutative operands
/// commute.
#[test]
fn every_operation_on_every_type() {
    let mut random = Random::new(3);
    for opcode in Opcode::all() {
        for from in ScalarType::ALL {
            for to in ScalarType::ALL {
                let fits = match opcode.signature() {
                    OpcodeSignature::Constant => false,
                    OpcodeSignature::Same(class, _) => class.holds(to) && from == to,
                    OpcodeSignature::Compare(class) => class.holds(from) && to == ScalarType::I1,
                    OpcodeSignature::Select => from == to,
                    OpcodeSignature::Cast(operand, result, _) => {
                        let right_size = match opcode {
                            Opcode::Bitcast => from.bits() == to.bits(),
                            Opcode::Extui | Opcode::Extsi => from.bits() < to.bits(),
                            _ => true,
                        };
                        operand.holds(from) && result.holds(to) && right_size
                    }
                };
                if !fits {
                    continue;
                }
                for _ in 0..50 {
                    let [x, y, z] = [from; 3].map(|scalar| random.bits(scalar));
                    let result = apply(opcode, from, to, [x, y, z]);
                    assert_eq!(
                        result & !to.mask(),
                        0,
                        "{opcode:?} {from} {to} {x:#x} {y:#x}"
                    );
                    let computes = !matches!(
                        opcode,
                        Opcode::Negf
                            | Opcode::Absf
                            | Opcode::Copysign
                            | Opcode::Select
                            | Opcode::Bitcast
                    );
                    if to.is_nan(result) && computes {
                        assert_eq!(
                            result,
                            to.canonical_nan(),
                            "{opcode:?} {from} {to} {x:#x} {y:#x}"
                        );
                    }
                    if opcode.commutes() {
                        assert_eq!(
                            result,
                            apply(opcode, from, to, [y, x, z]),
                            "{opcode:?} {from} {x:#x} {y:#x}"
                        );
                    }
                }
            }
        }
    }
}

/// Checks the values with an observed NaN.
#[track_caller]
fn check_seen(lines: &str, expected: &[u32]) {
    let region = super::region("f32", lines, "%c");
    let seen: Vec<u32> = seen_nans(&region).iter().map(|value| value.0 - 2).collect();
    assert_eq!(seen, expected);
}

#[test]
fn nans_that_are_seen() {
    check_seen(
        "%x = arith.addf %a, %b : f32\n%c = arith.cmpf ogt, %x, %b : f32",
        &[],
    );
    check_seen(
        "%x = arith.bitcast %a : f32 to i32\n%c = arith.cmpi sgt, %x, %x : i32",
        &[],
    );
    check_seen(
        "%x = arith.addf %a, %b : f32\n%y = arith.subf %a, %b : f32\n%g = arith.cmpf ogt, %x, %y : f32
         %n = arith.negf %x : f32\n%s = arith.select %g, %n, %a : f32\n%i = arith.bitcast %s : f32 to i32
         %c = arith.cmpi sgt, %i, %i : i32",
        &[0],
    );
    check_seen(
        "%x = arith.mulf %a, %b : f32\n%y = math.copysign %a, %x : f32\n%c = arith.cmpf ogt, %y, %b : f32",
        &[0],
    );
}
