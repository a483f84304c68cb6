//! Goes through a text from one reduction to the next.
//!
//! Each part of the text is looked at once, and what one operation is made of within its own brackets alone, so that the time goes with
//! the length of the text; of what is read beyond (maps, constants, fills) there is so much for each of a few reductions.

use super::MAX_REDUCTIONS;
use super::around::Around;
use super::header::{Header, Name};
use super::reading::problem;
use super::softmax;
use crate::Problem;
use crate::comparator::{ComparatorError, Cursor, Token};

/// A reduction: line and column, and the problem that it is, or why it is none.
type Found = ((usize, usize), Result<Problem, ComparatorError>);

/// All operations of a text that reduce something.
pub(super) fn reductions(text: &str) -> Result<Vec<Found>, ComparatorError> {
    let mut cursor = Cursor::new(text);
    let mut around = Around::default();
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
                let place = start.error("");
                found.push(((place.line, place.column), reading));
                continue;
            }
            Token::End => return Ok(found),
            Token::Symbol("{") => {
                around.scopes.open();
                continue;
            }
            Token::Symbol("}") => {
                around.scopes.close();
                continue;
            }
            Token::Value(name) => {
                around.scopes.define(name, cursor);
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
        if !header.reduces() {
            continue;
        }
        limited(found.len(), start)?;
        let place = start.error("");
        let reading = problem(&header, &around);
        found.push(((place.line, place.column), reading));
    }
}

fn limited(found: usize, start: Cursor<'_>) -> Result<(), ComparatorError> {
    match found == MAX_REDUCTIONS {
        true => Err(start.error(format!("a text has at most {MAX_REDUCTIONS} reductions"))),
        false => Ok(()),
    }
}
