//! Kernels with planted defects, which the verifier finds, and the text of a correct one.

use configgen::comparator::{FloatPredicate, IntegerPredicate};
use expect_test::expect;

use super::verify::VerifierError;
use super::*;

/// Builds a kernel with `build`; it has LDS for partials.
fn kernel(build: impl FnOnce(&mut Builder)) -> IrKernel {
    let mut ir = Builder::new();
    build(&mut ir);
    let (body, names) = ir.finish();
    IrKernel {
        parameters: vec![Value::buffer(Parameter::Input)],
        lds: vec![(Lds::Partials, 64)],
        threads: 128,
        lanes: 64,
        is_row: true,
        ignores_signals: false,
        preloads_arguments: false,
        features: "",
        body,
        names,
    }
}

fn thread(ir: &mut Builder) -> Value {
    ir.value(Type::I32, IrOperation::Id(Id::Thread))
}

/// Computes as `i1` whether this is the first thread.
fn is_first(ir: &mut Builder) -> Value {
    let thread = thread(ir);
    ir.compare(IntegerPredicate::Eq, thread, Value::i32(0))
}

#[track_caller]
fn check(expected: Result<(), VerifierError>, build: impl FnOnce(&mut Builder)) {
    let found = verify(&kernel(build));
    match (&found, &expected) {
        // The messages name the operation, and may differ.
        (Err(VerifierError::Type(_)), Err(VerifierError::Type(_))) => {}
        (Err(VerifierError::Undefined(_)), Err(VerifierError::Undefined(_))) => {}
        _ => assert_eq!(found, expected),
    }
}

fn mistyped() -> Result<(), VerifierError> {
    Err(VerifierError::Type(String::new()))
}

fn undefined() -> Result<(), VerifierError> {
    Err(VerifierError::Undefined(String::new()))
}

#[test]
fn products_are_known_by_their_definition() {
    let check = |expected: bool, build: fn(&mut Builder, Value, Value) -> Value| {
        let mut ir = Builder::new();
        let thread = thread(&mut ir);
        let number = ir.convert(Conversion::FromUnsigned, thread, Type::F32);
        let product = ir.binary(Binary::MulFloat, number, number);
        let value = build(&mut ir, number, product);
        assert_eq!(ir.is_product(&value), expected);
    };
    check(true, |_, _, product| product);
    check(true, |ir, _, product| ir.unary(Unary::Negate, product));
    check(true, |ir, _, product| {
        let magnitude = ir.unary(Unary::AbsFloat, product);
        ir.unary(Unary::Negate, magnitude)
    });
    check(false, |_, number, _| number);
    check(false, |ir, number, _| ir.unary(Unary::Negate, number));
    check(false, |ir, number, product| {
        ir.binary(Binary::AddFloat, product, number)
    });
    check(false, |_, _, _| Value::bits(Type::F32, 0));
}

#[test]
fn operands_have_the_types_that_are_taken() {
    let one = Value::bits(Type::F32, 0x3f80_0000);
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.binary(Binary::Add, thread, Value::i64(1));
    });
    check(mistyped(), |ir| {
        ir.binary(Binary::Add, one, one);
    });
    check(mistyped(), |ir| {
        ir.compare(IntegerPredicate::Ult, one, one);
    });
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.compare(FloatPredicate::Olt, thread, thread);
    });
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.select(thread, one, one);
    });
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.convert(Conversion::Truncate, thread, Type::I64);
    });
    // A mask has a bit a lane.
    check(mistyped(), |ir| {
        let first = is_first(ir);
        ir.value(Type::I32, IrOperation::Ballot(first));
    });
}

#[test]
fn addresses_are_of_their_space() {
    let (input, lds) = (Value::buffer(Parameter::Input), Value::lds(Lds::Partials));
    check(Ok(()), |ir| {
        let thread = thread(ir);
        let word = ir.value(
            Type::Pointer(AddressSpace::Lds),
            IrOperation::Offset(lds, thread, 4),
        );
        ir.store(thread, word, 4);
    });
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.value(Type::GLOBAL, IrOperation::Offset(lds, thread, 4));
    });
    check(mistyped(), |ir| {
        let thread = thread(ir);
        ir.offset(input, thread);
    });
    // Counters are in the memory of the device.
    check(mistyped(), |ir| {
        ir.value(Type::I32, IrOperation::AtomicAdd(lds, Value::i32(1), None));
    });
    check(mistyped(), |ir| {
        ir.value(Type::I32, IrOperation::AtomicLoad(lds));
    });
    check(Err(VerifierError::Foreign("workspace")), |ir| {
        ir.load(Type::I32, Value::buffer(Parameter::Workspace), 4);
    });
    check(Err(VerifierError::Foreign("arrived")), |ir| {
        ir.load(Type::I32, Value::lds(Lds::Arrived), 4);
    });
}

#[test]
fn values_are_used_in_their_scope() {
    // An operation behind a block uses a value of the block.
    check(undefined(), |ir| {
        let first = is_first(ir);
        let mut inner = None;
        ir.guarded(&[first], |ir| inner = Some(thread(ir)));
        ir.add(inner.unwrap(), Value::i32(1));
    });
    // A value of a loop is used before the loop.
    let turned = kernel(|ir| {
        ir.repeat_while(vec![Value::i32(0)], |ir, carried| {
            let next = ir.add(carried[0], Value::i32(1));
            let again = ir.compare(IntegerPredicate::Ult, next, Value::i32(9));
            (again, vec![next])
        });
    });
    assert_eq!(verify(&turned), Ok(()));
    let mut early = turned.clone();
    let IrOperation::Loop(turns) = &mut early.body.statements[0].operation else {
        panic!("a loop");
    };
    turns.initial = turns.head.yields.clone();
    assert!(matches!(verify(&early), Err(VerifierError::Undefined(_))));
    // Twice.
    let mut twice = turned;
    twice.body.statements.push(twice.body.statements[0].clone());
    assert!(matches!(verify(&twice), Err(VerifierError::Undefined(_))));
}

#[test]
fn blocks_yield_the_results_of_their_statement() {
    check(Err(VerifierError::Yields), |ir| {
        let first = is_first(ir);
        ir.guarded_value(&[first], Value::i64(0), thread);
    });
    check(Err(VerifierError::Yields), |ir| {
        ir.repeat_while(vec![Value::i32(0)], |_, _| {
            (Value::truth(false), vec![Value::i64(0)])
        });
    });
}

#[test]
fn all_threads_reach_a_barrier() {
    let barrier = |ir: &mut Builder| ir.act(IrOperation::Barrier);
    let divergent = || Err(VerifierError::Divergent);
    check(Ok(()), barrier);
    check(Ok(()), |ir| {
        let group = ir.value(Type::I32, IrOperation::Id(Id::WorkgroupX));
        let first = ir.compare(IntegerPredicate::Eq, group, Value::i32(0));
        ir.guarded(&[first], barrier);
    });
    check(divergent(), |ir| {
        let first = is_first(ir);
        ir.guarded(&[first], barrier);
    });
    // The lanes of a subgroup agree, the subgroups do not.
    check(divergent(), |ir| {
        let first = is_first(ir);
        let lanes = ir.value(Type::I64, IrOperation::Ballot(first));
        let some = ir.compare(IntegerPredicate::Ne, lanes, Value::i64(0));
        ir.guarded(&[some], barrier);
    });
    // Threads that have left reach nothing.
    check(divergent(), |ir| {
        let first = is_first(ir);
        ir.act(IrOperation::ContinueIf(first));
        ir.act(IrOperation::Barrier);
    });
    // As many turns as the number of the thread says.
    check(divergent(), |ir| {
        let thread = thread(ir);
        ir.repeat_while(vec![Value::i32(0)], |ir, carried| {
            ir.act(IrOperation::Barrier);
            let next = ir.add(carried[0], Value::i32(1));
            (ir.compare(IntegerPredicate::Ult, next, thread), vec![next])
        });
    });
    // Uniform in the first turn only.
    check(divergent(), |ir| {
        let thread = thread(ir);
        ir.repeat_while(vec![Value::i32(0)], |ir, carried| {
            let start = ir.compare(IntegerPredicate::Eq, carried[0], Value::i32(0));
            ir.guarded(&[start], |ir| ir.act(IrOperation::Barrier));
            (Value::truth(false), vec![thread])
        });
    });
}

#[test]
fn text() {
    let kernel = kernel(|ir| {
        ir.comment("The best of four, in the first thread.");
        let thread = thread(ir);
        ir.named(thread, "thread");
        let input = Value::buffer(Parameter::Input);
        let first = ir.load(Type::F32, input, 4);
        let best = ir.repeat_while(vec![Value::i32(1), first], |ir, carried| {
            let (count, best) = (ir.named(carried[0], "count"), carried[1]);
            let bytes = ir.resized(count, Type::I64);
            let bytes = ir.mul(bytes, 4);
            let place = ir.offset(input, bytes);
            let element = ir.load(Type::F32, place, 4);
            let better = ir.compare(FloatPredicate::Ogt, element, best);
            let best = ir.select(better, element, best);
            let next = ir.add(count, Value::i32(1));
            let more = ir.compare(IntegerPredicate::Ult, next, Value::i32(4));
            (more, vec![next, best])
        });
        let is_first = ir.compare(IntegerPredicate::Eq, thread, Value::i32(0));
        ir.guarded(&[is_first], |ir| {
            ir.store(best[1], Value::lds(Lds::Partials), 4);
        });
        ir.act(IrOperation::Fence(
            FenceScope::Workgroup,
            FenceOrder::Release,
        ));
        ir.act(IrOperation::Barrier);
    });
    assert_eq!(verify(&kernel), Ok(()));
    expect![[r#"
        ops 128 threads of 64 lanes
          parameter input: global
          lds partials: 64 bytes
          # The best of four, in the first thread.
          thread: i32 = thread_id
          v1: f32 = load input align 4
          loop count: i32 = 1, v2: f32 = v1
            v3: i64 = zero_extend count
            v4: i64 = shift_left v3, 2
            v5: global = offset input, v4
            v6: f32 = load v5 align 4
            v7: i1 = compare ogt v6, v2
            v8: f32 = select v7, v6, v2
            v9: i32 = add count, 1
            v10: i1 = compare ult v9, 4
            yield v9, v8
          while v10
          v11: i32, v12: f32 = end
          v13: i1 = compare eq thread, 0
          if v13
            store v12, partials align 4
          end
          fence workgroup release
          barrier
    "#]]
    .assert_eq(&kernel.to_string());
}

#[test]
fn cached_values_are_used_in_their_scope() {
    check(Ok(()), |ir| {
        let number = thread(ir);
        let apart = [ir.add(number, number), ir.add(number, number)];
        assert_ne!(apart[0], apart[1]);
        ir.remembering(|ir| {
            let is_first = is_first(ir);
            let (mut inside, mut opaque) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                ir.guarded(&[is_first], |ir| {
                    inside.push(ir.add(number, Value::i32(7)));
                    inside.push(ir.add(number, Value::i32(7)));
                });
                opaque.push(ir.unary(Unary::Opaque, number));
            }
            assert_eq!([inside[0], inside[2]], [inside[1], inside[3]]);
            // The second block does not see the first.
            assert_ne!(inside[0], inside[2]);
            assert_ne!(opaque[0], opaque[1]);
            let around = ir.add(number, Value::i32(7));
            assert!(!inside.contains(&around));
            ir.guarded(&[is_first], |ir| {
                assert_eq!(ir.add(number, Value::i32(7)), around);
                assert_ne!(ir.mul(number, 7), around);
            });
        });
        assert_ne!(ir.add(number, number), ir.add(number, number));
    });
}
