//! The passes that put calls in place of gathers ([`Gather`]).
//!
//! A matcher compares a body that takes elements of a tensor only if it has passed the tensor's
//! producer before. Three passes make that so:
//!
//! 1. Behind the producer of such a tensor stands a call that returns the tensor. Behind the
//!    gather stands a call that takes the tensor and the result, and returns the result. From
//!    there a matcher reaches both.
//! 2. A call to a function with the gather replaces all of these.
//! 3. The calls behind producers become their operands again.
//!
//! IREE inlines the calls that no matcher finds.

use std::fmt::{self, Formatter};

use configgen::linalg::{Gather, Type};

use super::sequences::{matched, used};

/// The gathers of a spec, each once.
pub(super) struct Gathers(Vec<Gather>);

/// A table and the result of a gather from it.
type Tie = (Type, Type);

impl FromIterator<Gather> for Gathers {
    fn from_iter<T: IntoIterator<Item = Gather>>(all: T) -> Gathers {
        let mut gathers = Vec::new();
        for gather in all {
            if !gathers.contains(&gather) {
                gathers.push(gather);
            }
        }
        Gathers(gathers)
    }
}

impl Gathers {
    /// Prints functions, matchers and sequences. Returns the rules of each pass.
    pub(super) fn passes(&self, f: &mut Formatter<'_>) -> Result<Vec<Vec<String>>, fmt::Error> {
        let mut ties: Vec<Tie> = Vec::new();
        for gather in &self.0 {
            let kinds: Vec<&Type> = gather.operands().collect();
            for table in &kinds[gather.tables()] {
                let tie = ((*table).clone(), gather.result().clone());
                if !ties.contains(&tie) {
                    ties.push(tie);
                }
            }
        }
        let mut passes = vec![Vec::new(); 3];
        let mut tables: Vec<&Type> = Vec::new();
        for tie in &ties {
            if !tables.contains(&&tie.0) {
                tables.push(&tie.0);
                passes[2].push(table(f, &tie.0)?);
            }
            passes[0].push(self::tie(f, tie)?);
        }
        for gather in &self.0 {
            passes[1].push(call(f, gather)?);
        }
        Ok(passes)
    }
}

/// Returns `4x8xf32`, with `d` for an open size.
fn word(kind: &Type) -> String {
    let sizes = kind.sizes.iter().map(|size| match size {
        Some(size) => format!("{size}x"),
        None => "dx".to_owned(),
    });
    sizes.collect::<String>() + kind.element.name()
}

fn table_name(table: &Type) -> String {
    format!("wavetune_table_{}", word(table))
}

fn tie_name((table, gathered): &Tie) -> String {
    format!("wavetune_tie_{}_{}", word(table), word(gathered))
}

fn rule(name: &str) -> String {
    format!("        @match_{name} -> @use_{name}")
}

/// Returns `"util.call"(%a, %b) <{callee = @name}> : (…) -> …`.
fn called(name: &str, operands: &[(&str, &Type)], result: &Type) -> String {
    let names: Vec<&str> = operands.iter().map(|it| it.0).collect();
    let kinds: Vec<String> = operands.iter().map(|it| it.1.to_string()).collect();
    let (names, kinds) = (names.join(", "), kinds.join(", "));
    format!("\"util.call\"({names}) <{{callee = @{name}}}> : ({kinds}) -> {result}")
}

/// Prints the function that returns a table, and the rule that replaces a call by its operand.
fn table(f: &mut Formatter<'_>, kind: &Type) -> Result<String, fmt::Error> {
    let name = table_name(kind);
    write!(
        f,
        "
  util.func private @{name}(%table: {kind}) -> {kind} {{
    util.return %table : {kind}
  }}
"
    )?;
    used(f, &name, "")?;
    let call = called(&name, &[("%table", kind)], kind);
    let block = fmt::from_fn(|f| write!(f, "    ^bb0(%table: {kind}):\n      %read = {call}\n"));
    matched(f, &name, block)?;
    Ok(rule(&name))
}

/// Prints the rule that inserts the calls behind a table's producer and behind a gather.
fn tie(f: &mut Formatter<'_>, tie: &Tie) -> Result<String, fmt::Error> {
    let (table, gathered) = tie;
    let (name, of_table) = (tie_name(tie), table_name(table));
    let indices: Vec<String> = (0..table.sizes.len())
        .map(|d| format!("%index{d}"))
        .collect();
    let typed: Vec<String> = indices.iter().map(|it| format!(", {it}: index")).collect();
    let (indices, typed) = (indices.join(", "), typed.concat());
    write!(
        f,
        "
  util.func private @{name}(%table: {table}, %gathered: {gathered}) -> {gathered} {{
    util.return %gathered : {gathered}
  }}
  transform.named_sequence @match_{name}(%operation: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_op, !transform.any_value) {{
    %operands, %found = transform.iree.match.cast_compatible_dag_from_root %operation {{
    ^bb0(%table: {table}{typed}):
      %element = tensor.extract %table[{indices}] : {table}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %generic = transform.get_parent_op %operation : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %generic [\"linalg.generic\"] : !transform.any_op
    %matched = transform.match.structured failures(propagate) %generic : (!transform.any_op) -> !transform.any_op {{
    ^bb0(%structured: !transform.any_op):
      %one = transform.param.constant 1 : i64 -> !transform.param<i64>
      %outputs = transform.match.structured.num_inits %structured : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %outputs, %one : !transform.param<i64>
      transform.match.structured.yield %structured : !transform.any_op
    }}
    %output = transform.get_operand %generic[-1] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %output = {gathered} : !transform.any_value
    %producer = transform.get_producer_of_operand %operation[0] : (!transform.any_op) -> !transform.any_op
    %tensor = transform.get_operand %operation[0] : (!transform.any_op) -> !transform.any_value
    transform.yield %generic, %producer, %tensor : !transform.any_op, !transform.any_op, !transform.any_value
  }}
  transform.named_sequence @use_{name}(%generic: !transform.any_op {{transform.readonly}}, %producer: !transform.any_op {{transform.readonly}}, %tensor: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %generic : (!transform.any_op) -> !transform.any_op
    %table = transform.util.import_symbol @{of_table} into %module if undefined : (!transform.any_op) -> !transform.any_op
    %read = transform.util.cast_and_call %table(%tensor) -> %tensor after %producer : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{name} into %module if undefined : (!transform.any_op) -> !transform.any_op
    %elements = transform.get_result %read[0] : (!transform.any_op) -> !transform.any_value
    %result = transform.get_result %generic[0] : (!transform.any_op) -> !transform.any_value
    %given = transform.merge_handles %elements, %result : !transform.any_value
    %call = transform.util.cast_and_call %function(%given) -> %result after %generic : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> !transform.any_op
    transform.yield
  }}
"
    )?;
    Ok(rule(&name))
}

/// Prints the function with a gather, and the rule that calls it.
fn call(f: &mut Formatter<'_>, gather: &Gather) -> Result<String, fmt::Error> {
    let (name, result) = (gather.name(), gather.result());
    let kinds: Vec<&Type> = gather.operands().collect();
    let mut names: Vec<String> = (0..kinds.len()).map(|it| format!("%operand{it}")).collect();
    let typed = names.iter().zip(&kinds);
    let typed: Vec<String> = typed
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    let typed = typed.join(", ");
    write!(
        f,
        "
  util.func private @{name}({typed}) -> {result} {{
    %gathered = {}    util.return %gathered : {result}
  }}
  transform.named_sequence @use_{name}(%operation: !transform.any_op {{transform.readonly}}, %operands: !transform.any_value {{transform.readonly}}, %results: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %operation : (!transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{name} into %module if undefined : (!transform.any_op) -> !transform.any_op
    %call = transform.util.cast_and_call %function(%operands) -> %results after %operation : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> !transform.any_op
    transform.yield
  }}
",
        gather.generic(&names)
    )?;
    let mut block = format!("    ^bb0({typed}):\n");
    let mut ties = String::new();
    let mut last = "%gathered".to_owned();
    // The call of the last table stands right behind the gather.
    for number in gather.tables().rev() {
        let (table, read) = (kinds[number], format!("%table{number}"));
        let of_table = called(&table_name(table), &[(&names[number], table)], table);
        block += &format!("      {read} = {of_table}\n");
        let tie = tie_name(&(table.clone(), result.clone()));
        let of_tie = called(&tie, &[(&read, table), (&last, result)], result);
        last = format!("%tie{number}");
        ties += &format!("      {last} = {of_tie}\n");
        names[number] = read;
    }
    block += &format!("      %gathered = {}{ties}", gather.generic(&names));
    matched(f, &name, block)?;
    Ok(rule(&name))
}
