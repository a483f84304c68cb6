//! The problems in a module: its reductions, with the problem of each. This module reads argmax
//! and argmin; `configgen` reads the operations of linalg.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use configgen::linalg::{self, ModuleReduction, SECOND_OUTPUT, Traffic, operations};
use configgen::{Generator, Problem, Target, check_problem};

use super::arg_compare_candidates::{of_arg_compare, of_generic, parts, types};
use super::frontend_form::FrontendForm;
use super::module_arg_compare::ModuleArgCompare;
use super::module_text::{Function, Statement, StatementToken, functions, tokens};
use super::operation_place::{Lines, OperationPlace};
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
    /// The forms of other operations that the same kernel replaces.
    pub beside: Vec<linalg::OperationForm>,
    /// True for an `iree_linalg_ext.arg_compare`, which tuning specs match.
    pub is_arg_compare: bool,
    /// The parts that become kernels if the whole does not, each entry once.
    pub parts: Vec<ModuleProblem>,
    /// The traffic of the remaining operations in that case.
    pub rest: Traffic,
    /// The row operation with which it shares operations. A kernel can replace only one of the
    /// two.
    pub shares_with: Option<Problem>,
    /// True if a spec must fold the module's constants first.
    pub needs_folding: bool,
    /// The number of such operations.
    pub count: usize,
    /// The first of these operations, at most [`MAX_PLACES`].
    pub places: Vec<OperationPlace>,
}

/// The largest number of places that are kept of equal operations.
const MAX_PLACES: usize = 16;

impl ModuleProblem {
    /// Returns true if iree-compile accepts this generator's output for it: our kernel, or an
    /// entry of a tuning spec.
    pub fn takes(&self, generator: Generator) -> bool {
        match generator == Generator::IREE {
            true => self.is_arg_compare,
            false => self.form.is_some(),
        }
    }

    /// Notes that the module was read with folded constants.
    pub(super) fn expect_folding(&mut self) {
        self.needs_folding = true;
        self.parts.iter_mut().for_each(Self::expect_folding);
    }

    /// Returns its problem, if our kernel replaces it.
    pub fn replaced_problem(&self) -> Option<&Problem> {
        let problem = self.problem.as_ref().ok();
        problem.filter(|_| self.takes(Generator::NATIVE))
    }

    /// Returns the pairs of problems that share its operations: it with its parts and with the row
    /// operation that it shares some with.
    pub(crate) fn rivals(&self) -> Vec<(Problem, Problem)> {
        let Ok(own) = &self.problem else {
            return Vec::new();
        };
        let within = self.parts.iter().flat_map(ModuleProblem::with_parts);
        let others = within.filter_map(|part| part.problem.as_ref().ok());
        let others = others.chain(&self.shares_with);
        let own = others.map(|other| (own.clone(), other.clone()));
        let of_parts = self.parts.iter().flat_map(ModuleProblem::rivals);
        own.chain(of_parts).collect()
    }

    /// Returns it and its parts, recursively.
    fn with_parts(&self) -> Vec<&ModuleProblem> {
        let within = self.parts.iter().flat_map(ModuleProblem::with_parts);
        std::iter::once(self).chain(within).collect()
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
    let lines = Lines::of(module);
    for function in &functions(module) {
        // Models repeat equal texts, which are one operation. The names of values are local to a
        // function.
        let mut known: BTreeMap<Vec<&str>, Option<usize>> = BTreeMap::new();
        for &statement in &function.statements {
            let begin = statement.text.as_ptr() as usize - module.as_ptr() as usize;
            if let Some(found) = of_linalg.sharing(begin, function) {
                add(&mut all, found, lines.place(function, begin));
            }
            if let Some(found) = of_linalg.seen(begin, function) {
                if let Some(found) = found {
                    add(&mut all, found, lines.place(function, begin));
                }
                continue;
            }
            if !is_candidate(statement) {
                if let Some((refused, line)) = of_linalg.refused(begin) {
                    add(&mut all, refused, lines.place_of_line(function, line));
                } else if let Some(reason) = unread(statement) {
                    add(&mut all, none(reason), lines.place(function, begin));
                }
                continue;
            }
            let is_unread = has_unread_indices(module, begin, statement);
            // Parsing and comparing with all patterns is slow, so equal operations share one
            // result.
            let key = key(function, statement, is_unread);
            let place = known.get(&key).copied();
            let place = place.unwrap_or_else(|| {
                let found = look(function, statement, is_unread, counts);
                let refused = of_linalg.refused(begin).map(|it| it.0);
                let is_general = |it: &ModuleProblem| it.problem == Err(TWO_RESULTS.to_owned());
                let is_known =
                    |it: &ModuleProblem| it.problem.as_ref().is_err_and(|it| it != SECOND_OUTPUT);
                let found = match (found, refused) {
                    (Some(found), Some(refused)) if is_general(&found) && is_known(&refused) => {
                        Some(refused)
                    }
                    (found, refused) => found.or(refused),
                };
                let place = found.map(|found| placed(&mut all, found));
                known.insert(key, place);
                place
            });
            if let Some(at) = place {
                all[at].note(lines.place(function, begin));
            }
        }
    }
    all
}

fn add(all: &mut Vec<ModuleProblem>, found: ModuleProblem, place: OperationPlace) {
    let at = placed(all, found);
    all[at].note(place);
}

/// The operations that reduce elements and that no reader knows.
const UNREAD: [&str; 4] = [
    "linalg.pooling_",
    "iree_linalg_ext.topk",
    "iree_linalg_ext.scan",
    "iree_linalg_ext.sort",
];

/// Returns the reason why an operation that reduces elements is not read.
fn unread(statement: Statement<'_>) -> Option<String> {
    let name = statement.name();
    let is_unread = UNREAD.iter().any(|unread| name.starts_with(unread));
    is_unread.then(|| {
        format!(
            "{name} has no kernel; kernels replace linalg.generic, linalg.reduce, linalg.softmax, \
             products with a vector and iree_linalg_ext.arg_compare"
        )
    })
}

const TWO_RESULTS: &str = "a linalg.generic with two results in a form that no kernel replaces";

const UNREAD_INDICES: &str = "it computes the extreme with its index, and nothing reads the index: \
                              a kernel needs a fold, such as arith.maximumf, and equal operations \
                              without readers of their indices";

/// Returns true if an operation has a value and its index for results, and nothing reads the index.
fn has_unread_indices(module: &str, begin: usize, statement: Statement<'_>) -> bool {
    let line = module[..begin].rfind('\n').map_or(0, |end| end + 1);
    let defined = module[line..begin].trim_start();
    let Some((name, results)) = defined
        .split_once(":2")
        .zip(statement.text.rsplit_once("-> ("))
    else {
        return false;
    };
    let is_index = |element: &str| matches!(element, "i32" | "i64" | "index");
    let elements = types(results.1).map(|it| parts(it).1);
    let elements: Vec<bool> = elements.map(is_index).collect();
    // Integers and their indices look alike.
    let Some(number) = elements.iter().position(|it| *it) else {
        return false;
    };
    let result = format!("{}#{number}", name.0);
    let mut uses = module.match_indices(&result).map(|it| it.0 + result.len());
    elements.len() == 2
        && elements[0] != elements[1]
        && uses.all(|end| module[end..].starts_with(|it: char| it.is_ascii_digit()))
}

/// Returns the position of the equal entry, which is added if it is new.
fn placed(all: &mut Vec<ModuleProblem>, found: ModuleProblem) -> usize {
    let place = all.iter().position(|one| {
        // Refused operations with equal reasons are counted together, too.
        let is_same = (&one.problem, one.form) == (&found.problem, found.form);
        let forms = |it: &ModuleProblem| (it.linalg.clone(), it.beside.clone());
        is_same && one.shares_with == found.shares_with && forms(one) == forms(&found)
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
        beside: Vec::new(),
        is_arg_compare: false,
        parts: Vec::new(),
        rest: Traffic::default(),
        shares_with: None,
        needs_folding: false,
        count: 0,
        places: Vec::new(),
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
        beside: found.beside.clone(),
        is_arg_compare: form.name() == "arg_compare",
        parts: parts.collect(),
        rest: found.rest,
        ..none("")
    }
}

impl ModuleProblem {
    /// Sets the place in the user's file of each operation, by its line in the module.
    pub fn locate(&mut self, location: impl Fn(usize) -> Option<String>) {
        for place in &mut self.places {
            place.location = location(place.line);
        }
    }

    /// Counts an operation.
    fn note(&mut self, place: OperationPlace) {
        self.count += 1;
        if self.places.len() < MAX_PLACES {
            self.places.push(place);
        }
    }
}

const IN_INITIALIZER: &str = "it is in an initializer, which the export does not change";

/// The operations of linalg, by their byte positions.
struct LinalgOperations {
    found: HashMap<usize, ModuleReduction>,
    /// Those that share operations with another one.
    sharing: HashMap<usize, ModuleReduction>,
    /// The positions of operations that are a part of another one.
    parts: HashSet<usize>,
}

impl LinalgOperations {
    fn of(found: Vec<ModuleReduction>) -> LinalgOperations {
        let parts = found.iter().flat_map(|it| {
            let parts = it.reductions.iter().copied();
            parts.filter(|place| *place != it.place)
        });
        let parts = parts.collect();
        let (sharing, found): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|it| it.shares_with.is_some());
        let by_place = |all: Vec<ModuleReduction>| all.into_iter().map(|it| (it.place, it));
        LinalgOperations {
            parts,
            found: by_place(found).collect(),
            sharing: by_place(sharing).collect(),
        }
    }

    /// Returns the entry of the operation at this byte that shares operations with another one.
    fn sharing(&self, begin: usize, function: &Function<'_>) -> Option<ModuleProblem> {
        let found = self
            .sharing
            .get(&begin)
            .filter(|_| !function.is_initializer)?;
        let (problem, form) = (found.problem.as_ref().ok()?, found.form.as_ref()?);
        let other = self.found.get(&found.shares_with?)?.problem.as_ref().ok()?;
        Some(ModuleProblem {
            shares_with: Some(other.clone()),
            ..seen_as(found, problem, form)
        })
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

    /// Returns the reason why the operation at this byte is no problem, and the line that is at
    /// fault.
    fn refused(&self, begin: usize) -> Option<(ModuleProblem, usize)> {
        let error = self.found.get(&begin)?.problem.as_ref().err()?;
        Some((none(error.message.clone()), error.line))
    }
}

/// Returns the key of equal operations: the text without names of values, and the definitions of
/// its operands.
fn key<'a>(function: &Function<'a>, statement: Statement<'a>, is_unread: bool) -> Vec<&'a str> {
    let words = tokens(statement.text).into_iter().map(|token| match token {
        StatementToken::Other(word) => [word, ""],
        StatementToken::Value(name, number) => {
            let definition = function.definition(name);
            [definition.map_or("%", |it| it.text), number]
        }
    });
    let unread = is_unread.then_some("unread");
    words.flatten().chain(unread).collect()
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
    is_unread: bool,
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
            is_arg_compare,
            ..none("")
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
        if let Some(form) = form(problem, function, statement, is_unread) {
            return found(Ok(problem.clone()), Some(form));
        }
    }
    // The comparator differs in form from those of kernels.
    let begins = |problem: &&Problem| is_arg_compare && begins_as(problem, function, statement);
    match candidates.iter().find(begins) {
        Some(problem) => found(Ok(problem.clone()), None),
        None if is_arg_compare => found(Err("its initial pair is not supported".to_owned()), None),
        None => {
            let reason = match is_unread {
                true => UNREAD_INDICES,
                false => TWO_RESULTS,
            };
            found(Err(reason.to_owned()), None)
        }
    }
}

/// Returns the form in which a problem is this operation.
fn form(
    problem: &Problem,
    function: &Function<'_>,
    statement: Statement<'_>,
    is_unread: bool,
) -> Option<&'static str> {
    let operation = ModuleArgCompare::of(problem).ok()?;
    let is_this = |form: &FrontendForm| compare(&operation, *form, function, statement, |it| it);
    // A maximum keeps a NaN, which an argmax passes over.
    let keeps_nan = |form: &FrontendForm| problem.element.is_float() && form.has_extreme();
    FrontendForm::of(&operation)
        .into_iter()
        .filter(|form| !is_unread || !keeps_nan(form))
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
