//! Tests of kernels with a function of several inputs, simulated on the host: correct ones pass,
//! and the verdict finds the mistakes of others.

use configgen::comparator::{ScalarType, Value};
use configgen::reduction::Scalar;
use configgen::view::DimensionView;
use configgen::{ElementType, Problem, View};

use super::tensors::Tensors;
use super::{image, places};
use crate::inputs::Inputs;
use crate::verdict::{Outputs, Verdict, compare};

/// The problems. They have products with operands of every kind of map, sums of squares, narrow
/// and mixed types, more than two inputs, integers, and reductions other than sums. Rows are few
/// or many, and reduced dimensions come first or apart. Views are slices, pads, reversals,
/// gathers and concatenations.
const PROBLEMS: [&str; 33] = [
    "dot:4x[150]xf32,f32(1)",
    "dot:300x[40]xf16,f16",
    "dot:4x[150]xbf16,f32(1):f64",
    "dot:4x[150]xi8,i8(1)",
    "dot:[60]x30xf32,f32(1,0)",
    "udot:4x[150]xi8,i1(1)",
    "dot:5x[150]xi1,i16(1)",
    "dot:3x[20]x5x[7]xf32,f32(3)",
    "dot:3x[20]x5x[7]xf16,bf16(3,0)",
    "square_sum:40x[150]xbf16",
    "abs_max:4x[150]xf16",
    "sum(arith.extf(0,f32)):4x[150]xf8E4M3FNUZ",
    "dot:8x[100]xf8E5M2,f8E4M3FN(1)",
    "sum(3=arith.mulf(0,1);arith.addf(3,2)):6x[90]xf32,f32(1),f32(0)",
    "umax(arith.xori(0,1)):6x[90]xi16,i16(1)",
    "sum(2=arith.subf(0,1);arith.mulf(2,2)):20x[70]xf32,f32(0):initial=1",
    "argmax(3=arith.mulf(0,1);arith.addf(3,2)):8x[150]xf32,f32(),f32",
    "argmax(2=arith.extf(0,f32);arith.addf(2,1)):4x[150]xf16,f32(1):i64:index_base",
    "argmin_nan(arith.mulf(0,1)):[60]x20xf32,f32(1,0):i32:explicit_index",
    "argmax(arith.xori(0,1)):6x[90]xi16,i16(1):i64:initial",
    "sum:6x[90]xf32(0,1-3:80)",
    "sum:6x[90]xbf16(0-1:4,1-3:80=1)",
    "dot:6x[90]xf32,f32(-1+89)",
    "argmax:6x[90]xf32(0,-1+89)",
    "dot:6x[90]xf16(1+4:100,0+2:10),f32(1-5:80=2)",
    "sum(3=arith.muli(0,1);arith.muli(3,2)):6x[90]xi32(1),i32(0,1-7:80=9),i32(-1+100:102,0)",
    "argmax(arith.addf(0,1)):8x[150]xf32,f32(1,-0+7):i64:index_base",
    "sum:[40]x9x[10]xf32(1,-0+42:45,2-1:8=-3)",
    "sum:20x[10]x12xf32(@1:50,2),i32(0,1)",
    "sum(3=arith.extf(0,f32);arith.mulf(1,3)):6x[90]xf16,f32(@2-3:30=2),i16(1)",
    "sum(arith.addf(1,1)):6x[90]xi64,f32(@0:40)",
    "sum(3=arith.constant(i32,1e);4=arith.cmpi(ult,2,3);arith.select(4,0,1)):6x[90]xf32(0,1:30),f32(0,1-30:60),index(1)",
    "argmax(arith.xori(0,1)):9x[80]xi32,i32(-@2+20:21),i8(1,0)",
];

/// A mistake of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// It reads an operand's element of the next column.
    OperandOfNextColumn,
    /// It reads an operand's element of the next row.
    OperandOfNextRow,
    /// It reads an operand as if its dimensions were in the problem's order.
    OperandNotTransposed,
    /// It uses 1 for the last operand.
    OperandLeftOut,
    /// It reads the operands of the first launch in every launch.
    OperandsOfFirstLaunch,
    /// It reduces the elements without the function.
    FunctionLeftOut,
    /// It skips the elements of one lane of sixteen.
    LaneLeftOut,
    /// It reads the last element twice.
    TailTwice,
    /// It reduces the function's result in the type of the elements.
    RoundsToElement,
    /// It reads the next coordinate along a dimension of the first view.
    NextPlace,
    /// It reads the tensor's first element for positions outside of it.
    OutsideForgotten,
    /// It reads a reversed dimension from the other end.
    NotReversed,
    /// It reads the index of another position.
    WrongIndex,
    /// It reads the tensor's nearest element for an invalid index.
    ClampsIndex,
    /// It counts coordinates from 1.
    NextIndex,
}

impl Mistake {
    const ALL: [Mistake; 15] = [
        Self::OperandOfNextColumn,
        Self::OperandOfNextRow,
        Self::OperandNotTransposed,
        Self::OperandLeftOut,
        Self::OperandsOfFirstLaunch,
        Self::FunctionLeftOut,
        Self::LaneLeftOut,
        Self::TailTwice,
        Self::RoundsToElement,
        Self::NextPlace,
        Self::OutsideForgotten,
        Self::NotReversed,
        Self::WrongIndex,
        Self::ClampsIndex,
        Self::NextIndex,
    ];

    /// Returns true if the mistake changes the result of this problem.
    fn matters(self, problem: &Problem) -> bool {
        let shape = &problem.shape;
        let function = problem.function.as_ref().unwrap();
        // An input may be used by its elements, or only as indices.
        let is_used = |number: u32| {
            let mut operations = function.region().operations().iter();
            operations.any(|it| it.operands.contains(&Value(number)))
        };
        let operands = || {
            let numbered = function.operands().iter().zip(1..);
            numbered
                .filter(|(_, number)| is_used(*number))
                .map(|(it, _)| it)
        };
        let held = || {
            let views = problem.view().into_iter();
            let views = views.chain(function.operands().iter().filter_map(|it| it.view.as_ref()));
            views.flat_map(|it| it.gather_inputs())
        };
        let mut views = problem
            .view()
            .into_iter()
            .chain(operands().filter_map(|it| it.view.as_ref()));
        let has = |reduced: bool| {
            operands().any(|it| it.map.dimensions().any(|d| shape.is_reduced(d) == reduced))
        };
        match self {
            Self::None => false,
            Self::OperandOfNextColumn => has(true),
            Self::OperandOfNextRow => has(false),
            Self::OperandNotTransposed => {
                operands().any(|it| it.view.is_none() && !it.map.dimensions().is_sorted())
            }
            Self::OperandLeftOut => {
                let last = function.operands().len() as u32;
                last > 0 && is_used(last)
            }
            Self::OperandsOfFirstLaunch => operands().any(|it| !it.is_place),
            Self::WrongIndex => held().any(|it| it > 0),
            Self::ClampsIndex => held().next().is_some(),
            Self::NextIndex => operands().any(|it| it.is_place),
            // An extension leaves the element unchanged.
            Self::FunctionLeftOut if function.is_view() => false,
            Self::NextPlace => views.next().is_some(),
            // In a concatenation, no element lies outside of both tensors.
            Self::OutsideForgotten => {
                let leaves = |view: &View| view.along().iter().any(|it| it.leaves(shape));
                !operands().any(|it| it.is_place) && views.any(leaves)
            }
            // The sum of a row is the same from its other end.
            Self::NotReversed => {
                let is_alone = function.is_view() && problem.reduction.pairwise().is_some();
                !is_alone && views.any(|view| view.along().iter().any(|it| it.is_reversed))
            }
            Self::FunctionLeftOut => !function.compact().starts_with("arith.extf(0"),
            Self::LaneLeftOut => true,
            Self::TailTwice => {
                let fold = problem.reduction.pairwise();
                // The last element may be 0.
                let leaves = |it: &DimensionView| {
                    it.dimension().is_none_or(|d| shape.is_reduced(d)) && it.leaves(shape)
                };
                !views.any(|view| view.along().iter().any(leaves))
                    && fold.is_some_and(|it| !it.combining().is_idempotent())
            }
            Self::RoundsToElement => {
                let narrow = problem.element.bits() <= 16 && problem.element.is_float();
                narrow
                    && function.result() != problem.element
                    && !function.compact().starts_with("arith.extf(0")
            }
        }
    }
}

/// Checks that a large tensor is held in part, and that a kernel which gathers from it is verified
/// as from a small one.
#[test]
fn large_tensors_are_held_in_part() {
    for text in [
        "sum:6x[9]x8xf32(@1:600000,2),i32(0,1)",
        "sum(3=arith.extf(0,f32);arith.mulf(1,3)):6x[9]xf16,f32(@2-3:600000,1:8),i32(1)",
        "argmax(arith.xori(0,1)):9x[8]xi32,i32(-@2+20:600000,1),i16(1,0)",
    ] {
        let inputs = Inputs::new(&text.parse().unwrap(), 1).unwrap();
        assert!(inputs.bytes() < 4 << 20, "{text}: {}", inputs.bytes());
        let right = evaluate(&inputs, Mistake::None);
        assert!(matches!(right, Verdict::Right(_)), "{text}: {right}");
        for mistake in [
            Mistake::WrongIndex,
            Mistake::ClampsIndex,
            Mistake::LaneLeftOut,
        ] {
            let wrong = evaluate(&inputs, mistake);
            assert!(
                matches!(wrong, Verdict::Wrong(_)),
                "{text} {mistake:?}: {wrong}"
            );
        }
    }
}

/// Returns the first verdict that is not correct, or that of all launches, for a kernel with this
/// mistake.
fn evaluate(inputs: &Inputs, mistake: Mistake) -> Verdict {
    let problem = inputs.problem();
    let (shape, function) = (&problem.shape, problem.function.as_ref().unwrap());
    let mut evaluator = function.evaluator();
    let mut worst = Verdict::Right(0.0);
    let length = shape.reduced_size();
    for (number, launch) in inputs.launches().iter().enumerate() {
        let set = match mistake {
            Mistake::OperandsOfFirstLaunch => 0,
            _ => inputs.set_of(number),
        };
        let tensors = Tensors::new(inputs, launch, set, mistake);
        let count = problem.read_operands().len();
        let explicit = problem
            .operands()
            .get(count)
            .map(|input| image(inputs, set, count, input.scalar, shape.elements()));
        let mut results = vec![Vec::new(); problem.results().len()];
        for row in inputs.checked(launch) {
            let mut values = Vec::new();
            for column in 0..length {
                let at = places(problem, row.number, column);
                let (next_row, next_column) =
                    ((row.number + 1) % shape.rows(), (column + 1) % length);
                let operand_at = match mistake {
                    Mistake::OperandOfNextColumn => places(problem, row.number, next_column),
                    Mistake::OperandOfNextRow => places(problem, next_row, column),
                    _ => at.clone(),
                };
                let index_at = match mistake {
                    Mistake::WrongIndex => places(problem, next_row, next_column),
                    _ => at.clone(),
                };
                let mask = ScalarType::from(problem.element).mask();
                let element = row.elements.get(column as usize).unwrap() & mask;
                let mut arguments: Vec<u64> = (0..=function.operands().len())
                    .map(|input| {
                        let at = if input == 0 { &at } else { &operand_at };
                        tensors.element(input, element, at, &index_at)
                    })
                    .collect();
                if mistake == Mistake::None {
                    assert_eq!(arguments[0], element);
                }
                if let (Mistake::OperandLeftOut, Some(operand)) =
                    (mistake, function.operands().last())
                {
                    let kind = ScalarType::from(operand.element);
                    let one = if kind.is_float() { kind.round(1.0) } else { 1 };
                    *arguments.last_mut().unwrap() = one;
                }
                let mut computed = match mistake {
                    Mistake::FunctionLeftOut => converted(problem, arguments[0]),
                    _ => evaluator.result(&arguments),
                };
                if mistake == Mistake::RoundsToElement {
                    let [kind, narrow] = [function.result(), problem.element].map(ScalarType::from);
                    computed = kind.round(narrow.to_f64(narrow.round(kind.to_f64(computed))));
                }
                values.push(computed);
            }
            let last = values.len() - 1;
            let mut taken: Vec<usize> = (0..values.len()).collect();
            match mistake {
                Mistake::LaneLeftOut => taken.retain(|place| place % 16 != 7),
                Mistake::TailTwice => taken.push(last),
                _ => {}
            }
            let indices = Indices {
                base: launch.index_base,
                explicit: explicit.as_deref(),
            };
            let initial = launch.reference.initial(row.place);
            let found = reduced(problem, &values, &taken, &initial, |column| {
                indices.of(problem, row.number, column)
            });
            for (bytes, (bits, tensor)) in results
                .iter_mut()
                .zip(found.into_iter().zip(problem.results()))
            {
                bytes.extend_from_slice(&bits.to_le_bytes()[..tensor.scalar.bytes() as usize]);
            }
        }
        let outputs = Outputs(results.into_iter().map(Into::into).collect());
        let all = 0..inputs.rows().len() as u64;
        worst = match compare(inputs, launch, &outputs, std::slice::from_ref(&all)) {
            Verdict::Right(error) => worst.of_both(Verdict::Right(error)),
            wrong => return wrong,
        };
    }
    worst
}

/// The indices of the elements.
struct Indices<'a> {
    base: i64,
    explicit: Option<&'a [u64]>,
}

impl Indices<'_> {
    /// Returns the index of a row's element.
    fn of(&self, problem: &Problem, row: u64, column: usize) -> u64 {
        let Some(explicit) = self.explicit else {
            return (self.base + column as i64) as u64;
        };
        let places = places(problem, row, column as u64);
        let sizes = problem.shape.sizes().iter();
        let place = sizes
            .zip(places)
            .fold(0, |all, (&size, place)| all * u64::from(size) + place);
        explicit[place as usize]
    }
}

/// Returns the bits of a row's results. `taken` are the positions that the kernel reduces.
fn reduced(
    problem: &Problem,
    values: &[u64],
    taken: &[usize],
    initial: &[u64],
    index: impl Fn(usize) -> u64,
) -> Vec<u64> {
    if let Some(fold) = problem.reduction.pairwise() {
        let values = taken.iter().map(|&place| fold.widened(values[place]));
        return vec![values.fold(fold.initial(), |acc, value| fold.combine(acc, value))];
    }
    let arg_compare = problem.reduction.comparison().unwrap();
    let mut compare = arg_compare.comparator.evaluator();
    let mut best = initial.to_vec();
    for &place in taken {
        if compare.compare(values[place], best[0]) {
            best = vec![values[place], index(place)];
        }
    }
    best
}

/// Converts an element to the type of the function's result.
fn converted(problem: &Problem, bits: u64) -> u64 {
    let [from, to] = [problem.element, problem.reduced_type()].map(ScalarType::from);
    match from.is_float() {
        true => to.round(from.to_f64(bits)),
        false => from.signed(bits) as u64 & to.mask(),
    }
}

#[test]
fn computed_inputs_are_right() {
    for text in PROBLEMS {
        let inputs = Inputs::new(&text.parse().unwrap(), 1).unwrap();
        let verdict = evaluate(&inputs, Mistake::None);
        assert!(matches!(verdict, Verdict::Right(_)), "{text}: {verdict:?}");
    }
}

#[test]
fn the_last_launch_has_nans() {
    let inputs = Inputs::new(&"dot:40x[9000]xf32,f32(1)".parse().unwrap(), 1).unwrap();
    let last = inputs.launches().len() - 1;
    assert_eq!((inputs.set_of(last - 1), inputs.set_of(last)), (0, 1));
    let [tame, wild] =
        [0, 1].map(|set| image(&inputs, set, 0, Scalar::Element(ElementType::F32), 9000));
    let numbers =
        |bits: &[u64]| -> Vec<f64> { bits.iter().map(|it| ScalarType::F32.to_f64(*it)).collect() };
    let (tame, wild) = (numbers(&tame), numbers(&wild));
    assert!(
        tame.iter()
            .all(|it| it.fract() == 0.0 && *it != 0.0 && it.abs() <= 3.0)
    );
    for what in [f64::is_nan, f64::is_infinite, f64::is_sign_negative] {
        assert!(wild.iter().any(|it| what(*it)));
    }
    assert!(wild.contains(&0.0));
    assert!(
        wild.iter()
            .any(|it| *it != 0.0 && it.abs() < f64::from(f32::MIN_POSITIVE))
    );
}

#[test]
fn mistakes_with_operands_are_found() {
    let mut found = 0;
    for text in PROBLEMS {
        let problem: Problem = text.parse().unwrap();
        for seed in 1..4 {
            let inputs = Inputs::new(&problem, seed).unwrap();
            for mistake in Mistake::ALL.into_iter().filter(|it| it.matters(&problem)) {
                let verdict = evaluate(&inputs, mistake);
                assert!(
                    !matches!(verdict, Verdict::Right(_)),
                    "{text}, seed {seed}: {mistake:?}: {verdict:?}"
                );
                found += 1;
            }
        }
    }
    assert!(found > 200, "{found}");
}
