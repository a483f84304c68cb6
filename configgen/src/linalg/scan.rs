//! Goes through a text from one reduction to the next.
//!
//! Each part of the text is looked at once, and what one operation is made of within its own brackets alone, so that the time goes with
//! the length of the text; of what is read beyond (maps, constants, fills) there is so much for each of a few reductions.

use std::collections::HashSet;

use super::MAX_REDUCTIONS;
use super::arg_compare::arg_compare;
use super::chain::{Chains, NamedOperation};
use super::fused_arg_compare::compared;
use super::header::{LinalgName, OperationHeader};
use super::operation_context::OperationContext;
use super::product;
use super::reduction_reader::{PlainProblem, problem};
use super::softmax::{self, softmax};
use crate::Problem;
use crate::comparator::{ARG_COMPARE, ComparatorError, Cursor, MlirToken};

/// A reduction: where it stands, and the problem that it is, or why it is none.
type ScannedReduction<'a> = (Cursor<'a>, Result<Problem, ComparatorError>);

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanScope {
    /// A text with few operations, in which nothing is to be wrong.
    Text,
    /// A module, of which what is not understood is passed over.
    Module,
}

/// The most operations of a module that reduce something.
const MAX_OF_MODULE: usize = 1 << 16;

/// The operations of a text.
pub(super) struct ScannedText<'a> {
    /// Those that reduce something, each by itself.
    pub(super) singles: Vec<(Cursor<'a>, Result<PlainProblem, ComparatorError>)>,
    /// What they may be together.
    pub(super) chains: Chains<'a>,
}

/// What changes nothing but the dimensions of size 1, in chains.
const RESHAPES: [&str; 2] = ["tensor.collapse_shape", "tensor.expand_shape"];

/// All operations of a text that reduce something, in their order, but for those of chains: each of these is one.
pub(super) fn reductions(text: &str) -> Result<Vec<ScannedReduction<'_>>, ComparatorError> {
    with_chains(scan(text, ScanScope::Text)?)
}

/// Goes through a text.
pub(super) fn scan(text: &str, scope: ScanScope) -> Result<ScannedText<'_>, ComparatorError> {
    let most = match scope {
        ScanScope::Text => MAX_REDUCTIONS,
        ScanScope::Module => MAX_OF_MODULE,
    };
    let limited = |found: usize, start: Cursor<'_>| match found >= most {
        true => Err(start.error(format!("a text may have at most {most} reductions"))),
        false => Ok(()),
    };
    let mut cursor = Cursor::new(text);
    let mut around = OperationContext::default();
    let mut chains = Chains::default();
    let mut found = Vec::new();
    loop {
        let start = cursor;
        let mut ahead;
        let header = match cursor.next() {
            token @ (MlirToken::Word(softmax::NAME) | MlirToken::Quoted(softmax::NAME)) => {
                let is_generic = matches!(token, MlirToken::Quoted(_));
                limited(found.len(), start)?;
                // Where it is none, the text goes on behind its name.
                let mut ahead = cursor;
                let reading = softmax(start, &mut ahead, is_generic);
                let reading = reading.map(|softmax| {
                    cursor = ahead;
                    let named = NamedOperation::Softmax(softmax.dimension);
                    chains.named(start, named, softmax.operands, &around.scopes);
                    PlainProblem {
                        problem: softmax.problem,
                        first: 0,
                    }
                });
                found.push((start, reading));
                continue;
            }
            MlirToken::End => {
                return Ok(ScannedText {
                    singles: found,
                    chains,
                });
            }
            MlirToken::Symbol("{") => {
                around.scopes.open();
                continue;
            }
            MlirToken::Symbol("}") => {
                around.scopes.close();
                continue;
            }
            MlirToken::Value(name) => {
                if !around.scopes.define(name, cursor) {
                    chains.otherwise(name, &around.scopes);
                }
                continue;
            }
            MlirToken::Word(ARG_COMPARE) if scope == ScanScope::Module => {
                if let Some(read) = arg_compare(&mut cursor, &around.scopes) {
                    let named = NamedOperation::ArgCompare(read.dimension, read.region);
                    chains.named(start, named, read.operands, &around.scopes);
                }
                continue;
            }
            MlirToken::Word("arith.constant") => {
                chains.constant(start, cursor);
                continue;
            }
            MlirToken::Quoted("arith.constant") => {
                let mut value = cursor;
                if ["(", ")", "<", "{", "value", "="]
                    .iter()
                    .all(|it| value.accept(it))
                {
                    chains.constant(start, value);
                }
                continue;
            }
            MlirToken::Word("linalg.fill") | MlirToken::Quoted("linalg.fill") => {
                chains.fill(start, &around.scopes);
                continue;
            }
            MlirToken::Word(name) | MlirToken::Quoted(name) if RESHAPES.contains(&name) => {
                chains.reshape(start, cursor, &around.scopes);
                // Its operand is not one of something else.
                let mut ahead = cursor;
                ahead.accept("(");
                if let MlirToken::Value(_) = ahead.next() {
                    cursor = ahead;
                }
                continue;
            }
            MlirToken::Symbol("#") => {
                let mut ahead = cursor;
                match around.alias(&mut ahead) {
                    Ok(()) => cursor = ahead,
                    Err(error) if scope == ScanScope::Text => return Err(error),
                    Err(_) => {}
                }
                continue;
            }
            MlirToken::Word(name) if let Some(product) = product::of(name) => {
                let mut ahead = cursor;
                let reading = product.read(start, &mut ahead, &around).transpose();
                let Some(reading) = reading else {
                    continue;
                };
                limited(found.len(), start)?;
                let reading = reading.map(|read| {
                    cursor = ahead;
                    let named = NamedOperation::Product(read.written);
                    chains.named(start, named, read.operands, &around.scopes);
                    read.plain
                });
                found.push((start, reading));
                continue;
            }
            MlirToken::Word(name) => match LinalgName::of(name) {
                Some(name) => {
                    ahead = cursor;
                    OperationHeader::custom(start, &mut ahead, name, &around.traits)
                }
                None => continue,
            },
            MlirToken::Quoted(name) => match LinalgName::of(name) {
                Some(name) if cursor.peek() == MlirToken::Symbol("(") => {
                    ahead = cursor;
                    OperationHeader::generic(start, &mut ahead, name)
                }
                _ => continue,
            },
            _ => continue,
        };
        let header = match header {
            Ok(header) => header,
            Err(error) if scope == ScanScope::Text => return Err(error),
            Err(_) => continue,
        };
        cursor = ahead;
        chains.generic(&header, &mut around);
        if !header.reduces() {
            continue;
        }
        limited(found.len(), start)?;
        found.push((start, problem(&header, &around)));
    }
}

/// Puts chains in the place of their reductions.
fn with_chains(scanned: ScannedText<'_>) -> Result<Vec<ScannedReduction<'_>>, ComparatorError> {
    let chains = scanned.chains.found()?;
    let users = scanned.chains.users();
    let comparison = |place: Cursor<'_>| {
        let alone = scanned.chains.with_own(place.offset(), &users, |_| false)?;
        Some(compared(&scanned.chains, &alone)?.problem)
    };
    let singles = scanned.singles.into_iter();
    let singles = singles.map(|(place, single)| match single {
        Ok(plain) => (place, Ok(plain.problem)),
        Err(error) => (place, comparison(place).ok_or(error)),
    });
    let mut found: Vec<ScannedReduction<'_>> = singles.collect();
    let within = chains.iter().flat_map(|chain| &chain.reductions);
    let within: HashSet<usize> = within.copied().collect();
    found.retain(|(place, _)| !within.contains(&place.offset()));
    found.extend(chains.into_iter().map(|it| (it.place, it.reading)));
    found.sort_by_key(|(place, _)| place.offset());
    Ok(found)
}
