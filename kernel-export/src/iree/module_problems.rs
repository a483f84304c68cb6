//! The problems in a module: its reductions, with the problem of each. This module reads argmax
//! and argmin; `configgen` reads the operations of linalg.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use configgen::comparator::{
    Comparator, OperandType, ParsedOperation, ScalarType, parse_operations,
};
use configgen::linalg::{self, ModuleReduction, Traffic, operations};
use configgen::{ElementType, Generator, IndexType, Problem, Target, check_problem};

use super::frontend_form::FrontendForm;
use super::module_arg_compare::ModuleArgCompare;
use super::module_text::{Function, Statement, StatementToken, functions, tokens};
use super::pattern::MatcherPattern;
use super::unify::is_same;

/// Equal operations of a module: one problem in one form, or one reason for not being a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleProblem {
    /// The problem, or the reason why it is unknown.
    pub problem: Result<Problem, String>,
    /// The form that a kernel replaces. `None` if no kernel replaces it.
    pub form: Option<&'static str>,
    /// The form for a matcher, if it is an operation of linalg that a kernel replaces.
    pub linalg: Option<linalg::OperationForm>,
    /// True for an `iree_linalg_ext.arg_compare`, which tuning specs match.
    pub is_arg_compare: bool,
    /// The parts that become kernels if the whole does not, each entry once.
    pub parts: Vec<ModuleProblem>,
    /// The traffic of the remaining operations in that case.
    pub rest: Traffic,
    /// The number of such operations.
    pub count: usize,
}

impl ModuleProblem {
    /// Returns true if iree-compile accepts this generator's output for it: our kernel, or an
    /// entry of a tuning spec.
    pub fn takes(&self, generator: Generator) -> bool {
        match generator == Generator::IREE {
            true => self.is_arg_compare,
            false => self.form.is_some(),
        }
    }

    /// Returns its problem, if our kernel replaces it.
    pub fn replaced_problem(&self) -> Option<&Problem> {
        let problem = self.problem.as_ref().ok();
        problem.filter(|_| self.takes(Generator::NATIVE))
    }

    /// Returns its problem, if a tuning spec reaches it and IREE's generator supports it.
    /// Otherwise, returns those of its parts.
    pub fn spec_problems(&self, target: &Target) -> Vec<&Problem> {
        let problem = self.problem.as_ref().ok();
        let problem = problem.filter(|problem| {
            let is_taken = || check_problem(problem, target, Generator::IREE).is_ok();
            self.takes(Generator::IREE) && is_taken()
        });
        match problem {
            Some(problem) => vec![problem],
            None => {
                let parts = self.parts.iter();
                parts.flat_map(|part| part.spec_problems(target)).collect()
            }
        }
    }
}

/// Finds the reductions of a module before it forms dispatches, each kind once, in order of
/// appearance. A module does not bound an open outermost size, so `counts` does.
pub fn find_problems(module: &str, counts: &RangeInclusive<u32>) -> Vec<ModuleProblem> {
    let mut all: Vec<ModuleProblem> = Vec::new();
    let of_linalg = match operations(module, counts) {
        Ok(found) => found,
        Err(error) => {
            all.push(none(error.message));
            Vec::new()
        }
    };
    let of_linalg = LinalgOperations::of(of_linalg);
    for function in &functions(module) {
        // Models repeat equal texts, which are one operation. The names of values are local to a
        // function.
        let mut known: BTreeMap<Vec<&str>, Option<usize>> = BTreeMap::new();
        for &statement in &function.statements {
            let begin = statement.text.as_ptr() as usize - module.as_ptr() as usize;
            if let Some(found) = of_linalg.seen(begin, function) {
                if let Some(found) = found {
                    add(&mut all, found);
                }
                continue;
            }
            if !is_candidate(statement) {
                if let Some(refused) = of_linalg.refused(begin) {
                    add(&mut all, refused);
                }
                continue;
            }
            // Parsing and comparing with all patterns is slow, so equal operations share one
            // result.
            let place = known.get(&key(function, statement)).copied();
            let place = place.unwrap_or_else(|| {
                let found = look(function, statement, counts);
                let found = found.or_else(|| of_linalg.refused(begin));
                let place = found.map(|found| placed(&mut all, found));
                known.insert(key(function, statement), place);
                place
            });
            if let Some(place) = place {
                all[place].count += 1;
            }
        }
    }
    all
}

fn add(all: &mut Vec<ModuleProblem>, found: ModuleProblem) {
    let place = placed(all, found);
    all[place].count += 1;
}

/// Returns the position of the equal entry, which is added if it is new.
fn placed(all: &mut Vec<ModuleProblem>, found: ModuleProblem) -> usize {
    let place = all.iter().position(|one| {
        // Refused operations with equal reasons are counted together, too.
        let is_same = (&one.problem, one.form) == (&found.problem, found.form);
        is_same && one.linalg == found.linalg
    });
    place.unwrap_or_else(|| {
        all.push(found);
        all.len() - 1
    })
}

/// Returns the entry of an operation that is no problem.
fn none(reason: impl Into<String>) -> ModuleProblem {
    ModuleProblem {
        problem: Err(reason.into()),
        form: None,
        linalg: None,
        is_arg_compare: false,
        parts: Vec::new(),
        rest: Traffic::default(),
        count: 0,
    }
}

/// Returns the entry of an operation that a kernel replaces in this form.
fn seen_as(
    found: &ModuleReduction,
    problem: &Problem,
    form: &linalg::OperationForm,
) -> ModuleProblem {
    let parts = found.parts.iter().filter_map(|part| {
        let (problem, form) = (part.problem.as_ref().ok()?, part.form.as_ref()?);
        let part = seen_as(part, problem, form);
        Some(ModuleProblem { count: 1, ..part })
    });
    ModuleProblem {
        problem: Ok(problem.clone()),
        form: Some(form.name()),
        linalg: Some(form.clone()),
        is_arg_compare: form.name() == "arg_compare",
        parts: parts.collect(),
        rest: found.rest,
        count: 0,
    }
}

const IN_INITIALIZER: &str = "it is in an initializer, which the export does not change";

/// The operations of linalg, by their byte positions.
struct LinalgOperations {
    found: HashMap<usize, ModuleReduction>,
    /// The positions of operations that are a part of another one.
    parts: HashSet<usize>,
}

impl LinalgOperations {
    fn of(found: Vec<ModuleReduction>) -> LinalgOperations {
        let parts = found.iter().flat_map(|it| {
            let parts = it.reductions.iter().copied();
            parts.filter(|place| *place != it.place)
        });
        LinalgOperations {
            parts: parts.collect(),
            found: found.into_iter().map(|it| (it.place, it)).collect(),
        }
    }

    /// Returns the entry of the operation at this byte, if it is a problem. `Some(None)` stands
    /// for a part of another operation.
    fn seen(&self, begin: usize, function: &Function<'_>) -> Option<Option<ModuleProblem>> {
        if self.parts.contains(&begin) {
            return Some(None);
        }
        let found = self.found.get(&begin)?;
        let problem = found.problem.as_ref().ok()?;
        if function.is_initializer {
            return Some(Some(none(IN_INITIALIZER)));
        }
        Some(Some(match &found.form {
            Some(form) => seen_as(found, problem, form),
            None => none(format!(
                "{problem}: it has a part that the export cannot match"
            )),
        }))
    }

    /// Returns the reason why the operation at this byte is no problem.
    fn refused(&self, begin: usize) -> Option<ModuleProblem> {
        let error = self.found.get(&begin)?.problem.as_ref().err()?;
        Some(none(error.message.clone()))
    }
}

/// Returns the key of equal operations: the text without names of values, and the definitions of
/// its operands.
fn key<'a>(function: &Function<'a>, statement: Statement<'a>) -> Vec<&'a str> {
    let words = tokens(statement.text).into_iter().map(|token| match token {
        StatementToken::Other(word) => [word, ""],
        StatementToken::Value(name, number) => {
            let definition = function.definition(name);
            [definition.map_or("%", |it| it.text), number]
        }
    });
    words.flatten().collect()
}

fn is_candidate(statement: Statement<'_>) -> bool {
    match statement.name() {
        "iree_linalg_ext.arg_compare" => true,
        "linalg.generic" => statement.text.contains("\"reduction\""),
        _ => false,
    }
}

fn look(
    function: &Function<'_>,
    statement: Statement<'_>,
    counts: &RangeInclusive<u32>,
) -> Option<ModuleProblem> {
    let is_arg_compare = statement.name() == "iree_linalg_ext.arg_compare";
    let candidates = match is_arg_compare {
        true => of_arg_compare(statement.text, counts),
        false => of_generic(statement.text, counts)?,
    };
    let found = |problem, form| {
        Some(ModuleProblem {
            problem,
            form,
            linalg: None,
            is_arg_compare,
            parts: Vec::new(),
            rest: Traffic::default(),
            count: 0,
        })
    };
    let candidates = match candidates {
        // Replacements go into functions, and a value that is computed once needs no tuning spec.
        Ok(_) if function.is_initializer => {
            return found(Err(IN_INITIALIZER.to_owned()), None);
        }
        Ok(candidates) => candidates,
        Err(reason) => return found(Err(reason), None),
    };
    for problem in &candidates {
        if let Some(form) = form(problem, function, statement) {
            return found(Ok(problem.clone()), Some(form));
        }
    }
    // The comparator differs in form from those of kernels.
    let begins = |problem: &&Problem| is_arg_compare && begins_as(problem, function, statement);
    match candidates.iter().find(begins) {
        Some(problem) => found(Ok(problem.clone()), None),
        None if is_arg_compare => found(Err("its initial pair is not supported".to_owned()), None),
        None => {
            let reason = "a linalg.generic with two results in a form that no kernel replaces";
            found(Err(reason.to_owned()), None)
        }
    }
}

/// Returns the form in which a problem is this operation.
fn form(
    problem: &Problem,
    function: &Function<'_>,
    statement: Statement<'_>,
) -> Option<&'static str> {
    let operation = ModuleArgCompare::of(problem).ok()?;
    let is_this = |form: &FrontendForm| compare(&operation, *form, function, statement, |it| it);
    FrontendForm::of(&operation)
        .into_iter()
        .find(is_this)
        .map(FrontendForm::name)
}

/// Returns true if a problem has the initial pair and types of an arg_compare, with any
/// comparator.
fn begins_as(problem: &Problem, function: &Function<'_>, statement: Statement<'_>) -> bool {
    let Ok(operation) = ModuleArgCompare::of(problem) else {
        return false;
    };
    compare(
        &operation,
        FrontendForm::ArgCompare,
        function,
        statement,
        before_region,
    )
}

/// Returns an operation without its regions.
fn before_region(statement: Statement<'_>) -> Statement<'_> {
    let head = statement.text.split('{').next();
    Statement {
        text: head.unwrap_or(statement.text),
    }
}

/// Returns true if an operation, or a part of it, equals a pattern.
fn compare(
    operation: &ModuleArgCompare<'_>,
    form: FrontendForm,
    function: &Function<'_>,
    statement: Statement<'_>,
    part: fn(Statement<'_>) -> Statement<'_>,
) -> bool {
    let text = MatcherPattern { operation, form }.to_string();
    let pattern = functions(&text);
    let root = pattern
        .last()
        .and_then(|it| Some((it, *it.statements.last()?)));
    root.is_some_and(|(it, root)| is_same((it, part(root)), (function, part(statement))))
}

/// Returns the candidate problems of an arg_compare: one with the worst value as initial value,
/// and one with operands.
fn of_arg_compare(text: &str, counts: &RangeInclusive<u32>) -> Result<Vec<Problem>, String> {
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
fn of_generic(text: &str, counts: &RangeInclusive<u32>) -> Option<Result<Vec<Problem>, String>> {
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
        return Some(Err("a dimension is dynamic".to_owned()));
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
fn types(text: &str) -> impl Iterator<Item = &str> {
    text.split("tensor<")
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap_or(rest))
}

/// Splits `4x?xf32` into sizes and element. The element may contain an x, as `index` does.
fn parts(tensor: &str) -> (Vec<&str>, &str) {
    let is_size = |part: &str| part == "?" || part.parse::<u64>().is_ok();
    let (mut sizes, mut rest) = (Vec::new(), tensor);
    while let Some((size, others)) = rest.split_once('x').filter(|(size, _)| is_size(size)) {
        sizes.push(size);
        rest = others;
    }
    (sizes, rest)
}
