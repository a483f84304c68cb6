//! An operation of a module with all that it is computed of, as a matcher has it.
//!
//! A compiler that is to find such an operation is given it as MLIR. What it is given is printed from the types here, which know what
//! they print down to the last attribute; of an operation that has anything else there is no form.
//!
//! iree-compile takes constants out of the bodies of operations, and its matchers find no body that uses a value from outside. So
//! a form has each constant in the body, before the operation that uses it, and says which operations of bodies are to be given
//! their constants first ([`Bound`]).

mod form_builder;
mod problem_forms;
mod scalar;

use std::fmt::{self, Display, Formatter};

use super::header::LinalgName;
use super::map::{Iterators, OperandAccess};
use super::product::ProductSyntax;
use crate::comparator::{Block, Constant, Region, ScalarType};
use crate::{IndexMap, Problem};

pub use scalar::ConstantOperation;
use scalar::ScalarBody;

/// The type of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// The sizes, outermost first; `None` of one that is known at launch only.
    pub sizes: Vec<Option<u64>>,
    /// What the elements are.
    pub element: ScalarType,
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in &self.sizes {
            match size {
                Some(size) => write!(f, "{size}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}>", self.element)
    }
}

impl Type {
    /// That of a tensor which has these of a problem's dimensions.
    pub fn of(problem: &Problem, map: &IndexMap, element: ScalarType) -> Type {
        let dimensions = map.dimensions().zip(map.sizes(&problem.shape));
        let sizes = dimensions.map(|(d, size)| {
            let is_known = !problem.shape.is_counted(d);
            is_known.then_some(u64::from(size))
        });
        Type {
            sizes: sizes.collect(),
            element,
        }
    }

    /// The dimension whose size is known at launch only.
    pub fn open(&self) -> Option<usize> {
        self.sizes.iter().position(Option::is_none)
    }
}

/// A result of the last operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FormOutput {
    /// Its type.
    pub kind: Type,
    /// Which of the problem's results it is.
    pub result: usize,
}

/// An operation and what it is computed of. `Display` prints a block that ends with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OperationForm {
    name: &'static str,
    /// The tensors that are no results of its operations: first the problem's inputs in their order, then those of which nothing is read.
    arguments: Vec<Type>,
    /// How many of them are inputs of the problem.
    inputs: usize,
    parts: Vec<FormOperation>,
    outputs: Vec<FormOutput>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FormOperation {
    what: FormOperationKind,
    operands: Vec<(TensorSource, Type)>,
    results: Vec<Type>,
}

/// Where a tensor is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TensorSource {
    Argument(usize),
    /// One of the results of a part.
    Result(usize, usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum FormOperationKind {
    Fill(u64, ScalarType),
    /// A constant tensor whose elements are all these bits.
    Splat(u64),
    Generic {
        name: LinalgName,
        inputs: usize,
        accesses: Vec<OperandAccess>,
        reduced: Iterators,
        body: ScalarBody,
    },
    Softmax(usize),
    Product(ProductSyntax),
    ArgCompare(usize, Region),
    /// `tensor.expand_shape` where there are more dimensions than before, else `tensor.collapse_shape`.
    Reshape(Vec<Vec<usize>>),
}

impl OperationForm {
    /// A word for it: `softmax`, `product`, `arg_compare`, `reduce`, `generic`, or `chain` where there are several.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The names and types of the problem's inputs, in their order.
    pub fn inputs(&self) -> impl Iterator<Item = (String, &Type)> {
        let inputs = self.arguments[..self.inputs].iter().enumerate();
        inputs.map(|(number, kind)| (argument(number), kind))
    }

    /// The results of the last operation.
    pub fn outputs(&self) -> &[FormOutput] {
        &self.outputs
    }

    /// The names and types of what it is given, which are the arguments of a function that takes its place: the tensors, first the problem's inputs in
    /// their order, then those of which nothing is read; then sizes that are known at launch only, of what it makes itself.
    pub fn arguments(&self) -> Vec<(String, String)> {
        let tensors = self.arguments.iter().enumerate();
        let tensors = tensors.filter(|(number, _)| !self.is_made(*number));
        let tensors = tensors.map(|(number, kind)| (argument(number), kind.to_string()));
        let made = (0..self.arguments.len()).filter(|&it| self.is_made(it));
        let parts = self.parts.iter().enumerate();
        let open = parts.filter(|(_, part)| {
            let to = part.results.iter().find_map(Type::open);
            part.expands() && to.is_some()
        });
        let sizes = made.map(size_of_argument);
        let sizes = sizes.chain(open.map(|(number, _)| size_of_part(number)));
        tensors
            .chain(sizes.map(|name| (name, "index".to_owned())))
            .collect()
    }

    /// Whether a tensor in which nothing stands yet is made in the form, and is no argument of it. An operation whose sizes are all known makes
    /// it of no size, so that the form is none of it.
    fn is_made(&self, argument: usize) -> bool {
        argument >= self.inputs && self.arguments[argument].open().is_some()
    }

    /// How many operations it has that are no fill.
    pub fn operations(&self) -> usize {
        let parts = self.parts.iter();
        parts
            .filter(|it| {
                !matches!(
                    it.what,
                    FormOperationKind::Fill(..) | FormOperationKind::Splat(_)
                )
            })
            .count()
    }

    /// The operations of bodies that have constants.
    pub fn bound(&self) -> Vec<ConstantOperation> {
        let bodies = self.parts.iter().filter_map(|part| match &part.what {
            FormOperationKind::Generic { body, .. } => Some(body),
            _ => None,
        });
        let mut bound: Vec<ConstantOperation> = Vec::new();
        for one in bodies.flat_map(ScalarBody::bound) {
            if !bound.contains(&one) {
                bound.push(one);
            }
        }
        bound
    }

    /// The name of an operand.
    fn operand(&self, operand: TensorSource) -> String {
        match operand {
            TensorSource::Argument(number) => argument(number),
            TensorSource::Result(part, number) => match self.parts[part].results.len() {
                1 => format!("%value{part}"),
                _ => format!("%value{part}#{number}"),
            },
        }
    }

    /// `%argument0, %value1 : tensor<…>, tensor<…>`.
    fn operands(&self, operands: &[(TensorSource, Type)]) -> String {
        let names = operands.iter().map(|(operand, _)| self.operand(*operand));
        let kinds = operands.iter().map(|(_, kind)| kind.to_string());
        format!(
            "{} : {}",
            names.collect::<Vec<_>>().join(", "),
            kinds.collect::<Vec<_>>().join(", ")
        )
    }

    fn part(&self, f: &mut Formatter<'_>, number: usize, part: &FormOperation) -> fmt::Result {
        let results = match &part.results[..] {
            [one] => one.to_string(),
            all => format!("({})", listed(all)),
        };
        if let FormOperationKind::Fill(bits, scalar) = part.what {
            let value = Constant(bits, scalar);
            writeln!(f, "      %filling{number} = arith.constant {value}")?;
        }
        match part.results.len() {
            1 => write!(f, "      %value{number} = ")?,
            count => write!(f, "      %value{number}:{count} = ")?,
        }
        let last = part.operands.len().saturating_sub(1);
        let (inputs, output) = part.operands.split_at(last);
        match &part.what {
            FormOperationKind::Fill(_, scalar) => writeln!(
                f,
                "linalg.fill ins(%filling{number} : {scalar}) outs({}) -> {results}",
                self.operands(output)
            ),
            FormOperationKind::Splat(bits) => {
                let kind = &part.results[0];
                let value = Constant(*bits, kind.element).to_string();
                let value = value.split(" : ").next().unwrap_or_default();
                writeln!(f, "arith.constant dense<{value}> : {kind}")
            }
            FormOperationKind::Softmax(dimension) => writeln!(
                f,
                "linalg.softmax dimension({dimension}) ins({}) outs({}) -> {results}",
                self.operands(inputs),
                self.operands(output)
            ),
            FormOperationKind::Product(ProductSyntax { name, maps }) => {
                write!(f, "{name} ")?;
                if let Some(maps) = maps {
                    let maps = maps.accesses.iter().map(|it| AffineMap(it, maps.rank));
                    write!(f, "indexing_maps = [{}] ", listed(maps))?;
                }
                writeln!(
                    f,
                    "ins({}) outs({}) -> {results}",
                    self.operands(inputs),
                    self.operands(output)
                )
            }
            FormOperationKind::ArgCompare(dimension, region) => {
                let (inputs, outputs) = part.operands.split_at(1);
                write!(
                    f,
                    "iree_linalg_ext.arg_compare dimension({dimension}) ins({}) outs({}) {{
{}      }} -> {}
",
                    self.operands(inputs),
                    self.operands(outputs),
                    Block::new(region).indented(6),
                    listed(&part.results)
                )
            }
            FormOperationKind::Reshape(groups) => self.reshape(f, number, part, groups),
            FormOperationKind::Generic {
                name: LinalgName::Reduce,
                reduced,
                body,
                ..
            } => {
                let dimensions = (0..reduced.len()).filter(|&d| reduced[d]);
                write!(
                    f,
                    "linalg.reduce ins({}) outs({}) dimensions = [{}] ({}) {{
{body}      }}
",
                    self.operands(inputs),
                    self.operands(output),
                    listed(dimensions),
                    body.arguments()
                )
            }
            FormOperationKind::Generic {
                name: LinalgName::Generic,
                inputs,
                accesses,
                reduced,
                body,
            } => {
                let (inputs, outputs) = part.operands.split_at(*inputs);
                let maps = accesses.iter().map(|it| AffineMap(it, reduced.len()));
                let iterators = reduced.iter().map(|it| match it {
                    true => "\"reduction\"",
                    false => "\"parallel\"",
                });
                write!(
                    f,
                    "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}",
                    listed(maps),
                    listed(iterators)
                )?;
                if !inputs.is_empty() {
                    write!(f, " ins({})", self.operands(inputs))?;
                }
                write!(
                    f,
                    " outs({}) {{
      ^bb0({}):
{body}      }} -> {results}
",
                    self.operands(outputs),
                    body.arguments()
                )
            }
        }
    }

    fn reshape(
        &self,
        f: &mut Formatter<'_>,
        number: usize,
        part: &FormOperation,
        groups: &[Vec<usize>],
    ) -> fmt::Result {
        let (operand, from) = &part.operands[0];
        let to = &part.results[0];
        let groups = groups.iter().map(|it| format!("[{}]", listed(it)));
        let (groups, operand) = (listed(groups), self.operand(*operand));
        let sizes = to.sizes.iter().map(|size| match size {
            Some(size) => size.to_string(),
            None => size_of_part(number),
        });
        match part.expands() {
            true => writeln!(
                f,
                "tensor.expand_shape {operand} [{groups}] output_shape [{}] : {from} into {to}",
                listed(sizes)
            ),
            false => writeln!(
                f,
                "tensor.collapse_shape {operand} [{groups}] : {from} into {to}"
            ),
        }
    }
}

impl Display for OperationForm {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let given = self.arguments().into_iter();
        let given = given.map(|(name, kind)| format!("{name}: {kind}"));
        writeln!(f, "    ^bb0({}):", listed(given))?;
        for (number, kind) in self.arguments.iter().enumerate() {
            if self.is_made(number) {
                let (name, size) = (argument(number), size_of_argument(number));
                writeln!(f, "      {name} = tensor.empty({size}) : {kind}")?;
            }
        }
        let mut parts = self.parts.iter().enumerate();
        parts.try_for_each(|(number, part)| self.part(f, number, part))
    }
}

impl FormOperation {
    /// Whether it makes dimensions of one.
    fn expands(&self) -> bool {
        let (FormOperationKind::Reshape(_), [(_, from)], [to]) =
            (&self.what, &self.operands[..], &self.results[..])
        else {
            return false;
        };
        from.sizes.len() < to.sizes.len()
    }
}

/// The name of a tensor that is no result of an operation.
fn argument(number: usize) -> String {
    format!("%argument{number}")
}

/// The name of the size that is known at launch only of such a tensor.
fn size_of_argument(number: usize) -> String {
    format!("%size_of_argument{number}")
}

/// The same of the result of an operation.
fn size_of_part(number: usize) -> String {
    format!("%size{number}")
}

/// `affine_map<(d0, d1) -> (d0, 0)>`, of so many dimensions.
struct AffineMap<'a>(&'a OperandAccess, usize);

impl Display for AffineMap<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = (0..self.1).map(|d| format!("d{d}"));
        let to = self.0.iter().map(|at| match at {
            Some(d) => format!("d{d}"),
            None => "0".to_owned(),
        });
        write!(f, "affine_map<({}) -> ({})>", listed(all), listed(to))
    }
}

fn listed(all: impl IntoIterator<Item = impl Display>) -> String {
    let all: Vec<String> = all.into_iter().map(|it| it.to_string()).collect();
    all.join(", ")
}
