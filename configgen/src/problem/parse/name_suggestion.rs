//! Suggestions for names that no operation has.

use super::{ComparatorText, Parser};
use crate::ElementType;
use crate::comparator::Comparator;
use crate::problem::ProblemError;
use crate::reduction::program::ROWS;
use crate::reduction::{Combining, NamedFold, POINTWISE, RowOperation};

/// The names of signed integer comparators, and of their unsigned counterparts.
pub(super) const UNSIGNED: [(&str, &str); 4] = [
    ("argmax", "argmax.ugt"),
    ("argmin", "argmin.ult"),
    ("argmax_last", "argmax.uge"),
    ("argmin_last", "argmin.ule"),
];

/// Names in torch, JAX, NumPy and ONNX, with the names of the same operations here.
const ALIASES: [(&str, &str); 31] = [
    ("absmax", "abs_max"),
    ("amax", "max"),
    ("amin", "min"),
    ("crossentropy", "cross_entropy"),
    ("gather", "copy"),
    ("inner", "dot"),
    ("layernorm", "layer_norm"),
    ("log_softmax_v2", "log_softmax"),
    ("logsoftmax", "log_softmax"),
    ("logsumexp", "log_sum_exp"),
    ("lse", "log_sum_exp"),
    ("matvec", "dot"),
    ("maximum", "max"),
    ("minimum", "min"),
    ("nanmax", "maxnum"),
    ("nanmin", "minnum"),
    ("parity", "xor"),
    ("prod", "product"),
    ("reduce_log_sum_exp", "log_sum_exp"),
    ("reduce_max", "max"),
    ("reduce_min", "min"),
    ("reduce_prod", "product"),
    ("reduce_sum", "sum"),
    ("reducelogsumexp", "log_sum_exp"),
    ("reducemax", "max"),
    ("reducemin", "min"),
    ("reducesum", "sum"),
    ("rmsnorm", "rms_norm"),
    ("sum_square", "square_sum"),
    ("transpose", "copy"),
    ("vecdot", "dot"),
];

/// Names of operations that no problem computes, with a replacement.
const ABSENT: [(&[&str], &str); 8] = [
    (
        &["mean", "average", "reduce_mean"],
        "write a row program, as in rows(sum(x)/768):64x[768]xf32",
    ),
    (
        &["var", "std", "variance", "var_mean", "std_mean"],
        "write a row program, as in rows(m=sum(x)/768;sum((x-m)*(x-m))/768):64x[768]xf32",
    ),
    (
        &["norm", "l2norm", "linalg_norm"],
        "write a row program, as in rows(sqrt(sum(x*x))):64x[768]xf32",
    ),
    (
        &["topk", "top_k", "sort", "argsort", "kthvalue", "median"],
        "an operation returns one element per row: \"argmax\" returns the greatest with its index",
    ),
    (
        &["cumsum", "cumprod", "cummax", "scan", "logcumsumexp"],
        "an operation returns one result per row, not one per prefix: \"sum\" returns the last one",
    ),
    (
        &["any"],
        "for truth values (i1) write \"or\", as in or:4x[8]xi1",
    ),
    (
        &["all"],
        "for truth values (i1) write \"and\", as in and:4x[8]xi1",
    ),
    (
        &[
            "add", "sub", "mul", "div", "abs", "relu", "neg", "sqrt", "exp", "gelu", "silu",
            "sigmoid", "tanh", "where",
        ],
        "write a function of each element as a \"map\", as in map(math.absf(0)):64x768xf32",
    ),
];

impl<'a> Parser<'a> {
    /// Refuses a name at `start` that another library uses for an operation.
    pub(super) fn check_name(
        &self,
        start: &str,
        written: ComparatorText<'_>,
    ) -> Result<(), ProblemError> {
        let ComparatorText::Name(name) = written else {
            return Ok(());
        };
        let alias = ALIASES.iter().find(|it| it.0 == name);
        let absent = ABSENT.iter().find(|it| it.0.contains(&name));
        let message = match (alias, absent) {
            (Some((_, ours)), _) => format!("\"{name}\" is called \"{ours}\" here"),
            (_, Some((_, instead))) => format!("no operation is called \"{name}\": {instead}"),
            _ => return Ok(()),
        };
        Err(self.error(start, message))
    }

    /// Returns the error for a name at `start` that no operation of these elements has.
    pub(super) fn unknown_name(
        &self,
        start: &str,
        (name, element, unsigned): (&str, ElementType, bool),
    ) -> ProblemError {
        let known = meant(name, element, unsigned);
        let message = known.unwrap_or_else(|| {
            // The list depends on the element type: floats have `_nan` names, unsigned integers
            // only four.
            let comparators: Vec<&str> = match unsigned {
                true => UNSIGNED.iter().map(|pair| pair.0).collect(),
                false => Comparator::names(element).collect(),
            };
            let sign = if unsigned { "unsigned " } else { "" };
            let meant = nearest(name, &comparators);
            let meant = meant.map_or(String::new(), |it| format!("did you mean \"{it}\"? "));
            let reductions: Vec<&str> = reductions().collect();
            format!(
                "{meant}a comparator of {sign}{element} is one of {}; a plain reduction is one of {}; others are {}",
                comparators.join(", "),
                reductions.join(", "),
                others().collect::<Vec<_>>().join(", ")
            )
        });
        self.error(start, message)
    }
}

fn reductions() -> impl Iterator<Item = &'static str> {
    let named = NamedFold::ALL.map(NamedFold::name);
    Combining::ALL.map(Combining::name).into_iter().chain(named)
}

fn others() -> impl Iterator<Item = &'static str> {
    let rows = RowOperation::ALL.map(RowOperation::name);
    rows.into_iter().chain([ROWS]).chain(POINTWISE)
}

/// Returns the reason why these elements have no comparator of a name that other elements have.
fn meant(name: &str, element: ElementType, unsigned: bool) -> Option<String> {
    if name == "arg_compare" || name == "unordered" {
        return Some(format!(
            "a comparator comes in braces after \"{name}\", as in {name}{{arith.cmpf(ogt,0,1)}}:4x[8]xf32"
        ));
    }
    if unsigned && Comparator::named(name, element).is_some() {
        return Some(format!(
            "\"{name}\" determines the sign of integers: write \"{element}\" without the \"u\""
        ));
    }
    let has = |it: &ElementType| Comparator::named(name, *it).is_some();
    let of = ElementType::ALL.into_iter().find(has)?;
    Some(match (of.is_float(), element.is_float()) {
        (true, false) if name.ends_with("_nan") => {
            let plain = name.trim_end_matches("_nan");
            format!(
                "\"{name}\" compares floats, and these are {element}, which has no NaN: write \"{plain}\""
            )
        }
        (true, false) => format!("\"{name}\" compares floats, and these are {element}"),
        (false, true) => format!("\"{name}\" compares integers, and these are {element}"),
        _ => return None,
    })
}

/// Returns the names of all operations: comparators of any type, reductions, rows and maps.
pub fn operation_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    let comparators = ElementType::ALL.into_iter().flat_map(Comparator::names);
    for name in comparators.chain(reductions()).chain(others()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the most similar candidate, if one is similar enough.
pub fn nearest_name<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let distance = |it: &&str| strsim::damerau_levenshtein(name, it);
    let found = candidates.into_iter().min_by_key(distance)?;
    // At most one letter in three may differ.
    (distance(&found) * 3 <= name.chars().count()).then_some(found)
}

/// Returns the most similar name, if one is similar enough.
fn nearest(name: &str, comparators: &[&'static str]) -> Option<&'static str> {
    let all = comparators.iter().copied();
    nearest_name(name, all.chain(reductions()).chain(others()))
}
