//! The values of operations around a body that it uses, as `tensor.extract` does.

use super::super::header::{BodySyntax, OperationHeader};
use crate::comparator::{MlirToken, Scopes};

/// Returns the values of operations around this one that its body uses, constants excluded.
pub(super) fn captures<'a>(header: &OperationHeader<'a>, scopes: &Scopes<'a>) -> Vec<&'a str> {
    let mut cursor = match header.body {
        BodySyntax::Block(cursor) => cursor,
        BodySyntax::Arguments(mut cursor) => match cursor.skip_brackets() {
            Ok(()) => cursor,
            Err(_) => return Vec::new(),
        },
        // An operation without operands.
        BodySyntax::Payload(_) => return Vec::new(),
    };
    let mut ahead = cursor;
    if ahead.peek() != MlirToken::Symbol("{") || ahead.skip_brackets().is_err() {
        return Vec::new();
    }
    let mut names = Vec::new();
    while cursor.offset() < ahead.offset() {
        let MlirToken::Value(name) = cursor.next() else {
            continue;
        };
        let (base, _) = name.split_once('#').unwrap_or((name, ""));
        if scopes.find(base).is_some() && scopes.constant(base).is_none() {
            names.push(name);
        }
    }
    names
}
