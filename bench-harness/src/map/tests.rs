//! Tests with kernels simulated on the host: correct ones pass, and the verdict finds the
//! mistakes of others.

use configgen::comparator::ScalarType;
use configgen::{Function, Problem};

use crate::inputs::Inputs;
use crate::packed_elements::PackedElements;
use crate::verdict::{Outputs, Verdict, compare};

/// A kernel's inputs: the elements of each input, all with the problem's dimensions, and the
/// function.
struct Given {
    inputs: Vec<Vec<u64>>,
    kind: ScalarType,
    function: Option<Function>,
}

impl Given {
    /// Returns the correct element `at`. `places` returns the position to read in each input.
    fn at(&self, places: impl Fn(usize) -> usize) -> u64 {
        let arguments = self.inputs.iter().enumerate();
        let arguments: Vec<u64> = arguments.map(|(input, all)| all[places(input)]).collect();
        match &self.function {
            None => arguments[0],
            Some(function) => function.evaluator().result(&arguments),
        }
    }

    fn len(&self) -> usize {
        self.inputs[0].len()
    }
}

/// A kernel: it returns an element's result, or `None` if it writes nothing.
type Kernel = fn(&Given, usize) -> Option<u64>;

/// Returns the elements of a tensor that `write` writes.
fn tensor(
    kind: ScalarType,
    bytes: u32,
    count: usize,
    write: impl FnOnce(&mut dyn FnMut(u64, &[u8]) -> Result<(), ()>) -> Result<(), ()>,
) -> Vec<u64> {
    let mut all = vec![0u8; count * bytes as usize];
    let mut put = |at: u64, part: &[u8]| {
        all[at as usize..][..part.len()].copy_from_slice(part);
        Ok(())
    };
    write(&mut put).unwrap();
    let packed = PackedElements::new(&all, bytes);
    (0..count)
        .map(|at| packed.get(at).unwrap() & kind.mask())
        .collect()
}

/// Returns the first verdict that is not correct, or that of all launches.
fn evaluate(problem: &Problem, kernel: Kernel) -> Verdict {
    let inputs = Inputs::new(problem, 7).unwrap();
    let count = problem.shape.elements() as usize;
    assert_eq!(inputs.rows().len(), count);
    let result = problem.reduced_type();
    for (number, launch) in inputs.launches().iter().enumerate() {
        let own = tensor(
            problem.element.into(),
            problem.element.bytes(),
            count,
            |put| inputs.write_elements(launch, put),
        );
        let set = inputs.set_of(number);
        let operands = problem.function.iter().flat_map(|it| it.operands());
        let operands = operands.enumerate().map(|(operand, it)| {
            tensor(it.element.into(), it.element.bytes(), count, |put| {
                inputs.write_operand(set, operand, put)
            })
        });
        let given = Given {
            inputs: std::iter::once(own).chain(operands).collect(),
            kind: result.into(),
            function: problem.function.clone(),
        };
        let size = result.bytes() as usize;
        let mut results = vec![0xfe; count * size];
        for at in 0..count {
            if let Some(bits) = kernel(&given, at) {
                results[at * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        let outputs = Outputs(vec![results.into()]);
        let all = 0..count as u64;
        match compare(&inputs, launch, &outputs, std::slice::from_ref(&all)) {
            Verdict::Right(_) => {}
            wrong => return wrong,
        }
    }
    Verdict::Right(0.0)
}

const PROBLEMS: [&str; 8] = [
    "copy:7x33xf32",
    "copy:7x33xbf16",
    "copy:231xi8",
    "copy:3x7x11xf8E4M3FN",
    "map(arith.addf(0,1)):7x33xf32,f32",
    "map(3=arith.mulf(0,1);arith.addf(2,3)):7x33xf16,f16,f16",
    "map(2=arith.extf(0,f32);arith.subf(2,1)):231xbf16,f32",
    "map(arith.muli(0,1)):7x33xi32,i32",
];

/// A mistake: its name, the problems that it affects, and the kernel that makes it.
type Mistake = (&'static str, fn(&Given) -> bool, Kernel);

const MISTAKES: [Mistake; 10] = [
    (
        "one element left out",
        |_| true,
        |it, at| (at != 100).then(|| it.at(|_| at)),
    ),
    (
        "the tail left out",
        |_| true,
        |it, at| (at < it.len() / 8 * 8).then(|| it.at(|_| at)),
    ),
    (
        "a lane left out",
        |_| true,
        |it, at| (at % 64 != 17).then(|| it.at(|_| at)),
    ),
    (
        "the next element",
        |_| true,
        |it, at| Some(it.at(|_| (at + 1) % it.len())),
    ),
    (
        "neighbours exchanged",
        |_| true,
        |it, at| Some(it.at(|_| (at ^ 1).min(it.len() - 1))),
    ),
    (
        "a vector backwards",
        |_| true,
        |it, at| Some(it.at(|_| (at ^ 3).min(it.len() - 1))),
    ),
    (
        "one element of the next",
        |_| true,
        |it, at| Some(it.at(|_| if at == 77 { 78 } else { at })),
    ),
    (
        "an operand's next element",
        |it| it.inputs.len() > 1,
        |it, at| Some(it.at(|input| if input == 1 { (at + 1) % it.len() } else { at })),
    ),
    (
        "inputs exchanged",
        |it| it.inputs.len() > 2,
        |it, at| {
            let exchanged = Given {
                inputs: vec![
                    it.inputs[2].clone(),
                    it.inputs[1].clone(),
                    it.inputs[0].clone(),
                ],
                kind: it.kind,
                function: it.function.clone(),
            };
            Some(exchanged.at(|_| at))
        },
    ),
    (
        "the sign of a zero lost",
        |it| it.kind.is_float() && it.inputs.len() == 1 && it.kind.has_negative_zero(),
        |it, at| {
            let right = it.at(|_| at);
            Some(if right == it.kind.sign_bit() {
                0
            } else {
                right
            })
        },
    ),
];

#[test]
fn right_maps_are_accepted() {
    for text in PROBLEMS {
        let problem = text.parse().unwrap();
        let verdict = evaluate(&problem, |it, at| Some(it.at(|_| at)));
        assert!(matches!(verdict, Verdict::Right(0.0)), "{text}: {verdict}");
    }
}

/// Checks that any computed NaN is correct, but only the exact bits of a copied one.
#[test]
fn copies_keep_the_bits_of_a_nan() {
    let canonical: Kernel = |it, at| {
        let right = it.at(|_| at);
        let is_nan = it.kind.is_nan(right);
        Some(if is_nan {
            it.kind.canonical_nan() | it.kind.sign_bit()
        } else {
            right
        })
    };
    let verdict = |text: &str| evaluate(&text.parse().unwrap(), canonical);
    assert!(matches!(verdict("copy:7x33xf32"), Verdict::Wrong(_)));
    assert!(matches!(
        verdict("map(arith.addf(0,1)):7x33xf32,f32"),
        Verdict::Right(_)
    ));
}

#[test]
fn each_mistake_is_found_on_every_problem() {
    let mut found = 0;
    for (name, matters, kernel) in MISTAKES {
        for text in PROBLEMS {
            let problem: Problem = text.parse().unwrap();
            let operands = problem.function.iter().flat_map(|it| it.operands()).count();
            let like = Given {
                inputs: vec![Vec::new(); 1 + operands],
                kind: problem.reduced_type().into(),
                function: problem.function.clone(),
            };
            if !matters(&like) {
                continue;
            }
            let verdict = evaluate(&problem, kernel);
            assert!(
                matches!(verdict, Verdict::Wrong(_)),
                "{name} of {text}: {verdict}"
            );
            found += 1;
        }
    }
    assert!(found > 60, "{found}");
}
