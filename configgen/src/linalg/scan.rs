//! The scanner: walks through a text from one reduction to the next.
//!
//! It reads each part of the text once, and parses an operation within its own brackets only. The
//! time is therefore proportional to the length of the text. Maps, constants and fills are read
//! again for each reduction, which are few.

use std::collections::HashSet;

use super::MAX_REDUCTIONS;
use super::arg_compare::arg_compare;
use super::chain::{Chains, NamedOperation};
use super::fused_arg_compare::compared;
use super::header::{LinalgName, OperationHeader};
use super::operation_context::OperationContext;
use super::product;
use super::reduction_reader::{PlainProblem, problem};
use super::slice::{SliceOperation, slice};
use super::softmax::{self, softmax};
use crate::Problem;
use crate::comparator::{ARG_COMPARE, ComparatorError, Cursor, MlirToken};

/// The position of a reduction with its problem, or with the reason why it is none.
type ScannedReduction<'a> = (Cursor<'a>, Result<Problem, ComparatorError>);

/// The kind of a scanned text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanScope {
    /// A text with few operations; every fault is an error.
    Text,
    /// A module; unknown syntax is skipped.
    Module,
}

/// The largest number of reducing operations of a module.
const MAX_OF_MODULE: usize = 1 << 16;

/// The operations of a scanned text.
pub(super) struct ScannedText<'a> {
    /// The reducing operations, each on its own.
    pub(super) singles: Vec<(Cursor<'a>, Result<PlainProblem, ComparatorError>)>,
    /// The chains that they may form.
    pub(super) chains: Chains<'a>,
}

/// The operations that only add or remove dimensions of size 1 in chains.
const RESHAPES: [&str; 2] = ["tensor.collapse_shape", "tensor.expand_shape"];

/// Returns the reducing operations of a text, in order, with one entry per chain.
pub(super) fn reductions(text: &str) -> Result<Vec<ScannedReduction<'_>>, ComparatorError> {
    with_chains(scan(text, ScanScope::Text)?)
}

/// Scans a text.
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
                // If it is no softmax, the scan continues behind its name.
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
            MlirToken::Word(name)
                if scope == ScanScope::Module && SliceOperation::is_name(name) =>
            {
                if let Some(read) = slice(name, &mut cursor) {
                    let named = NamedOperation::Slice(read.operation, read.sizes);
                    chains.named(start, named, read.operands, &around.scopes);
                }
                continue;
            }
            MlirToken::Word("arith.constant") => {
                chains.constant(start, cursor);
                continue;
            }
            MlirToken::Quoted("arith.constant") => {
                // The generic form has its value as an attribute.
                let mut value = cursor;
                if value.accept_all(&["(", ")", "<", "{", "value", "="]) {
                    chains.constant(start, value);
                }
                continue;
            }
            MlirToken::Word("linalg.fill") | MlirToken::Quoted("linalg.fill") => {
                chains.fill(start, &around.scopes);
                continue;
            }
            MlirToken::Word(name) | MlirToken::Quoted(name) if RESHAPES.contains(&name) => {
                let is_read = chains.reshape(start, cursor, &around.scopes);
                // The operand belongs to the reshape, so it must not count as another use.
                let mut ahead = cursor;
                ahead.accept("(");
                if let (true, MlirToken::Value(_)) = (is_read, ahead.next()) {
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
        // A module may contain syntax that this reader does not know.
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

/// Replaces the reductions of each chain by the chain.
fn with_chains(scanned: ScannedText<'_>) -> Result<Vec<ScannedReduction<'_>>, ComparatorError> {
    let chains = scanned.chains.found()?;
    let users = scanned.chains.users();
    let comparison = |place: Cursor<'_>| {
        // A refused single may still be an `arg_compare` that is written as a generic.
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
