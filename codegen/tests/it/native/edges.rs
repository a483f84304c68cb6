//! The table of docs/edges.md: the result of each operation at its edges, by its kernel and by
//! its definition, beside torch and JAX.
//!
//! The document has the frameworks' figures, which were recorded once. Our column is generated
//! here: `UPDATE_EXPECT=1` writes it.

use std::fmt::Write;
use std::path::Path;

use codegen::CompiledKernel;
use codegen::native::Native;
use configgen::comparator::{Evaluator, ScalarType};
use configgen::reduction::{Combining, Extent, RowOperation, Scalar};
use configgen::{Problem, native_default};
use emulator::CodeObject;
use expect_test::expect_file;
use testing::Failed;

use crate::native::run::{self, Buffers};
use crate::native::{ensure, target};

const DOCUMENT: &str = "../docs/edges.md";

/// The allowed relative difference of two figures with four digits.
const FOUR_DIGITS: f64 = 2e-3;

/// The allowed relative error of a kernel in f32.
const OFF: f64 = 1e-5;

/// A row of the table.
struct Edge<'a> {
    problem: &'a str,
    /// The elements of each input.
    inputs: Vec<Vec<&'a str>>,
    torch: &'a str,
    jax: &'a str,
    reason: &'a str,
}

impl<'a> Edge<'a> {
    fn of(line: &'a str) -> Option<Edge<'a>> {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[problem, inputs, torch, jax, _, reason] = &cells[..] else {
            return None;
        };
        let problem = problem.strip_prefix('`')?.strip_suffix('`')?;
        let inputs = inputs.split("; ").map(|it| it.split(", ").collect());
        Some(Edge {
            problem,
            inputs: inputs.collect(),
            torch,
            jax,
            reason,
        })
    }
}

pub(crate) fn edges_are_what_the_document_says(native: &Native) -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCUMENT);
    let document = std::fs::read_to_string(&path)?;
    let mut written = String::new();
    let mut kernels: Vec<(Problem, CompiledKernel, CodeObject)> = Vec::new();
    let (mut named, mut wrong) = (Vec::new(), Vec::new());
    for line in document.lines() {
        let Some(edge) = Edge::of(line) else {
            writeln!(written, "{line}")?;
            continue;
        };
        let problem: Problem = edge.problem.parse()?;
        if kernels.last().is_none_or(|it| it.0 != problem) {
            let configuration = native_default(&problem, target())?;
            let kernel = native.compile(target(), &problem, &configuration)?;
            let code = CodeObject::load(&kernel.code_object)?;
            named.push(problem.name().into_owned());
            kernels.push((problem.clone(), kernel, code));
        }
        let (_, kernel, code) = &kernels[kernels.len() - 1];
        let at = format!("{} of {:?}", edge.problem, edge.inputs);
        let inputs = bits(&problem, &edge)?;
        let found = launched(&problem, kernel, code, &inputs)?;
        let defined = defined(&problem, &inputs);
        // Some instructions flush subnormal numbers.
        let is_right = |(a, b): (&f64, &f64)| {
            is_near(*a, *b, OFF) || (a - b).abs() < f64::from(f32::MIN_POSITIVE)
        };
        let alike = found.iter().zip(&defined).all(is_right);
        if !alike || found.len() != defined.len() {
            wrong.push(format!(
                "{at}: the kernel gives {found:?}, the definition {defined:?}"
            ));
        }
        let ours = shown(&problem, &found);
        let differs = [edge.torch, edge.jax].map(|it| it != "–" && !is_same(it, &ours));
        if differs.contains(&true) == edge.reason.is_empty() {
            wrong.push(format!(
                "{at}: {ours}; a reason is there if torch or JAX differs: {differs:?}"
            ));
        }
        let inputs: Vec<String> = edge.inputs.iter().map(|it| it.join(", ")).collect();
        writeln!(
            written,
            "| `{}` | {} | {} | {} | {ours} | {} |",
            edge.problem,
            inputs.join("; "),
            edge.torch,
            edge.jax,
            edge.reason
        )?;
    }
    expect_file![path].assert_eq(&written);
    ensure(wrong.is_empty(), || wrong.join("\n"))?;
    every_operation_is_there(&named)
}

fn every_operation_is_there(named: &[String]) -> Result<(), Failed> {
    let rows = RowOperation::ALL.map(RowOperation::name);
    let folds = Combining::ALL.map(Combining::name);
    let others = ["dot", "square_sum", "abs_max", "copy"];
    let compared = ["argmax", "argmin"];
    let compared = compared
        .iter()
        .flat_map(|name| ["", "_nan", "_last"].map(|of| format!("{name}{of}")));
    let all = rows
        .into_iter()
        .chain(folds)
        .chain(others)
        .map(str::to_owned);
    for name in all.chain(compared) {
        ensure(named.contains(&name), || format!("the table has no {name}"))?;
    }
    Ok(())
}

/// Returns the bits of all inputs. Operands that the row does not name have default values.
fn bits(problem: &Problem, edge: &Edge<'_>) -> Result<Vec<Vec<u64>>, Failed> {
    let own = ScalarType::from(problem.element);
    let operands = problem.operands();
    let kinds = operands.iter().map(|operand| match operand.scalar {
        Scalar::Element(element) => ScalarType::from(element),
        Scalar::Index(_) => ScalarType::I32,
    });
    let kinds: Vec<ScalarType> = [own].into_iter().chain(kinds).collect();
    let given = edge.inputs.iter().zip(&kinds);
    let given = given.map(|(input, &kind)| input.iter().map(|it| parsed(kind, it)).collect());
    let mut all = given.collect::<Result<Vec<Vec<u64>>, Failed>>()?;
    for (operand, &kind) in operands.iter().zip(&kinds[1..]).skip(all.len() - 1) {
        let number = f64::from(u8::from(operand.name == "weight"));
        let count = operand.map.elements(&problem.shape) as usize;
        all.push(vec![kind.round(number); count]);
    }
    Ok(all)
}

fn parsed(kind: ScalarType, text: &str) -> Result<u64, Failed> {
    match kind.is_float() {
        true => Ok(kind.round(text.parse()?)),
        false => Ok(text.parse::<i64>()? as u64 & kind.mask()),
    }
}

/// Returns the first result of a launch, followed by the index if there is one.
fn launched(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    inputs: &[Vec<u64>],
) -> Result<Vec<f64>, Failed> {
    // A map has a row for each element.
    let rows = match problem.shape.reduces() {
        true => vec![inputs[0].clone()],
        false => inputs[0].iter().map(|&it| vec![it]).collect(),
    };
    let mut buffers = Buffers::new(problem, kernel, 0, &rows)?;
    for ((slot, operand), input) in kernel
        .operands
        .iter()
        .zip(problem.operands())
        .zip(&inputs[1..])
    {
        let size = operand.scalar.bytes() as usize;
        let buffer = buffers.bytes_mut(slot.buffer).chunks_exact_mut(size);
        for (place, bits) in buffer.zip(input) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    buffers.launch(kernel, code, 0)?;
    let has_index = problem.reduction.state().has_position;
    let shown = if has_index { 2 } else { 1 };
    let mut all = Vec::new();
    for (tensor, slot) in problem.results().iter().zip(&kernel.results).take(shown) {
        let kind = match tensor.scalar {
            Scalar::Element(element) => element.into(),
            Scalar::Index(_) => ScalarType::I32,
        };
        let size = tensor.scalar.bytes() as usize;
        let bytes = tensor.bytes(&problem.shape) as usize;
        let found = buffers.bytes(slot.buffer)[..bytes].chunks_exact(size);
        all.extend(found.map(|bytes| number(kind, run::bits(bytes))));
    }
    Ok(all)
}

fn number(kind: ScalarType, bits: u64) -> f64 {
    match kind {
        ScalarType::I1 => bits as f64,
        _ if kind.is_float() => kind.to_f64(bits),
        _ => kind.signed(bits) as f64,
    }
}

/// Returns the same by the problem's definition, one element after the other.
fn defined(problem: &Problem, inputs: &[Vec<u64>]) -> Vec<f64> {
    let columns = inputs[0].len();
    let operand = |input: &Vec<u64>, at: usize| input[at % input.len()];
    let at = |column: usize| -> Vec<u64> { inputs.iter().map(|it| operand(it, column)).collect() };
    let reduction = &problem.reduction;
    if reduction.sole_combiner().is_none() && !reduction.keeps_elements() {
        let arguments = |column: usize, rows: &[u64]| -> Vec<u64> {
            let rows = rows.iter().copied();
            at(column).into_iter().chain(rows).collect()
        };
        let mut rows: Vec<u64> = Vec::new();
        for element in reduction.elements() {
            let position = element.position.as_ref().map(|position| {
                let kind = position.type_of(position.result());
                kind.signed(Evaluator::new(position).result(&rows))
            });
            let column = usize::try_from(position.unwrap_or(0));
            let column = column.ok().filter(|it| *it < columns);
            rows.push(column.map_or(0, |it| at(it)[element.input]));
        }
        for fold in reduction.folds() {
            let mut element = Evaluator::new(&fold.element);
            let combiner = fold.combiner.pairwise().expect("programs combine values");
            let folded = (0..columns).fold(combiner.identity(), |folded, column| {
                combiner.combine(folded, element.result(&arguments(column, &rows)))
            });
            let known: Vec<u64> = [folded].into_iter().chain(rows.iter().copied()).collect();
            rows.push(Evaluator::new(&fold.value).result(&known));
        }
        let output = &reduction.outputs()[0];
        let count = if output.tensor.extent == Extent::Rows {
            1
        } else {
            columns
        };
        let mut element = Evaluator::new(&output.element);
        let kind = output.element.type_of(output.element.result());
        return (0..count)
            .map(|column| number(kind, element.result(&arguments(column, &rows))))
            .collect();
    }
    let mut function = problem
        .function
        .as_ref()
        .map(|it| Evaluator::new(it.region()));
    let mut computed = |column: usize| match &mut function {
        Some(function) => function.result(&at(column)),
        None => inputs[0][column],
    };
    let kind = ScalarType::from(problem.reduced_type());
    if let Some(fold) = problem.reduction.pairwise() {
        let elements = (0..columns).map(computed);
        let folded = elements.fold(fold.initial(), |folded, it| {
            fold.combine(folded, fold.widened(it))
        });
        return vec![number(fold.accumulator().into(), folded)];
    }
    let Some(compared) = problem.reduction.comparison() else {
        return (0..columns)
            .map(|column| number(kind, computed(column)))
            .collect();
    };
    let mut comparator = compared.comparator.evaluator();
    let (mut best, mut index) = (compared.start(), compared.index_of_none());
    for column in 0..columns {
        let element = computed(column);
        if comparator.compare(element, best) {
            (best, index) = (element, column as i64);
        }
    }
    vec![number(kind, best), index as f64]
}

/// Formats results as in the table.
fn shown(problem: &Problem, found: &[f64]) -> String {
    let all: Vec<String> = found.iter().map(|&it| four_digits(it)).collect();
    match problem.reduction.state().has_position {
        true => all.join(" @ "),
        false => all.join(", "),
    }
}

fn four_digits(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() || number == 0.0 || number.fract() == 0.0 && number.abs() < 1e10 {
        return number.to_string();
    }
    let size = number.abs();
    if (1e-3..1e6).contains(&size) {
        let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{number:.decimals$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    let text = format!("{number:.3e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!(
        "{}e{exponent}",
        digits.trim_end_matches('0').trim_end_matches('.')
    )
}

/// Returns true if two cells of the table are equal, to four digits and the sign of zero.
fn is_same(one: &str, other: &str) -> bool {
    let numbers = |cell: &str| -> Option<Vec<f64>> {
        cell.split([',', '@'])
            .map(|it| it.trim().parse().ok())
            .collect()
    };
    let (Some(one), Some(other)) = (numbers(one), numbers(other)) else {
        return one == other;
    };
    let all = one.iter().zip(&other);
    let signs =
        |a: f64, b: f64| a != 0.0 || b != 0.0 || a.is_sign_negative() == b.is_sign_negative();
    one.len() == other.len()
        && all
            .into_iter()
            .all(|(&a, &b)| signs(a, b) && is_near(a, b, FOUR_DIGITS))
}

/// Returns true if two numbers differ by at most this fraction of the larger one.
fn is_near(one: f64, other: f64, off: f64) -> bool {
    let are_finite = one.is_finite() && other.is_finite();
    one == other
        || one.is_nan() && other.is_nan()
        || are_finite && (one - other).abs() <= off * one.abs().max(other.abs())
}
