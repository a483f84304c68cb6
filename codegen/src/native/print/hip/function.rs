//! Blocks as statements of C++. An expression replaces a value that is used once and has no name
//! for people, if the line stays short. The same holds for a scalar of a vector. A select keeps
//! its variable, because the compiler generates other code for nested ones.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;

use super::library;
use super::syntax::{constant, type_name};
use super::value::{Expression, any, is_pure, parameter_expression, whole};
use crate::native::ir::marks::marks;
use crate::native::ir::{
    Block, If, IrKernel, IrNames, IrOperation, Loop, Statement, Value, ValueOrigin,
};

/// The pragma that keeps a loop from being unrolled.
const UNROLL: &str = "#pragma unroll 1\n";

/// The longest expression that replaces its value, in characters.
const SHORT: usize = 60;

/// The body of a function under construction.
pub(super) struct Printer<'a> {
    text: String,
    depth: usize,
    names: IrNames<'a>,
    /// The number of uses of each value.
    uses: HashMap<u32, usize>,
    /// The expressions of values without a variable.
    inlined: HashMap<u32, Expression>,
    /// The statement of the current lines, if lines are marked.
    statement: Option<u32>,
    /// The statements of values without a variable, and of those used since the last line.
    statements: HashMap<u32, Vec<u32>>,
    used: RefCell<Vec<u32>>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(kernel: &'a IrKernel) -> Printer<'a> {
        let mut uses = HashMap::new();
        count(&kernel.body, &mut uses);
        // A variable with the name of a function, a parameter or an LDS allocation would hide it.
        let mut taken: Vec<&str> = library::names().collect();
        taken.extend(kernel.lds.iter().map(|(lds, _)| lds.name()));
        for value in &kernel.parameters {
            if let ValueOrigin::Parameter(parameter) = value.origin {
                taken.push(parameter.name());
            }
        }
        Printer {
            text: String::new(),
            depth: 1,
            names: IrNames::new(&kernel.names, &taken),
            uses,
            inlined: HashMap::new(),
            statement: None,
            statements: HashMap::new(),
            used: RefCell::default(),
        }
    }

    /// Returns the printer with marks: each line ends with the numbers of its statements.
    pub(super) fn marking(self) -> Printer<'a> {
        Printer {
            statement: Some(0),
            ..self
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        let used = self.used.take().into_iter().chain(self.statement);
        let mark = match self.statement {
            Some(_) => marks(used.filter(|&number| number > 0)),
            None => String::new(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{indent}{line}{mark}");
    }

    fn value(&self, value: Value) -> Expression {
        match value.origin {
            ValueOrigin::Constant(_) => whole(constant(value)),
            ValueOrigin::Any => whole(any(value.kind)),
            ValueOrigin::Defined(id) => match self.inlined.get(&id) {
                Some(expression) => {
                    let statements = self.statements.get(&id);
                    self.used
                        .borrow_mut()
                        .extend(statements.into_iter().flatten());
                    expression.clone()
                }
                None => whole(self.names.of(id).to_owned()),
            },
            ValueOrigin::Parameter(_) | ValueOrigin::Lds(_) => {
                whole(parameter_expression(value).unwrap_or_default())
            }
        }
    }

    /// Returns a value's text between operators, in brackets if needed.
    pub(super) fn operand(&self, value: Value) -> String {
        match self.value(value) {
            Expression {
                text,
                is_whole: true,
            } => text,
            Expression { text, .. } => format!("({text})"),
        }
    }

    /// Returns a value's text for a place without operators beside it.
    pub(super) fn argument(&self, value: Value) -> String {
        self.value(value).text
    }

    /// Prints the statements of a block.
    pub(super) fn block(&mut self, block: &Block) {
        let outer = self.statement;
        for statement in &block.statements {
            let Statement {
                results, operation, ..
            } = statement;
            self.statement = outer.map(|_| statement.number);
            match (operation, results.as_slice()) {
                (IrOperation::Comment(text), _) => {
                    self.text.push('\n');
                    self.line(&format!("// {text}"));
                }
                (IrOperation::If(choice), _) => self.choice(choice, results),
                (IrOperation::Loop(turns), _) => self.turns(turns, results),
                (IrOperation::ContinueIf(condition), _) => {
                    let condition = self.operand(*condition);
                    self.line(&format!("if (!{condition}) return;"));
                }
                (_, []) => {
                    let text = self.act(operation);
                    self.line(&format!("{text};"));
                }
                (_, [result]) => self.define(*result, operation),
                (_, results) => {
                    let names = results.iter().map(|&result| self.names.define(result));
                    let names: Vec<String> = names.collect();
                    let text = self.pair(operation).text;
                    self.line(&format!("const auto [{}] = {text};", names.join(", ")));
                }
            }
        }
        self.statement = outer;
    }

    /// Defines a variable for a result, or keeps its expression for the place of its use.
    fn define(&mut self, result: Value, operation: &IrOperation) {
        let ValueOrigin::Defined(id) = result.origin else {
            unreachable!("results are defined");
        };
        let expression = self.expression(operation, result.kind);
        let uses = self.uses.get(&id).copied().unwrap_or(0);
        // Nested selects compile to other code, so each select keeps its variable.
        let may_move = is_pure(operation) && !matches!(operation, IrOperation::Select(..));
        let is_short = may_move && expression.text.len() <= SHORT;
        let is_used_once = uses == 1 && !self.names.is_given(id);
        // An element is a subscript and costs nothing at any number of uses.
        if matches!(operation, IrOperation::Element(..)) || is_short && is_used_once {
            self.inlined.insert(id, expression);
            let used = self.used.take().into_iter().chain(self.statement);
            self.statements.insert(id, used.collect());
        } else if uses > 0 {
            let (kind, name) = (type_name(result.kind), self.names.define(result));
            self.line(&format!("const {kind} {name} = {};", expression.text));
        } else if !is_pure(operation) {
            // The result is unused, but the operation has an effect.
            self.line(&format!("(void)({});", expression.text));
        }
    }

    /// Prints a block that assigns values to variables at its end.
    fn inner(&mut self, block: &Block, variables: &[String], values: &[Value]) {
        self.depth += 1;
        self.block(block);
        self.assign(variables, values);
        self.depth -= 1;
    }

    /// Assigns new values to variables. One new value may depend on the old value of another
    /// variable.
    fn assign(&mut self, variables: &[String], values: &[Value]) {
        let mut values: Vec<String> = values.iter().map(|&value| self.argument(value)).collect();
        for place in 1..values.len() {
            let is_late = |variable: &String| mentions(&values[place], variable);
            if variables[..place].iter().any(is_late) {
                // An earlier assignment would overwrite the value that this one reads.
                let name = format!("next_{}", variables[place]);
                self.line(&format!("const auto {name} = {};", values[place]));
                values[place] = name;
            }
        }
        for (variable, value) in variables.iter().zip(&values) {
            if variable != value {
                self.line(&format!("{variable} = {value};"));
            }
        }
    }

    fn choice(&mut self, choice: &If, results: &[Value]) {
        let is_alone = choice.otherwise.statements.is_empty();
        let condition = self.argument(choice.condition);
        let [then, otherwise] =
            [&choice.then, &choice.otherwise].map(|block| used(results, &block.yields, &self.uses));
        let mut names = Vec::new();
        // The value of an absent else block initialises the variable, so that no else is printed.
        for (result, &no) in used(results, results, &self.uses)
            .into_iter()
            .zip(&otherwise)
        {
            let (kind, no) = (type_name(result.kind), self.argument(no));
            let name = self.names.define(result);
            match is_alone {
                true => self.line(&format!("{kind} {name} = {no};")),
                false => self.line(&format!("{kind} {name};")),
            }
            names.push(name);
        }
        self.line(&format!("if ({condition}) {{"));
        self.inner(&choice.then, &names, &then);
        if !is_alone {
            self.line("} else {");
            self.inner(&choice.otherwise, &names, &otherwise);
        }
        self.line("}");
    }

    fn turns(&mut self, turns: &Loop, results: &[Value]) {
        let mut carried = Vec::new();
        for (&variable, &initial) in turns.carried.iter().zip(&turns.initial) {
            let (kind, initial) = (type_name(variable.kind), self.argument(initial));
            let name = self.names.define(variable);
            self.line(&format!("{kind} {name} = {initial};"));
            carried.push(name);
        }
        if is_carried_on(turns) {
            self.text += UNROLL;
            self.line("for (bool again = true; again;) {");
            self.depth += 1;
            self.block(&turns.head);
            let again = self.argument(turns.again);
            self.line(&format!("again = {again};"));
            self.assign(&carried, &turns.head.yields);
            self.depth -= 1;
            self.line("}");
            for (&result, name) in results.iter().zip(carried) {
                self.names.alias(result, name);
            }
            return;
        }
        // The loop ends in its middle, so its results need variables of their own.
        let mut ends = Vec::new();
        for result in used(results, results, &self.uses) {
            let name = self.names.define(result);
            self.line(&format!("{} {name};", type_name(result.kind)));
            ends.push(name);
        }
        let last = used(results, &turns.head.yields, &self.uses);
        self.text += UNROLL;
        self.line("for (;;) {");
        self.inner(&turns.head, &ends, &last);
        self.depth += 1;
        let again = self.operand(turns.again);
        self.line(&format!("if (!{again}) break;"));
        self.depth -= 1;
        self.inner(&turns.body, &carried, &turns.body.yields);
        self.line("}");
    }
}

/// Returns true if the results of a loop are the values that it carries on.
fn is_carried_on(turns: &Loop) -> bool {
    turns.body.statements.is_empty() && turns.body.yields == turns.head.yields
}

/// Counts the uses of values, except those that the block yields. Goes from the last statement to
/// the first, because an unused operation uses nothing.
fn count(block: &Block, uses: &mut HashMap<u32, usize>) {
    for Statement {
        results, operation, ..
    } in block.statements.iter().rev()
    {
        match operation {
            IrOperation::If(choice) => {
                for block in [&choice.then, &choice.otherwise] {
                    add(&used(results, &block.yields, uses), uses);
                    count(block, uses);
                }
            }
            IrOperation::Loop(turns) => {
                if !is_carried_on(turns) {
                    add(&used(results, &turns.head.yields, uses), uses);
                }
                add(&turns.body.yields, uses);
                count(&turns.body, uses);
                add(&[turns.again], uses);
                count(&turns.head, uses);
            }
            _ if is_pure(operation) && results.iter().all(|result| is_unused(*result, uses)) => {
                continue;
            }
            _ => {}
        }
        add(&operation.operands(), uses);
    }
}

fn add(values: &[Value], uses: &mut HashMap<u32, usize>) {
    for value in values {
        if let ValueOrigin::Defined(id) = value.origin {
            *uses.entry(id).or_default() += 1;
        }
    }
}

/// Returns the yields whose results are used.
fn used(results: &[Value], yields: &[Value], uses: &HashMap<u32, usize>) -> Vec<Value> {
    let both = results.iter().zip(yields);
    both.filter(|(result, _)| !is_unused(**result, uses))
        .map(|(_, &value)| value)
        .collect()
}

fn is_unused(value: Value, uses: &HashMap<u32, usize>) -> bool {
    match value.origin {
        ValueOrigin::Defined(id) => !uses.contains_key(&id),
        _ => false,
    }
}

/// Returns true if a name occurs in an expression.
fn mentions(expression: &str, name: &str) -> bool {
    let mut words = expression.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| word == name)
}
