//! The replacement of an operation of linalg by a kernel: plain reductions and row operations,
//! each in a known form.

use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::linalg::{OperationForm, Type};
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
            let outputs = self.form.outputs();
            let kind = match outputs.iter().find(|it| it.result == number) {
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

/// Prints a `util.func` with the form's arguments.
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
        let listed = form.arguments().into_iter();
        let listed = listed.map(|(name, kind)| format!("{name}: {kind}"));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let kinds = form.outputs().iter().map(|it| it.kind.to_string());
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        writeln!(
            f,
            "  util.func private @{}({listed}) -> ({kinds}) {{",
            self.name()
        )?;
        let launches = Launches {
            launch: ExternDispatch {
                problem,
                kernel,
                target,
                file,
                subgroup_size,
            },
            inputs: inputs.collect(),
            results: self.results(),
            makes_results: true,
        };
        let results = launches.write(f)?;
        let returned = form.outputs().iter().map(|it| &*results[it.result]);
        let returned = returned.collect::<Vec<_>>().join(", ");
        write!(f, "    util.return {returned} : {kinds}\n  }}\n")
    }
}
