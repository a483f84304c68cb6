//! A kernel in place of an operation of linalg: plain reductions and row operations, each in a form that somebody has seen.

use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::linalg::Form;
use configgen::{Problem, Target};

use super::launch::{All, Given, Launch};

/// A form, and the kernel that takes its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Linalg<'a> {
    pub(super) problem: &'a Problem,
    pub(super) form: &'a Form,
    /// Which of the problem's forms it is.
    pub(super) number: usize,
    pub(super) kernel: &'a CompiledKernel,
    pub(super) target: &'a Target,
    /// The code object's file.
    pub(super) file: &'a str,
    /// Lanes of a subgroup.
    pub(super) subgroup_size: u32,
}

impl Linalg<'_> {
    /// The name of the function that launches the kernel.
    pub(super) fn name(&self) -> String {
        format!("{}_{}{}", self.kernel.symbol, self.form.name(), self.number)
    }

    /// The types of the problem's results: of those that the operation has, its own, which may have more dimensions of size 1.
    fn results(&self) -> Vec<Given> {
        let results = self.problem.results().into_iter().enumerate();
        let given = results.map(|(number, tensor)| {
            let outputs = self.form.outputs();
            let kind = match outputs.iter().find(|it| it.result == number) {
                Some(output) => output.kind.to_string(),
                None => {
                    let map = tensor.extent.map(&self.problem.shape);
                    let sizes = map.sizes(&self.problem.shape);
                    let sizes: String = sizes.iter().map(|size| format!("{size}x")).collect();
                    format!("tensor<{sizes}{}>", tensor.scalar)
                }
            };
            Given {
                name: format!("%result{number}"),
                kind,
            }
        });
        given.collect()
    }
}

/// Prints a `util.func` of the form's arguments.
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
        let given = |(number, kind): (usize, _)| Given {
            name: format!("%argument{number}"),
            kind: format!("{kind}"),
        };
        let arguments: Vec<Given> = form.arguments().iter().enumerate().map(given).collect();
        let listed = arguments
            .iter()
            .map(|it| format!("{}: {}", it.name, it.kind));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let kinds = form.outputs().iter().map(|it| it.kind.to_string());
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        writeln!(
            f,
            "  util.func private @{}({listed}) -> ({kinds}) {{",
            self.name()
        )?;
        let results = self.results();
        for Given { name, kind } in &results {
            writeln!(f, "    {name} = tensor.empty() : {kind}")?;
        }
        let launch = Launch {
            problem,
            kernel,
            target,
            file,
            subgroup_size,
        };
        let all = All {
            inputs: arguments.into_iter().take(form.inputs()).collect(),
            results,
            count: "",
        };
        let results = launch.write(f, &all)?;
        let returned = form.outputs().iter().map(|it| &*results[it.result]);
        let returned = returned.collect::<Vec<_>>().join(", ");
        write!(f, "    util.return {returned} : {kinds}\n  }}\n")
    }
}
