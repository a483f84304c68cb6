//! Goes through a text from one reduction to the next.
//!
//! Each part of the text is looked at once, and what one operation is made of within its own brackets alone, so that the time goes with
//! the length of the text; of what is read beyond (maps, constants, fills) there is so much for each of a few reductions.

use std::collections::HashSet;

use super::MAX_REDUCTIONS;
use super::around::Around;
use super::chain::Chains;
use super::header::{Header, Name};
use super::reading::problem;
use super::softmax;
use crate::Problem;
use crate::comparator::{ComparatorError, Cursor, Token};

/// A reduction: where it stands, and the problem that it is, or why it is none.
type Found<'a> = (Cursor<'a>, Result<Problem, ComparatorError>);

/// What changes nothing but the dimensions of size 1, in chains.
const RESHAPES: [&str; 2] = ["tensor.collapse_shape", "tensor.expand_shape"];

/// All operations of a text that reduce something, in their order, but for those of chains: each of these is one.
pub(super) fn reductions(text: &str) -> Result<Vec<Found<'_>>, ComparatorError> {
    let mut cursor = Cursor::new(text);
    let mut around = Around::default();
    let mut chains = Chains::default();
    let mut found = Vec::new();
    loop {
        let start = cursor;
        let header = match cursor.next() {
            token @ (Token::Word(softmax::NAME) | Token::Quoted(softmax::NAME)) => {
                let is_generic = matches!(token, Token::Quoted(_));
                limited(found.len(), start)?;
                // Where it is none, the text goes on behind its name.
                let mut ahead = cursor;
                let reading = softmax::problem(start, &mut ahead, is_generic);
                if reading.is_ok() {
                    cursor = ahead;
                }
                found.push((start, reading));
                continue;
            }
            Token::End => return with_chains(found, &chains),
            Token::Symbol("{") => {
                around.scopes.open();
                continue;
            }
            Token::Symbol("}") => {
                around.scopes.close();
                continue;
            }
            Token::Value(name) => {
                if !around.scopes.define(name, cursor) {
                    chains.otherwise(name, &around.scopes);
                }
                continue;
            }
            Token::Word("linalg.fill") | Token::Quoted("linalg.fill") => {
                chains.fill(start, &around.scopes);
                continue;
            }
            Token::Word(name) | Token::Quoted(name) if RESHAPES.contains(&name) => {
                chains.reshape(start, cursor, &around.scopes);
                // Its operand is not one of something else.
                let mut ahead = cursor;
                ahead.accept("(");
                if let Token::Value(_) = ahead.next() {
                    cursor = ahead;
                }
                continue;
            }
            Token::Symbol("#") => {
                around.alias(&mut cursor)?;
                continue;
            }
            Token::Word(name) => match Name::of(name) {
                Some(name) => Header::custom(start, &mut cursor, name, &around.traits)?,
                None => continue,
            },
            Token::Quoted(name) => match Name::of(name) {
                Some(name) if cursor.peek() == Token::Symbol("(") => {
                    Header::generic(start, &mut cursor, name)?
                }
                _ => continue,
            },
            _ => continue,
        };
        chains.generic(&header, &mut around);
        if !header.reduces() {
            continue;
        }
        limited(found.len(), start)?;
        found.push((start, problem(&header, &around)));
    }
}

/// Puts chains in the place of their reductions.
fn with_chains<'a>(
    mut found: Vec<Found<'a>>,
    chains: &Chains<'a>,
) -> Result<Vec<Found<'a>>, ComparatorError> {
    let chains = chains.found()?;
    let within = chains.iter().flat_map(|chain| &chain.reductions);
    let within: HashSet<usize> = within.copied().collect();
    found.retain(|(place, _)| !within.contains(&place.offset()));
    found.extend(chains.into_iter().map(|it| (it.place, it.reading)));
    found.sort_by_key(|(place, _)| place.offset());
    Ok(found)
}

fn limited(found: usize, start: Cursor<'_>) -> Result<(), ComparatorError> {
    match found == MAX_REDUCTIONS {
        true => Err(start.error(format!("a text has at most {MAX_REDUCTIONS} reductions"))),
        false => Ok(()),
    }
}
