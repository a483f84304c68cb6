//! Operation forms: an operation of a module with its producers, as a matcher compares it.
//!
//! A compiler finds such an operation by MLIR text, which the types here print completely, down
//! to the last attribute. An operation with any other part has no form.
//!
//! iree-compile hoists constants out of the bodies of operations, and its matchers find no body
//! that uses an outer value. A form therefore has each constant in the body, before its user. It
//! also lists the body operations that must get their constants first ([`ConstantOperation`]).

mod form_builder;
mod gather;
mod occurrences;
mod problem_forms;
mod scalar;
mod slice;
mod tensor_type;

use std::fmt::{self, Display, Formatter};

use super::header::LinalgName;
use super::map::{Iterators, OperandAccess};
use super::product::ProductSyntax;
use super::slice::SliceOperation;
use crate::comparator::{Block, Constant, Region, ScalarType};

pub(super) use form_builder::is_printable;
pub use gather::Gather;
pub use scalar::ConstantOperation;
use scalar::{BodyText, ScalarBody};
pub use tensor_type::Type;

/// A result of the form: one of the last operation, or one of a producer that others use, too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FormOutput {
    /// Its type.
    pub kind: Type,
    /// The number of the problem's result, or none if nothing reads this result of the operation.
    pub result: Option<usize>,
    /// The producer, if it is not the last operation.
    pub producer: Option<ProducerResult>,
}

/// A result of a producer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProducerResult {
    /// The numbers of the operands that lead to the producer, from the last operation on.
    pub operands: Vec<usize>,
    /// The number of its result.
    pub number: usize,
}

/// An operation with its producers. `Display` prints a block that ends with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OperationForm {
    name: &'static str,
    /// The tensors from outside: those of the problem's inputs, then outputs that are not read.
    arguments: Vec<Type>,
    /// The number of the argument of each of the problem's inputs. Several may have one tensor.
    inputs: Vec<usize>,
    parts: Vec<FormOperation>,
    outputs: Vec<FormOutput>,
    /// The results of siblings.
    others: Vec<FormOutput>,
}

/// An operation of a form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FormOperation {
    what: FormOperationKind,
    operands: Vec<(TensorSource, Type)>,
    results: Vec<Type>,
}

/// The source of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TensorSource {
    Argument(usize),
    /// A result of a part: the numbers of both.
    Result(usize, usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum FormOperationKind {
    Fill(u64, ScalarType),
    /// A constant tensor with these bits in all elements.
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
    /// `tensor.expand_shape` if the result has more dimensions, else `tensor.collapse_shape`.
    Reshape(Vec<Vec<usize>>),
    Slice(SliceOperation),
}

impl OperationForm {
    /// Returns a word for it: `softmax`, `product`, `arg_compare`, `reduce`, `generic` or
    /// `chain`.
    ///
    /// `chain` means several operations.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names and types of the problem's inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = (String, &Type)> {
        let inputs = self.inputs.iter();
        inputs.map(|&number| (argument(number), &self.arguments[number]))
    }

    /// Returns the number of arguments that are inputs of the problem.
    fn input_arguments(&self) -> usize {
        self.inputs.iter().max().map_or(0, |last| last + 1)
    }

    /// Returns the results: those of the last operation, then those of producers in the order of
    /// the module. All others need the first of these.
    pub fn outputs(&self) -> &[FormOutput] {
        &self.outputs
    }

    /// Returns the problem's result with this number, if the form or a sibling of it has it.
    pub fn output(&self, result: usize) -> Option<&FormOutput> {
        let mut all = self.outputs.iter().chain(&self.others);
        all.find(|it| it.result == Some(result))
    }

    /// Makes forms siblings: one problem computes the results of all.
    ///
    /// Each form then knows the types of all results, so that the launches in place of the forms
    /// are equal.
    pub(super) fn join(forms: &mut [Option<OperationForm>]) {
        let known = forms.iter().flatten();
        let all: Vec<FormOutput> = known.flat_map(|it| it.outputs.clone()).collect();
        for form in forms.iter_mut().flatten() {
            let is_other = |it: &&FormOutput| !form.outputs.contains(it);
            form.others = all.iter().filter(is_other).cloned().collect();
        }
    }

    /// Returns the names and types of the arguments of a function that replaces the operation.
    ///
    /// These are all that a matcher binds. A function with results of producers stands at the
    /// first of them, and only the inputs are known there.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let mut parameters = self.arguments();
        if self.outputs.iter().any(|it| it.producer.is_some()) {
            parameters.truncate(self.input_arguments());
        }
        parameters
    }

    /// Returns the names and types of the values that a matcher binds.
    ///
    /// The tensors come first: those of the problem's inputs, then outputs that are not read.
    /// Open sizes of tensors that the form makes itself follow.
    pub fn arguments(&self) -> Vec<(String, String)> {
        let tensors = self.arguments.iter().enumerate();
        let tensors = tensors.filter(|(number, _)| !self.is_made(*number));
        let tensors = tensors.map(|(number, kind)| (argument(number), kind.to_string()));
        let made = (0..self.arguments.len()).filter(|&it| self.is_made(it));
        let parts = self.parts.iter().enumerate();
        let expanding = parts.filter(|(_, part)| part.expands());
        let sizes = made.flat_map(|it| named_sizes(size_of_argument(it), &self.arguments[it]));
        let sizes =
            sizes
                .chain(expanding.flat_map(|(number, part)| {
                    named_sizes(size_of_part(number), &part.results[0])
                }));
        tensors
            .chain(sizes.map(|name| (name, "index".to_owned())))
            .collect()
    }

    /// Returns whether the form itself makes this empty tensor, instead of taking it as an
    /// argument.
    ///
    /// It does so for an open size. A module's `tensor.empty` with static sizes has no operand,
    /// so a form with an open size does not match it.
    fn is_made(&self, argument: usize) -> bool {
        argument >= self.input_arguments() && self.arguments[argument].open().is_some()
    }

    /// Returns the number of its operations without fills.
    pub fn operations(&self) -> usize {
        let parts = self.parts.iter();
        use FormOperationKind::{Fill, Splat};
        parts
            .filter(|it| !matches!(it.what, Fill(..) | Splat(_)))
            .count()
    }

    /// Returns whether it fills a tensor without dimensions. A module may have a
    /// `linalg.generic` in the place of that fill.
    pub fn fills_scalar(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|it| {
            matches!(it.what, FormOperationKind::Fill(..)) && it.results[0].sizes.is_empty()
        })
    }

    /// Returns whether the problem joins outer dimensions of the first input.
    pub(super) fn joins(&self) -> bool {
        self.arguments.first().is_some_and(|it| it.joined() > 1)
    }

    /// Returns the body operations with constants.
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

    /// Returns the name of an operand.
    fn operand(&self, operand: TensorSource) -> String {
        match operand {
            TensorSource::Argument(number) => argument(number),
            TensorSource::Result(part, number) => match self.parts[part].results.len() {
                1 => format!("%value{part}"),
                _ => format!("%value{part}#{number}"),
            },
        }
    }

    /// Returns `%argument0, %value1 : tensor<…>, tensor<…>`.
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
        // A fill needs its constant as an operation before it.
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
            FormOperationKind::Slice(slice) => self.slice(f, part, slice),
            FormOperationKind::Generic {
                name: LinalgName::Reduce,
                reduced,
                body,
                ..
            } => {
                let dimensions = (0..reduced.len()).filter(|&d| reduced[d]);
                let text = BodyText(body, &[]);
                write!(
                    f,
                    "linalg.reduce ins({}) outs({}) dimensions = [{}] ({}) {{
{text}      }}
",
                    self.operands(inputs),
                    self.operands(output),
                    listed(dimensions),
                    body.arguments()
                )
            }
            FormOperationKind::Generic { .. } => match Gather::of(part) {
                Some(gather) => self.gather(f, part, &gather),
                None => {
                    let operands = part.operands.iter().map(|(it, _)| self.operand(*it));
                    part.generic(f, &operands.collect::<Vec<_>>())
                }
            },
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
        let mut open = named_sizes(size_of_part(number), to).into_iter();
        let sizes = to.sizes.iter().map(|size| match size {
            Some(size) => size.to_string(),
            None => open.next().unwrap_or_default(),
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
                let (name, sizes) = (argument(number), size_of_argument(number));
                let sizes = listed(named_sizes(sizes, kind));
                writeln!(f, "      {name} = tensor.empty({sizes}) : {kind}")?;
            }
        }
        let mut parts = self.parts.iter().enumerate();
        parts.try_for_each(|(number, part)| self.part(f, number, part))
    }
}

impl FormOperation {
    /// Returns whether it takes elements of tensors around its body.
    fn is_gather(&self) -> bool {
        matches!(&self.what, FormOperationKind::Generic { body, .. } if !body.tables().is_empty())
    }

    /// Prints a `linalg.generic` with these operands. It prints nothing else.
    fn generic(&self, f: &mut Formatter<'_>, operands: &[String]) -> fmt::Result {
        let FormOperationKind::Generic {
            inputs,
            accesses,
            reduced,
            body,
            ..
        } = &self.what
        else {
            return Ok(());
        };
        let tables = body.tables();
        let own = (0..operands.len()).filter(|it| !tables.contains(it));
        let (ins, outs): (Vec<usize>, Vec<usize>) = own.partition(|it| it < inputs);
        let maps = ins.iter().chain(&outs);
        let maps = maps.map(|&it| AffineMap(&accesses[it], reduced.len()));
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
        let typed = |all: &[usize]| {
            let names = listed(all.iter().map(|&it| &operands[it]));
            let kinds = listed(all.iter().map(|&it| &self.operands[it].1));
            format!("{names} : {kinds}")
        };
        if !ins.is_empty() {
            write!(f, " ins({})", typed(&ins))?;
        }
        let results = match &self.results[..] {
            [one] => one.to_string(),
            all => format!("({})", listed(all)),
        };
        write!(
            f,
            " outs({}) {{
      ^bb0({}):
{}      }} -> {results}
",
            typed(&outs),
            body.arguments(),
            BodyText(body, &operands[tables])
        )
    }

    /// Returns whether it splits dimensions.
    fn expands(&self) -> bool {
        let (FormOperationKind::Reshape(_), [(_, from)], [to]) =
            (&self.what, &self.operands[..], &self.results[..])
        else {
            return false;
        };
        from.sizes.len() < to.sizes.len()
    }
}

/// Returns the name of a tensor from outside.
fn argument(number: usize) -> String {
    format!("%argument{number}")
}

/// Returns the names of the open sizes of a tensor: `name` itself if there is one.
fn named_sizes(name: String, kind: &Type) -> Vec<String> {
    match kind.open_dimensions().count() {
        1 => vec![name],
        count => (0..count).map(|it| format!("{name}_{it}")).collect(),
    }
}

/// Returns the name of such a tensor's open size.
fn size_of_argument(number: usize) -> String {
    format!("%size_of_argument{number}")
}

/// Returns the name of an open size of an operation's result.
fn size_of_part(number: usize) -> String {
    format!("%size{number}")
}

/// `affine_map<(d0, d1) -> (d0, 0)>`, with the number of dimensions.
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
