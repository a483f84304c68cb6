//! Tests of programs: random graphs as texts, and their folds and outputs.

use expect_test::{Expect, expect};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{FOLDS, Program, ProgramGraph, ProgramInput, ProgramValue};
use crate::comparator::{FloatPredicate, Opcode, ScalarType};
use crate::reduction::Extent;
use crate::{ElementType, Problem};

const INPUTS: [ProgramInput; 4] = {
    const fn input(element: ElementType, extent: Extent) -> ProgramInput {
        ProgramInput { element, extent }
    }
    [
        input(ElementType::F16, Extent::Elements),
        input(ElementType::F32, Extent::Columns),
        input(ElementType::I1, Extent::Rows),
        input(ElementType::I64, Extent::Rows),
    ]
};

/// The same inputs in a problem's text.
const OPERANDS: [&str; 4] = ["", ",f32(1)", ",i1(0)", ",i64(0)"];

/// Returns a random graph, with its values of f32 and f16.
fn random(rng: &mut impl Rng) -> (ProgramGraph, Vec<ProgramValue>) {
    use Opcode::*;
    let mut graph = ProgramGraph::new(&INPUTS);
    let own = graph.input(0);
    let wide = graph.operation(Extf, &[own], ScalarType::F32).unwrap();
    let sum = graph.fold(FOLDS[0].1, wide).unwrap();
    let number = graph.constant(ScalarType::F32.round(3.0), ScalarType::F32);
    let mut values = vec![own, wide, graph.input(1), sum, number];
    let mut truths = vec![graph.input(2), graph.constant(1, ScalarType::I1)];
    let label = graph.input(3);
    let indices = [graph.index(0), graph.index(1)];
    truths.extend(graph.at(truths[0], None));
    let mut quantised = Vec::new();
    let (binary, unary) = (
        [Addf, Subf, Mulf, Divf, Maximumf, Minnumf],
        [Negf, Absf, Sqrt, Exp, Rsqrt, Floor],
    );
    for _ in 0..rng.random_range(1..24) {
        let value = *values.choose(rng).unwrap();
        let scalar = graph.scalar(value);
        let alike: Vec<_> = values
            .iter()
            .copied()
            .filter(|it| graph.scalar(*it) == scalar)
            .collect();
        let other = match rng.random_range(0..4) {
            0 => graph.constant(scalar.round(rng.random_range(-9.0..9.0)), scalar),
            1 => graph.constant(rng.random::<u64>() & scalar.mask(), scalar),
            _ => *alike.choose(rng).unwrap(),
        };
        let made = match rng.random_range(0..8) {
            0..3 => graph.operation(*binary.choose(rng).unwrap(), &[value, other], scalar),
            3 => graph.operation(*unary.choose(rng).unwrap(), &[value], scalar),
            4 => {
                let all = FloatPredicate::ALL;
                let predicate = Cmpf(all.choose(rng).unwrap().0);
                let test = graph.operation(predicate, &[value, other], ScalarType::I1);
                truths.extend(test);
                continue;
            }
            5 if rng.random_range(0..4) == 0 => {
                let index = indices.choose(rng).unwrap();
                graph.operation(Sitofp, &[*index], scalar)
            }
            5 if rng.random() => {
                let position = match rng.random() {
                    true => label,
                    false => graph.constant(rng.random_range(0..8), ScalarType::I32),
                };
                graph.at(value, Some(position))
            }
            5 => graph.operation(
                Select,
                &[*truths.choose(rng).unwrap(), other, value],
                scalar,
            ),
            6 if scalar == ScalarType::F16 => graph.operation(Extf, &[value], ScalarType::F32),
            6 if rng.random() => graph.operation(Truncf, &[value], ScalarType::F16),
            6 => {
                let kinds = [
                    (Fptosi, ScalarType::I8),
                    (Truncf, ScalarType::F8E4M3FN),
                    (Truncf, ScalarType::F8E5M2FNUZ),
                ];
                let &(opcode, kind) = kinds.choose(rng).unwrap();
                let made = graph.operation(opcode, &[value], kind).unwrap();
                quantised.push(made);
                let back = if kind == ScalarType::I8 { Sitofp } else { Extf };
                graph.operation(back, &[made], ScalarType::F32)
            }
            _ => graph.fold(FOLDS.choose(rng).unwrap().1, value),
        };
        values.extend(made);
    }
    let outputs = values.iter().rev().take(rng.random_range(1..4));
    let outputs = outputs.chain(quantised.last()).copied().collect();
    (graph, outputs)
}

/// Checks that a printed program is read back, and that its folds and outputs compute the same.
#[test]
fn programs_are_read_back() {
    let mut rng = Pcg64Mcg::seed_from_u64(46);
    let mut made = 0;
    for _ in 0..2000 {
        let (graph, outputs) = random(&mut rng);
        let (used, indices) = graph.inputs_of(&outputs);
        let indices: Vec<(usize, usize)> = indices.into_iter().map(|it| (it, it)).collect();
        let inputs: Vec<(usize, ProgramInput)> = used.iter().map(|&it| (it, INPUTS[it])).collect();
        let graph = graph.with_inputs(&inputs, &indices);
        let Ok(program) = Program::new(&graph, &outputs) else {
            continue;
        };
        let inputs: Vec<ProgramInput> = inputs.into_iter().map(|it| it.1).collect();
        if inputs.first() != Some(&INPUTS[0]) {
            continue;
        }
        made += 1;
        let text = program.to_string();
        let again = Program::parse(&text, &inputs);
        assert_eq!(again.as_ref(), Ok(&program), "{text}");
        let (elements, folds, outputs) = program.lowered();
        let arguments = (&inputs[..], &program.indices()[..]);
        let lowered = Program::of_definition(arguments, &elements, &folds, &outputs);
        assert_eq!(lowered.as_ref(), Some(&program), "{text}");
        let columns = if program.is_pointwise() { "8" } else { "[8]" };
        let operands = used[1..].iter().map(|it| OPERANDS[*it]);
        let operands = operands.collect::<String>();
        let problem = format!("rows({text}):4x{columns}xf16{operands}");
        let parsed: Problem = problem.parse().unwrap();
        assert_eq!(parsed.to_string(), problem);
    }
    assert!(made > 100, "{made}");
}

#[test]
fn functions_take_their_own_number_of_arguments() {
    for text in [
        "sum(max(x,x,x,x))",
        "sum(select(x2,x,x,x,x))",
        "sum(f32(cmpf.oeq(x,x,x,x)))",
        "sum(exp(x1,x1))",
        "sum(sqrt())",
    ] {
        assert!(Program::parse(text, &INPUTS).is_err(), "{text}");
    }
}

/// Checks the canonical text of a program of f16 elements, an f32 for each column and a label for
/// each row, or the error.
#[track_caller]
fn check_at(text: &str, expected: &Expect) {
    let inputs = [INPUTS[0], INPUTS[1], INPUTS[3]];
    let found = match Program::parse(text, &inputs) {
        Ok(program) => program.to_string(),
        Err(error) => error.message,
    };
    expected.assert_eq(&found);
}

#[test]
fn elements_at_positions() {
    // An expression at a position is that of its inputs there.
    check_at(
        "e=f32(x);sum(e*x1),at(e-max(e),x2)",
        &expect!["e1=f32(x);sum(e1*x1),f32(at(x,at(x2)))-max(e1)"],
    );
    check_at(
        "sum(f32(x)),at(f32(x)*x1,3),at(f32(x2))",
        &expect!["sum(f32(x)),at(x1,3)*f32(at(x,3)),f32(at(x2))"],
    );
    // An input of whole rows has no position.
    check_at(
        "sum(f32(x)),at(x1,at(x2,0)),at(f32(x2),x2)",
        &expect!["r1=at(x2);sum(f32(x)),at(x1,r1),f32(r1)"],
    );
    check_at(
        "sum(f32(x)),at(f32(x))",
        &expect!["this differs between the elements of a row: write at(VALUE,POSITION)"],
    );
    check_at(
        "sum(f32(x)),at(x,x1)",
        &expect!["a position is an i32 or i64, and this is f32"],
    );
    check_at(
        "at(f32(x)*x1,x2)",
        &expect!["at() stands beside a fold of the row"],
    );
    check_at(
        "sum(at(f32(x),x2))",
        &expect!["this is the same for all elements of a row, so it is not folded"],
    );
}

#[test]
fn indices_of_elements() {
    check_at(
        "e=x*f16(index(1));sum(f32(e)*x1),e,at(f32(x2))",
        &expect!["e1=f16(index(1))*x;sum(f32(e1)*x1),e1,f32(at(x2))"],
    );
    check_at(
        "a=index(0);sum(f32(x)*x1*f32(select(index(1)<=a,a,a-index(1)))),at(f32(x2))",
        &expect![
            "sum(f32(x)*x1*f32(select(index(1)<=index(0),index(0),index(0)-index(1)))),f32(at(x2))"
        ],
    );
    check_at(
        "sum(f32(x)*x1),at(f32(index(1)),x2)",
        &expect!["an index belongs to an element: write it inside a fold or beside x"],
    );
    for wrong in ["index(x)", "index(-1)", "index(1.5)", "index(8)"] {
        check_at(
            &format!("sum(f32(x)*f32({wrong}))"),
            &expect!["index takes the number of a dimension, from 0 on"],
        );
    }
    check_at(
        "sum(f32(index(0,1)))",
        &expect!["no program has a function index of 2"],
    );
    let problem = |text: &str| text.parse::<Problem>().map_err(|it| it.message);
    assert!(problem("rows(sum(x*f32(index(1)))):4x[8]xf32").is_ok());
    let error = problem("rows(sum(x*f32(index(2)))):4x[8]xf32").unwrap_err();
    assert_eq!(
        error,
        "there is no dimension 2: dimensions are counted from 0 to 1"
    );
}

/// Checks the limit of inputs, folds and elements at positions, and the regions at the limit.
#[test]
fn a_program_has_sixteen_values_of_a_row() {
    let folds = |count: usize| {
        let folds = (1..=count).map(|number| format!("sum(f32(x)*{number})"));
        Program::parse(&folds.collect::<Vec<_>>().join("+"), &INPUTS[..1])
    };
    let (_, most, outputs) = folds(15).unwrap().lowered();
    assert_eq!((most.len(), outputs.len()), (15, 1));
    let error = folds(16).unwrap_err();
    assert!(error.message.contains("at most 16"), "{error:?}");
}
