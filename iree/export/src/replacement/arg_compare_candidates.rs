//! The problems that an argmax of a module may be, by its shape and types.

use std::ops::RangeInclusive;

use configgen::comparator::{
    Comparator, OperandType, ParsedOperation, ScalarType, parse_operations,
};
use configgen::{ElementType, IndexType, Problem};

/// Returns the candidate problems of an arg_compare: one with the worst value as initial value,
/// and one with operands.
pub(super) fn of_arg_compare(
    text: &str,
    counts: &RangeInclusive<u32>,
) -> Result<Vec<Problem>, String> {
    let operations = parse_operations(text).map_err(|error| error.message)?;
    let [operation] = &operations[..] else {
        return Err("its form is not supported".to_owned());
    };
    let comparator = Comparator::new(&operation.region).map_err(|error| error.message)?;
    let written = written(operation, &comparator, counts)?;
    // The shape is text, so the parser of problems checks it against all rules.
    let problem = |options: &str| {
        let text = format!("arg_compare:{written}{options}");
        Problem::with_comparator(&text, &comparator, false).map_err(|error| error.to_string())
    };
    let from_worst = comparator.order().worst.map(|_| problem("")).transpose()?;
    Ok(from_worst
        .into_iter()
        .chain([problem(":initial")?])
        .collect())
}

/// Returns the shape, types and index mode of an operation, in the syntax of problems.
fn written(
    operation: &ParsedOperation,
    comparator: &Comparator,
    counts: &RangeInclusive<u32>,
) -> Result<String, String> {
    let mut text = String::new();
    for (d, size) in operation.values.sizes.iter().enumerate() {
        text += &match (size, d == operation.dimension) {
            (Some(size), true) => format!("[{size}]x"),
            (Some(size), false) => format!("{size}x"),
            (None, false) if d == 0 => "?x".to_owned(),
            (None, _) => return Err(format!("dimension {d} is dynamic")),
        };
    }
    let is_open = operation.values.sizes.first() == Some(&None);
    let index = match operation.outputs[1].element {
        OperandType::Scalar(ScalarType::I32) => IndexType::I32,
        OperandType::Scalar(ScalarType::I64) => IndexType::I64,
        OperandType::Index => IndexType::Index,
        OperandType::Scalar(_) => {
            return Err("its indices must be i32, i64 or index".to_owned());
        }
    };
    text += &format!("{}:{index}", comparator.element());
    text += match (&operation.indices, operation.has_index_base) {
        (Some(_), true) => return Err("it has both an index base and explicit indices".to_owned()),
        (Some(given), _) if given.element != operation.outputs[1].element => {
            return Err("its input indices and its result indices have different types".to_owned());
        }
        (Some(_), _) => ":explicit_index",
        (None, true) => ":index_base",
        (None, false) => "",
    };
    if is_open {
        text += &option(counts);
    }
    Ok(text)
}

/// Returns the count option, in the syntax of problems.
fn option(counts: &RangeInclusive<u32>) -> String {
    format!(":count={}..{}", counts.start(), counts.end())
}

/// Returns the candidate problems of a linalg.generic. `None` unless it has two results, one of
/// them indices.
pub(super) fn of_generic(
    text: &str,
    counts: &RangeInclusive<u32>,
) -> Option<Result<Vec<Problem>, String>> {
    let (_, rest) = text.split_once(" ins(")?;
    let (_, outs) = rest.split_once(" outs(")?;
    let input = types(rest).next()?;
    let mut results = types(outs.split_once(')')?.0);
    let (first, second) = (results.next()?, results.next()?);
    if results.next().is_some() {
        return None;
    }
    let (sizes, element) = parts(input);
    let (rows, one) = parts(first);
    let (others, other) = parts(second);
    let index = match (one == element, other == element) {
        (true, _) => other,
        (false, true) => one,
        (false, false) => return None,
    };
    let is_index = IndexType::ALL.iter().any(|it| it.name() == index);
    if rows != others || rows.len() + 1 != sizes.len() || !is_index {
        return None;
    }
    // A kernel supports an open count only in the outermost dimension, and only if it is
    // parallel.
    if sizes[1..].contains(&"?") || rows.first() != sizes.first() && sizes[0] == "?" {
        return Some(Err(
            "a dimension other than the outermost parallel one is dynamic".to_owned(),
        ));
    }
    let open = match sizes[0] {
        "?" => option(counts),
        _ => String::new(),
    };
    let element_type = ElementType::ALL
        .into_iter()
        .find(|it| it.name() == element)?;
    let mut problems = Vec::new();
    // The types do not say which dimension is reduced: any dimension qualifies whose removal
    // gives the results' shape.
    for d in 0..sizes.len() {
        let mut without = sizes.clone();
        without.remove(d);
        if without != rows {
            continue;
        }
        let shape = sizes.iter().enumerate().map(|(at, size)| match at == d {
            true => format!("[{size}]x"),
            false => format!("{size}x"),
        });
        let shape: String = shape.collect();
        for first in ["", ":initial"] {
            let texts = Comparator::names(element_type)
                .map(|name| format!("{name}:{shape}{element}:{index}{first}{open}"));
            problems.extend(texts.filter_map(|text| text.parse::<Problem>().ok()));
        }
    }
    // Several comparator names may parse to one problem.
    problems.dedup();
    Some(Ok(problems))
}

/// Iterates over the contents of each `tensor<…>`.
pub(super) fn types(text: &str) -> impl Iterator<Item = &str> {
    text.split("tensor<")
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap_or(rest))
}

/// Splits `4x?xf32` into sizes and element. The element may contain an x, as `index` does.
pub(super) fn parts(tensor: &str) -> (Vec<&str>, &str) {
    let is_size = |part: &str| part == "?" || part.parse::<u64>().is_ok();
    let (mut sizes, mut rest) = (Vec::new(), tensor);
    while let Some((size, others)) = rest.split_once('x').filter(|(size, _)| is_size(size)) {
        sizes.push(size);
        rest = others;
    }
    (sizes, rest)
}
