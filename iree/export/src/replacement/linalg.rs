//! The replacement of an operation of linalg by a kernel: plain reductions and row operations,
//! each in a known form.

use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::linalg::{FormOutput, OperationForm, Type};
use configgen::{Problem, Target};

use super::counted_launch::Launches;
use super::extern_dispatch::{DispatchTensor, ExternDispatch};

/// A form with the kernel that replaces it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linalg<'a> {
    pub(super) problem: &'a Problem,
    pub(super) form: &'a OperationForm,
    /// The number of the form among those of the problem.
    pub(super) number: usize,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object's file.
    pub(super) file: &'a str,
    /// The number of lanes of a subgroup.
    pub(super) subgroup_size: u32,
}

impl Linalg<'_> {
    /// Returns the name of the function that launches the kernel.
    pub(super) fn name(&self) -> String {
        format!("{}_{}{}", self.kernel.symbol, self.form.name(), self.number)
    }

    /// Returns the destinations of the problem's results. A result of the operation has the
    /// operation's type, which may have more dimensions of size 1.
    fn results(&self) -> Vec<DispatchTensor> {
        let results = self.problem.results().into_iter().enumerate();
        let given = results.map(|(number, tensor)| {
            let kind = match self.form.output(number) {
                Some(output) => output.kind.clone(),
                None => {
                    let map = tensor.extent.map(&self.problem.shape);
                    Type::of(self.problem, &map, tensor.scalar.into())
                }
            };
            DispatchTensor {
                name: format!("%result{number}"),
                kind,
            }
        });
        given.collect()
    }
}

/// Prints a `util.func` with the form's parameters.
impl Display for Linalg<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Linalg {
            problem,
            form,
            kernel,
            target,
            file,
            subgroup_size,
            ..
        } = *self;
        let inputs = form.inputs().map(|(name, kind)| DispatchTensor {
            name,
            kind: kind.clone(),
        });
        let inputs: Vec<DispatchTensor> = inputs.collect();
        let listed = form.parameters().into_iter();
        let listed = listed.map(|(name, kind)| format!("{name}: {kind}"));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let kinds = form.outputs().iter().map(|it| it.kind.to_string());
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        writeln!(
            f,
            "  util.func private @{}({listed}) -> ({kinds}) {{",
            self.name()
        )?;
        let given = inputs.iter().map(|it| joined(f, it));
        let given = given.collect::<Result<Vec<_>, _>>()?;
        let results = self.results();
        let launches = Launches {
            launch: ExternDispatch {
                problem,
                kernel,
                target,
                file,
                subgroup_size,
            },
            inputs: given,
            results: apart(results.iter().map(joined_result)),
            makes_results: true,
        };
        let found = launches.write(f)?;
        let found = found.into_iter().zip(&launches.results).zip(&results);
        let found = found.map(|((found, launched), result)| {
            alone(f, found, &launched.kind, &joined_result(result))
        });
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let is_unread = |it: &&FormOutput| it.result.is_none() && it.kind.open().is_some();
        let sizes = match form.outputs().iter().find(is_unread) {
            Some(_) => sizes_of(f, &inputs[0])?,
            None => open_sizes(f, &inputs[0], &results)?,
        };
        let returned = form.outputs().iter().enumerate();
        let returned = returned.map(|(number, it)| match it.result {
            Some(result) => split(f, &found[result], &results[result], &sizes),
            None => unread(f, number, &it.kind, &sizes),
        });
        let returned = returned.collect::<Result<Vec<_>, _>>()?.join(", ");
        write!(f, "    util.return {returned} : {kinds}\n  }}\n")
    }
}

/// Returns the type with one dimension in place of those up to the last open one.
fn joined_type(kind: &Type) -> Type {
    let sizes = match kind.joined() {
        1 => kind.sizes.clone(),
        count => [&[None], &kind.sizes[count..]].concat(),
    };
    Type {
        sizes,
        element: kind.element,
    }
}

fn joined_result(result: &DispatchTensor) -> DispatchTensor {
    DispatchTensor {
        name: result.name.clone(),
        kind: joined_type(&result.kind),
    }
}

/// Gives results of equal types different ones, by dimensions of size 1.
///
/// IREE would merge equal destinations. It must merge equal launches: each of several operations
/// that one kernel computes is replaced by a launch.
fn apart(results: impl Iterator<Item = DispatchTensor>) -> Vec<DispatchTensor> {
    let mut all: Vec<DispatchTensor> = Vec::new();
    for mut result in results {
        while all.iter().any(|it| it.kind == result.kind) {
            result.kind.sizes.push(Some(1));
        }
        all.push(result);
    }
    all
}

/// Prints the removal of these dimensions from a result, and returns its name.
fn alone(
    f: &mut Formatter<'_>,
    found: String,
    launched: &Type,
    result: &DispatchTensor,
) -> Result<String, fmt::Error> {
    let DispatchTensor { name, kind } = result;
    if launched == kind {
        return Ok(found);
    }
    let last = kind.sizes.len().saturating_sub(1);
    let groups = (0..kind.sizes.len()).map(|d| match d == last {
        true => (d..launched.sizes.len())
            .map(|d| d.to_string())
            .collect::<Vec<_>>()
            .join(", "),
        false => d.to_string(),
    });
    let groups: Vec<String> = groups.map(|it| format!("[{it}]")).collect();
    let alone = format!("%alone_{}", name.trim_start_matches('%'));
    writeln!(
        f,
        "    {alone} = tensor.collapse_shape {found} [{}] : {launched} into {kind}",
        groups.join(", ")
    )?;
    Ok(alone)
}

/// Returns the dimensions of a type that each dimension of the joined type has.
fn groups(kind: &Type) -> String {
    let joined = kind.joined();
    let outermost = (0..joined).map(|d| d.to_string()).collect::<Vec<_>>();
    let others = (joined..kind.sizes.len()).map(|d| format!(", [{d}]"));
    format!("[[{}]{}]", outermost.join(", "), others.collect::<String>())
}

/// Prints the join of the outer dimensions of an input, if the problem joins them.
fn joined(f: &mut Formatter<'_>, input: &DispatchTensor) -> Result<DispatchTensor, fmt::Error> {
    let DispatchTensor { name, kind } = input;
    if kind.joined() == 1 {
        return Ok(joined_result(input));
    }
    let (to, groups) = (joined_type(kind), groups(kind));
    let joined = format!("%joined_{}", name.trim_start_matches('%'));
    writeln!(
        f,
        "    {joined} = tensor.collapse_shape {name} {groups} : {kind} into {to}"
    )?;
    Ok(DispatchTensor {
        name: joined,
        kind: to,
    })
}

/// Prints the open sizes of the first input if a result has joined dimensions, and returns their
/// names.
fn open_sizes(
    f: &mut Formatter<'_>,
    input: &DispatchTensor,
    results: &[DispatchTensor],
) -> Result<Vec<String>, fmt::Error> {
    match results.iter().all(|it| it.kind.joined() == 1) {
        true => Ok(Vec::new()),
        false => sizes_of(f, input),
    }
}

/// Prints the open sizes of an input, and returns their names.
fn sizes_of(f: &mut Formatter<'_>, input: &DispatchTensor) -> Result<Vec<String>, fmt::Error> {
    let mut sizes = Vec::new();
    let DispatchTensor { name, kind } = input;
    for d in kind.open_dimensions() {
        writeln!(f, "    %dimension{d} = arith.constant {d} : index")?;
        writeln!(
            f,
            "    %open{d} = tensor.dim {name}, %dimension{d} : {kind}"
        )?;
        sizes.push(format!("%open{d}"));
    }
    Ok(sizes)
}

/// Prints a tensor in place of a result that nothing reads, and returns its name.
fn unread(
    f: &mut Formatter<'_>,
    number: usize,
    kind: &Type,
    sizes: &[String],
) -> Result<String, fmt::Error> {
    let name = format!("%unread{number}");
    let open = match kind.open() {
        Some(_) => sizes.join(", "),
        None => String::new(),
    };
    writeln!(f, "    {name} = tensor.empty({open}) : {kind}")?;
    Ok(name)
}

/// Prints the split of a result's joined dimensions. `sizes` has the open ones.
fn split(
    f: &mut Formatter<'_>,
    found: &str,
    result: &DispatchTensor,
    sizes: &[String],
) -> Result<String, fmt::Error> {
    let DispatchTensor { name, kind } = result;
    if kind.joined() == 1 {
        return Ok(found.to_owned());
    }
    let (from, groups) = (joined_type(kind), groups(kind));
    let split = format!("%split_{}", name.trim_start_matches('%'));
    let mut open = sizes.iter();
    let all = kind.sizes.iter().map(|size| match size {
        Some(size) => size.to_string(),
        None => open.next().cloned().unwrap_or_default(),
    });
    let all = all.collect::<Vec<_>>().join(", ");
    writeln!(
        f,
        "    {split} = tensor.expand_shape {found} {groups} output_shape [{all}] : {from} into {kind}"
    )?;
    Ok(split)
}
