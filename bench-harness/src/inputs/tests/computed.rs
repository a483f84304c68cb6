//! Kernels of what is computed of several inputs, simulated on the host: those that are right are, and what others do wrong is
//! found.

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;
use configgen::view::Along;
use configgen::{ElementType, Problem, Shape, View};

use super::{image, places, tensor};
use crate::inputs::Inputs;
use crate::verdict::{Outputs, Verdict, compare};

/// Products with operands of every kind of map, sums of squares, of narrow and of mixed types, of more inputs than two, of
/// integers and of what is no sum; rows that are few and many, and dimensions that are reduced first or apart; slices, pads and
/// reversals.
const PROBLEMS: [&str; 28] = [
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
];

/// What a kernel does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    None,
    /// Takes an operand's element of the next column.
    OperandOfNextColumn,
    /// Takes an operand's element of the next row.
    OperandOfNextRow,
    /// Reads an operand as if it had its dimensions in the problem's order.
    OperandNotTransposed,
    /// Takes 1 for the last operand.
    OperandLeftOut,
    /// Takes the operands of the first launch in every launch.
    OperandsOfFirstLaunch,
    /// Reduces the elements and computes nothing.
    FunctionLeftOut,
    /// Leaves out the elements of a lane of sixteen.
    LaneLeftOut,
    /// Takes the last element twice.
    TailTwice,
    /// Reduces the result of the function in the type of the elements.
    RoundsToElement,
    /// Takes the next place along a dimension of the first tensor that is seen through a view.
    NextPlace,
    /// Takes the tensor's first element for what is outside of it.
    OutsideForgotten,
    /// Takes places along a reversed dimension from the other end.
    NotReversed,
}

impl Mistake {
    const ALL: [Mistake; 12] = [
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
    ];

    /// Whether it makes another result of this problem.
    fn matters(self, problem: &Problem) -> bool {
        let shape = &problem.shape;
        let function = problem.function.as_ref().unwrap();
        let operands = || function.operands().iter();
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
            Self::OperandLeftOut | Self::OperandsOfFirstLaunch => operands().next().is_some(),
            // What is only extended is what it was.
            Self::FunctionLeftOut if function.is_view() => false,
            Self::NextPlace => views.next().is_some(),
            Self::OutsideForgotten => {
                views.any(|view| view.along().iter().any(|it| it.leaves(shape)))
            }
            // The sum of a row is the same from its other end.
            Self::NotReversed => {
                let is_alone = function.is_view() && problem.reduction.fold().is_some();
                !is_alone && views.any(|view| view.along().iter().any(|it| it.is_reversed))
            }
            Self::FunctionLeftOut => !function.compact().starts_with("arith.extf(0"),
            Self::LaneLeftOut => true,
            Self::TailTwice => {
                let fold = problem.reduction.fold();
                // The last element may be one that is 0.
                let leaves = |it: &Along| shape.is_reduced(it.dimension) && it.leaves(shape);
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

/// The first verdict that is not right, or that of all launches, of a kernel that makes this mistake.
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
        let operands: Vec<Vec<u64>> = (function.operands().iter().enumerate())
            .map(|(operand, it)| {
                image(
                    inputs,
                    set,
                    operand,
                    Scalar::Element(it.element),
                    it.elements(shape),
                )
            })
            .collect();
        let own = problem.view().map(|view| (view, tensor(inputs, launch)));
        let explicit = problem
            .operands()
            .get(operands.len())
            .map(|input| image(inputs, set, operands.len(), input.scalar, shape.elements()));
        let mut results = vec![Vec::new(); problem.results().len()];
        for row in inputs.checked(launch) {
            let mut values = Vec::new();
            for column in 0..length {
                let mut at = places(problem, row.number, column);
                let mask = ScalarType::from(problem.element).mask();
                let element = row.elements.get(column as usize).unwrap() & mask;
                let mut arguments = vec![match &own {
                    None => element,
                    Some((view, elements)) => seen(view, shape, elements, &at, mistake) & mask,
                }];
                if own.is_some() && mistake == Mistake::None {
                    assert_eq!(arguments[0], element);
                }
                match mistake {
                    Mistake::OperandOfNextColumn => {
                        at = places(problem, row.number, (column + 1) % length);
                    }
                    Mistake::OperandOfNextRow => {
                        at = places(problem, (row.number + 1) % shape.rows(), column);
                    }
                    _ => {}
                }
                for (operand, elements) in function.operands().iter().zip(&operands) {
                    if let Some(view) = &operand.view {
                        arguments.push(seen(view, shape, elements, &at, mistake));
                        continue;
                    }
                    let mut dimensions: Vec<usize> = operand.map.dimensions().collect();
                    if mistake == Mistake::OperandNotTransposed {
                        dimensions.sort_unstable();
                    }
                    let place = dimensions
                        .iter()
                        .fold(0, |place, &d| place * u64::from(shape.sizes()[d]) + at[d]);
                    arguments.push(elements[place as usize]);
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

/// What is seen of a tensor through a view by a kernel that makes this mistake.
fn seen(view: &View, shape: &Shape, elements: &[u64], at: &[u64], mistake: Mistake) -> u64 {
    let mut number = 0;
    for (place, along) in view.along().iter().enumerate() {
        let size = i64::from(along.size.unwrap_or(shape.sizes()[along.dimension]));
        let (at, offset) = (at[along.dimension] as i64, i64::from(along.offset));
        let last = i64::from(shape.sizes()[along.dimension]) - 1;
        let mut at = match (along.is_reversed, mistake) {
            (true, Mistake::NotReversed) => offset - last + at,
            (true, _) => offset - at,
            (false, _) => at + offset,
        };
        if place == 0 && mistake == Mistake::NextPlace {
            at += 1;
        }
        if !(0..size).contains(&at) {
            return match mistake {
                Mistake::OutsideForgotten => elements[0],
                _ => view.outside(),
            };
        }
        number = number * size + at;
    }
    elements[number as usize]
}

/// What the indices of elements are.
struct Indices<'a> {
    base: i64,
    explicit: Option<&'a [u64]>,
}

impl Indices<'_> {
    /// That of a row's element.
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

/// The bits of the results of a row of these values, of which these are taken.
fn reduced(
    problem: &Problem,
    values: &[u64],
    taken: &[usize],
    initial: &[u64],
    index: impl Fn(usize) -> u64,
) -> Vec<u64> {
    if let Some(fold) = problem.reduction.fold() {
        let values = taken.iter().map(|&place| fold.widened(values[place]));
        return vec![values.fold(fold.initial(), |acc, value| fold.combine(acc, value))];
    }
    let arg_compare = problem.reduction.arg_compare().unwrap();
    let mut compare = arg_compare.comparator.evaluator();
    let mut best = initial.to_vec();
    for &place in taken {
        if compare.compare(values[place], best[0]) {
            best = vec![values[place], index(place)];
        }
    }
    best
}

/// An element in the type that the function gives.
fn converted(problem: &Problem, bits: u64) -> u64 {
    let [from, to] = [problem.element, problem.reduced_type()].map(ScalarType::from);
    match from.is_float() {
        true => to.round(from.to_f64(bits)),
        false => from.signed(bits) as u64 & to.mask(),
    }
}

#[test]
fn what_is_computed_is_right() {
    for text in PROBLEMS {
        let inputs = Inputs::new(&text.parse().unwrap(), 1).unwrap();
        let verdict = evaluate(&inputs, Mistake::None);
        assert!(matches!(verdict, Verdict::Right(_)), "{text}: {verdict:?}");
    }
}

#[test]
fn the_last_launch_has_what_is_no_number() {
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
