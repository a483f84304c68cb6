//! The operations of a module that reduce something, and which problems these are: argmax and argmin, which are read here, and
//! those of linalg, which `configgen` reads.

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

/// Operations of a module that are one problem in one form, or that are none for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleProblem {
    /// The problem, or why it is none that we know.
    pub problem: Result<Problem, String>,
    /// The form that a kernel replaces; none where none does.
    pub form: Option<&'static str>,
    /// How it is found, where it is an operation of linalg that a kernel replaces.
    pub linalg: Option<linalg::OperationForm>,
    /// Whether it is an `iree_linalg_ext.arg_compare`, which tuning specs match.
    pub is_arg_compare: bool,
    /// What of each of them are kernels where it is none as a whole, each entry once.
    pub parts: Vec<ModuleProblem>,
    /// What their other operations move, if so.
    pub rest: Traffic,
    /// How many there are.
    pub count: usize,
}

impl ModuleProblem {
    /// Whether iree-compile can be given for it what this generator makes: a kernel of ours, or an entry of a tuning spec.
    pub fn takes(&self, generator: Generator) -> bool {
        match generator == Generator::IREE {
            true => self.is_arg_compare,
            false => self.form.is_some(),
        }
    }

    /// Its problem, where a kernel of ours takes its place.
    pub fn replaced_problem(&self) -> Option<&Problem> {
        let problem = self.problem.as_ref().ok();
        problem.filter(|_| self.takes(Generator::NATIVE))
    }

    /// Its problem, where a tuning spec reaches it and what a spec is made of can be found for it; else those of its parts.
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

/// The operations of a module before dispatches are formed, each kind once, in the order in which they are met. Where the size of
/// the outermost dimension is known at launch only, a module does not say what it may be; `counts` does.
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
        // Equal texts are one operation, and models have many; in another function a name is another value's.
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

/// Where those are that are the same.
fn placed(all: &mut Vec<ModuleProblem>, found: ModuleProblem) -> usize {
    let place = all.iter().position(|one| {
        let is_same = (&one.problem, one.form) == (&found.problem, found.form);
        is_same && one.linalg == found.linalg
    });
    place.unwrap_or_else(|| {
        all.push(found);
        all.len() - 1
    })
}

/// What is no problem, for a reason.
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

/// What is replaced in this form.
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

const IN_INITIALIZER: &str = "it is in an initializer, which is left as it is";

/// Operations of linalg, by where they stand.
struct LinalgOperations {
    found: HashMap<usize, ModuleReduction>,
    /// Where those stand that are a part of another one.
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

    /// What the operation is that begins at this byte, where it is a problem; nothing but `Some` of a part of another one.
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
                "{problem}: something is in it that no matcher is printed for"
            )),
        }))
    }

    /// Why the operation that begins at this byte is no problem.
    fn refused(&self, begin: usize) -> Option<ModuleProblem> {
        let error = self.found.get(&begin)?.problem.as_ref().err()?;
        Some(none(error.message.clone()))
    }
}

/// What decides what an operation is: its text without names of values, and the texts of what its operands are.
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
        // What is put in place of operations is put into functions, and no tuning spec is asked for what is computed once.
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
    // Its comparator is written otherwise than kernels have it.
    let begins = |problem: &&Problem| is_arg_compare && begins_as(problem, function, statement);
    match candidates.iter().find(begins) {
        Some(problem) => found(Ok(problem.clone()), None),
        None if is_arg_compare => found(
            Err("it begins at a pair that is not understood".to_owned()),
            None,
        ),
        None => {
            let reason =
                "a linalg.generic with two results in a form that no kernel takes the place of";
            found(Err(reason.to_owned()), None)
        }
    }
}

/// The form in which a problem is this operation.
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

/// Whether a problem begins with what an arg_compare does and has its types, whatever the comparator is.
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

/// An operation without its regions.
fn before_region(statement: Statement<'_>) -> Statement<'_> {
    let head = statement.text.split('{').next();
    Statement {
        text: head.unwrap_or(statement.text),
    }
}

/// Whether an operation, or a part of it, is that of a pattern.
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

/// The problems that an arg_compare may be: one that begins at the worst value, and one that begins at what it is given.
fn of_arg_compare(text: &str, counts: &RangeInclusive<u32>) -> Result<Vec<Problem>, String> {
    let operations = parse_operations(text).map_err(|error| error.message)?;
    let [operation] = &operations[..] else {
        return Err("it is not understood".to_owned());
    };
    let comparator = Comparator::new(&operation.region).map_err(|error| error.message)?;
    let written = written(operation, &comparator, counts)?;
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

/// The shape, types and index mode of an operation, as problems write them.
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
            return Err("its indices are neither i32 nor i64 nor index".to_owned());
        }
    };
    text += &format!("{}:{index}", comparator.element());
    text += match (&operation.indices, operation.has_index_base) {
        (Some(_), true) => return Err("it has an index base beside explicit indices".to_owned()),
        (Some(given), _) if given.element != operation.outputs[1].element => {
            return Err(
                "the indices that it is given and those that it returns are of two types"
                    .to_owned(),
            );
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

/// The counts of a dimension, as problems write them.
fn option(counts: &RangeInclusive<u32>) -> String {
    format!(":count={}..{}", counts.start(), counts.end())
}

/// The problems that a linalg.generic may be; none where it has no two results, one of them of indices.
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
    problems.dedup();
    Some(Ok(problems))
}

/// What stands in `tensor<…>`, for each.
fn types(text: &str) -> impl Iterator<Item = &str> {
    text.split("tensor<")
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap_or(rest))
}

/// Sizes and element of `4x?xf32`; `index` has an x, too.
fn parts(tensor: &str) -> (Vec<&str>, &str) {
    let is_size = |part: &str| part == "?" || part.parse::<u64>().is_ok();
    let (mut sizes, mut rest) = (Vec::new(), tensor);
    while let Some((size, others)) = rest.split_once('x').filter(|(size, _)| is_size(size)) {
        sizes.push(size);
        rest = others;
    }
    (sizes, rest)
}
