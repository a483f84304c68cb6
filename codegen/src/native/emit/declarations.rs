//! Declarations of LLVM's intrinsics, taken from their calls: a call says all types.

use std::collections::BTreeSet;

/// A `declare` for each intrinsic that is called in the text, in the order of their names.
pub(super) fn declarations(text: &str) -> String {
    let mut declared = BTreeSet::new();
    for line in text.lines() {
        if let Some((before, call)) = line.split_once(" @llvm.") {
            declared.extend(declaration(before, call));
        }
    }
    declared
        .into_iter()
        .map(|(name, result, parameters)| format!("declare {result} @llvm.{name}({parameters})\n"))
        .collect()
}

/// Name, result type and parameter types of one call: what stands before its name, and from the name on.
fn declaration<'a>(before: &'a str, call: &'a str) -> Option<(&'a str, &'a str, String)> {
    let (_, result) = before.split_once("call ")?;
    let result = result.strip_prefix("nnan ").unwrap_or(result);
    let (name, arguments) = call.split_once('(')?;
    let mut rest = arguments.strip_suffix(')')?;
    let mut parameters = Vec::new();
    while !rest.is_empty() {
        let kind = &rest[..type_length(rest)];
        parameters.push(kind);
        let value = &rest[kind.len()..];
        rest = &value[value_length(value)..];
        rest = rest.strip_prefix(", ").unwrap_or(rest);
    }
    Some((name, result, parameters.join(", ")))
}

/// The length of the type that the text begins with.
fn type_length(text: &str) -> usize {
    let end = |close: char| text.find(close).map_or(text.len(), |at| at + 1);
    match text.as_bytes().first() {
        Some(b'{') => end('}'),
        Some(b'<') => end('>'),
        _ if text.starts_with("ptr addrspace(") => end(')'),
        _ => text.find(' ').unwrap_or(text.len()),
    }
}

/// The length of the value that the text begins with: up to a comma outside of brackets.
fn value_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '<' | '{' => depth += 1,
            ')' | '>' | '}' => depth -= 1,
            ',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(declarations(line).trim_end(), expected);
    }

    #[test]
    fn calls() {
        check("  %v1 = add i32 %v0, 1", "");
        check(
            "  call void @llvm.amdgcn.s.barrier()",
            "declare void @llvm.amdgcn.s.barrier()",
        );
        check(
            "  %v5 = call nnan float @llvm.maxnum.f32(float %v3, float bitcast (i32 -1 to float))",
            "declare float @llvm.maxnum.f32(float, float)",
        );
        check(
            "  %v5 = call { i32, i32 } @llvm.amdgcn.permlane16.swap(i32 %v3, i32 %v3, i1 false, i1 false)",
            "declare { i32, i32 } @llvm.amdgcn.permlane16.swap(i32, i32, i1, i1)",
        );
        check(
            "  %v5 = call <2 x half> @llvm.maxnum.v2f16(<2 x half> <half 0xH0, half 0xH1>, <2 x half> %v2)",
            "declare <2 x half> @llvm.maxnum.v2f16(<2 x half>, <2 x half>)",
        );
    }
}
