//! Blocks as LLVM's basic blocks. Values are numbered in the order of their definition.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use super::syntax::{constant, type_name};
use crate::native::ir::marks::marks;
use crate::native::ir::{Block, If, IrOperation, Loop, Statement, Type, Value, ValueOrigin};

/// The body of a function under construction.
pub(in crate::native) struct Printer<'a> {
    text: String,
    /// The suffix of the names of LDS allocations.
    symbol: &'a str,
    /// The label of the current basic block.
    label: String,
    labels: u32,
    names: HashMap<u32, String>,
    values: u32,
    declarations: BTreeSet<String>,
    /// The statement of the current lines, if lines are marked.
    statement: Option<u32>,
}

impl<'a> Printer<'a> {
    pub(in crate::native) fn new(symbol: &'a str) -> Printer<'a> {
        Printer {
            text: "entry:\n".to_owned(),
            symbol,
            label: "entry".to_owned(),
            labels: 0,
            names: HashMap::new(),
            values: 0,
            declarations: BTreeSet::new(),
            statement: None,
        }
    }

    /// Returns the printer with marks: each line ends with the number of its statement.
    pub(super) fn marking(self) -> Printer<'a> {
        Printer {
            statement: Some(0),
            ..self
        }
    }

    /// Returns the text, and adds the declarations of the functions that it calls.
    pub(in crate::native) fn finish(mut self, declarations: &mut BTreeSet<String>) -> String {
        self.line(format_args!("ret void"));
        declarations.append(&mut self.declarations);
        self.text
    }

    /// Prints the statements of a block.
    pub(in crate::native) fn block(&mut self, block: &Block) {
        let outer = self.statement;
        for statement in &block.statements {
            let Statement {
                results, operation, ..
            } = statement;
            self.statement = outer.map(|_| statement.number);
            match operation {
                IrOperation::If(choice) => self.choice(choice, results),
                IrOperation::Loop(turns) => self.turns(turns, results),
                IrOperation::ContinueIf(condition) => self.go_on(*condition),
                _ => self.instruction(operation, results),
            }
        }
        self.statement = outer;
    }

    /// Returns a value as an operand.
    pub(in crate::native) fn operand(&self, value: Value) -> String {
        match (value.origin, value.kind) {
            (ValueOrigin::Constant(bits), Type::Scalar(scalar)) => constant(scalar, bits),
            (ValueOrigin::Constant(_) | ValueOrigin::Any, _) => "poison".to_owned(),
            (ValueOrigin::Defined(id), _) => self.names.get(&id).cloned().unwrap_or_default(),
            (ValueOrigin::Parameter(parameter), _) => format!("%{}", parameter.name()),
            (ValueOrigin::Lds(lds), _) => format!("@{}_{}", lds.name(), self.symbol),
        }
    }

    /// Returns a value with its type.
    pub(super) fn typed(&self, value: Value) -> String {
        format!("{} {}", type_name(value.kind), self.operand(value))
    }

    /// Appends an instruction without a result.
    pub(super) fn line(&mut self, instruction: fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let mark = self.mark();
        let _ = writeln!(self.text, "  {instruction}{mark}");
    }

    /// Returns the mark at the end of a line of the statement.
    fn mark(&self) -> String {
        marks(self.statement.filter(|&number| number > 0))
    }

    /// Appends an instruction and returns the number of its result.
    pub(super) fn value(&mut self, instruction: fmt::Arguments<'_>) -> String {
        let name = self.number();
        self.line(format_args!("{name} = {instruction}"));
        name
    }

    fn number(&mut self) -> String {
        self.values += 1;
        format!("%v{}", self.values)
    }

    /// Records the name of a result.
    pub(super) fn define(&mut self, result: Value, name: String) {
        if let ValueOrigin::Defined(id) = result.origin {
            self.names.insert(id, name);
        }
    }

    /// Returns the call of an intrinsic, and declares it. Flags precede the type of the result.
    pub(super) fn call(
        &mut self,
        flags: &str,
        kind: &str,
        name: &str,
        arguments: &[String],
    ) -> String {
        let types: Vec<&str> = arguments.iter().map(|argument| type_of(argument)).collect();
        let types = types.join(", ");
        self.declarations
            .insert(format!("declare {kind} @llvm.{name}({types})\n"));
        format!("call {flags}{kind} @llvm.{name}({})", arguments.join(", "))
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}{}", self.labels)
    }

    fn start(&mut self, label: String) {
        let _ = writeln!(self.text, "{label}:");
        self.label = label;
    }

    /// Returns the line of a phi: its name, its type, and the value from each predecessor.
    fn phi(&mut self, result: Value, from: [(String, &str); 2]) -> String {
        let name = self.operand(result);
        let from = from.map(|(value, block)| format!("[ {value}, %{block} ]"));
        format!(
            "  {name} = phi {} {}{}\n",
            type_name(result.kind),
            from.join(", "),
            self.mark()
        )
    }

    fn go_on(&mut self, condition: Value) {
        let condition = self.operand(condition);
        let (leave, stay) = (self.fresh("leave"), self.fresh("stay"));
        self.line(format_args!(
            "br i1 {condition}, label %{stay}, label %{leave}"
        ));
        self.start(leave);
        self.line(format_args!("ret void"));
        self.start(stay);
    }

    fn choice(&mut self, choice: &If, results: &[Value]) {
        let condition = self.operand(choice.condition);
        let (then, after) = (self.fresh("then"), self.fresh("after"));
        // An empty block needs no label.
        let is_alone = choice.otherwise.statements.is_empty();
        let otherwise = match is_alone {
            true => None,
            false => Some(self.fresh("else")),
        };
        let other = otherwise.as_ref().unwrap_or(&after);
        self.line(format_args!(
            "br i1 {condition}, label %{then}, label %{other}"
        ));
        // Nested branches change the label, so a phi takes the labels at the ends of the blocks.
        let mut ends = [self.label.clone(), self.label.clone()];
        self.start(then);
        self.block(&choice.then);
        self.line(format_args!("br label %{after}"));
        ends[0] = self.label.clone();
        if let Some(otherwise) = otherwise {
            self.start(otherwise);
            self.block(&choice.otherwise);
            self.line(format_args!("br label %{after}"));
            ends[1] = self.label.clone();
        }
        self.start(after);
        let yields = choice.then.yields.iter().zip(&choice.otherwise.yields);
        for (result, (&yes, &no)) in results.iter().zip(yields) {
            let name = self.number();
            self.define(*result, name);
            let mut from = [
                (self.operand(yes), ends[0].as_str()),
                (self.operand(no), ends[1].as_str()),
            ];
            // The predecessors are listed in the order of the text.
            if is_alone {
                from.reverse();
            }
            let phi = self.phi(*result, from);
            self.text += &phi;
        }
    }

    fn turns(&mut self, turns: &Loop, results: &[Value]) {
        let before = self.label.clone();
        let (head, after) = (self.fresh("loop"), self.fresh("done"));
        self.line(format_args!("br label %{head}"));
        self.start(head.clone());
        // Phis come first, but their operands are known only after the body.
        let place = self.text.len();
        for carried in &turns.carried {
            let name = self.number();
            self.define(*carried, name);
        }
        self.block(&turns.head);
        let again = self.operand(turns.again);
        if turns.body.statements.is_empty() {
            self.line(format_args!("br i1 {again}, label %{head}, label %{after}"));
        } else {
            let body = self.fresh("body");
            self.line(format_args!("br i1 {again}, label %{body}, label %{after}"));
            self.start(body);
            self.block(&turns.body);
            self.line(format_args!("br label %{head}"));
        }
        let end = self.label.clone();
        let carried = turns.carried.iter();
        let from = turns.initial.iter().zip(&turns.body.yields);
        let phis: String = carried
            .zip(from)
            .map(|(carried, (&initial, &next))| {
                let from = [
                    (self.operand(initial), before.as_str()),
                    (self.operand(next), end.as_str()),
                ];
                self.phi(*carried, from)
            })
            .collect();
        self.text.insert_str(place, &phis);
        self.start(after);
        // The results are those of the head, so they need no phi.
        for (result, &value) in results.iter().zip(&turns.head.yields) {
            let name = self.operand(value);
            self.define(*result, name);
        }
    }
}

/// Returns the type of an argument with its type: all before its last word, because values
/// contain no blanks.
fn type_of(argument: &str) -> &str {
    argument.rsplit_once(' ').map_or(argument, |(kind, _)| kind)
}
