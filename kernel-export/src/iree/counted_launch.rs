//! The launches of a kernel: one, or where the count is known at launch only as many as the count asks for.
//!
//! A kernel is launched once for all places, if there are any and no more than the largest count that it was made for; else once for each so
//! many of them, as its offsets and its grid hold no more.

use std::fmt::{self, Display, Formatter};

use configgen::linalg::Type;

use super::extern_dispatch::{DispatchTensor, ExternDispatch};
use crate::grid::CountedGrid;

/// The launches of a kernel, and the tensors that they are given.
pub(super) struct Launches<'a> {
    pub(super) launch: ExternDispatch<'a>,
    /// The problem's inputs, in their order. The first has the dimension that is counted.
    pub(super) inputs: Vec<DispatchTensor>,
    /// What its results are written to, in their order.
    pub(super) results: Vec<DispatchTensor>,
    /// Whether nothing is in the results before: they are made here.
    pub(super) makes_results: bool,
}

impl Launches<'_> {
    /// Prints them, and gives the names of what they return.
    pub(super) fn write(&self, f: &mut Formatter<'_>) -> Result<Vec<String>, fmt::Error> {
        match CountedGrid::of(self.launch.problem, self.launch.kernel) {
            Some(CountedGrid { largest, .. }) => self.of_any_count(f, largest),
            None => {
                self.results(f)?;
                self.launch.write(f, &self.inputs, &self.results, "")
            }
        }
    }

    /// What results are written to, where it is made here.
    fn results(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let made = self.results.iter().filter(|_| self.makes_results);
        for DispatchTensor { name, kind } in made {
            let count = kind.open().map_or("", |_| "%count");
            writeln!(f, "    {name} = tensor.empty({count}) : {kind}")?;
        }
        Ok(())
    }

    fn of_any_count(&self, f: &mut Formatter<'_>, largest: u32) -> Result<Vec<String>, fmt::Error> {
        let kinds = self.results.iter().map(|it| it.kind.to_string());
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let number = self.results.len();
        let DispatchTensor { name, kind } = self.inputs.first().ok_or(fmt::Error)?;
        let counted = kind.open().ok_or(fmt::Error)?;
        write!(
            f,
            "    %none = arith.constant 0 : index
    %one = arith.constant 1 : index
    %largest = arith.constant {largest} : index
    %counted = arith.constant {counted} : index
    %count = tensor.dim {name}, %counted : {kind}
    %last = arith.subi %count, %one : index
    %is_made_for = arith.cmpi ult, %last, %largest : index
    %all:{number} = scf.if %is_made_for -> ({kinds}) {{
"
        )?;
        self.results(f)?;
        let whole = self
            .launch
            .write(f, &self.inputs, &self.results, "%count")?;
        let whole = whole.join(", ");
        write!(f, "    scf.yield {whole} : {kinds}\n    }} else {{\n")?;
        self.results(f)?;
        let before = |it: &DispatchTensor| DispatchTensor {
            name: renamed("these", &it.name),
            kind: it.kind.clone(),
        };
        let before: Vec<DispatchTensor> = self.results.iter().map(before).collect();
        let begin = self.results.iter().zip(&before);
        let begin = begin.map(|(it, before)| format!("{} = {}", before.name, it.name));
        write!(
            f,
            "    %parts:{number} = scf.for %from = %none to %count step %largest iter_args({}) -> ({kinds}) {{
    %left = arith.subi %count, %from : index
    %some = arith.minui %left, %largest : index
",
            begin.collect::<Vec<_>>().join(", ")
        )?;
        let inputs = parts(f, &self.inputs, &self.inputs)?;
        let results = parts(f, &self.results, &before)?;
        let found = self.launch.write(f, &inputs, &results, "%some")?;
        let mut after = Vec::new();
        for ((part, whole), before) in found.iter().zip(&self.results).zip(&before) {
            let name = renamed("more", &whole.name);
            let (kind, places) = (&whole.kind, SliceBounds(&whole.kind));
            writeln!(
                f,
                "    {name} = tensor.insert_slice {part} into {}{places} : {kind} into {kind}",
                before.name
            )?;
            after.push(name);
        }
        let returned = |of: &str| -> Vec<String> {
            let numbers = 0..number;
            numbers.map(|number| format!("{of}#{number}")).collect()
        };
        writeln!(
            f,
            "    scf.yield {} : {kinds}
    }}
    scf.yield {} : {kinds}
    }}",
            after.join(", "),
            returned("%parts").join(", ")
        )?;
        Ok(returned("%all"))
    }
}

/// Takes `%some` places, from `%from` on, of those of these tensors that have the count's dimension; the tensors hold the same as
/// `whole`, whose names parts are called by. The others are taken as they are.
fn parts(
    f: &mut Formatter<'_>,
    whole: &[DispatchTensor],
    tensors: &[DispatchTensor],
) -> Result<Vec<DispatchTensor>, fmt::Error> {
    let mut all = Vec::new();
    for (DispatchTensor { name, kind }, from) in whole.iter().zip(tensors) {
        let is_open = kind.open().is_some();
        let part = match is_open {
            true => renamed("some", name),
            false => from.name.clone(),
        };
        if is_open {
            let (from, places) = (&from.name, SliceBounds(kind));
            writeln!(
                f,
                "    {part} = tensor.extract_slice {from}{places} : {kind} to {kind}"
            )?;
        }
        all.push(DispatchTensor {
            name: part,
            kind: kind.clone(),
        });
    }
    Ok(all)
}

/// `%some_values` of `%values`.
fn renamed(word: &str, name: &str) -> String {
    format!("%{word}_{}", name.trim_start_matches('%'))
}

/// Some places of the open dimension, `[%from, 0][%some, 300][1, 1]`.
struct SliceBounds<'a>(&'a Type);

impl Display for SliceBounds<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let each = |word: &dyn Fn(&Option<u64>) -> String| {
            let words: Vec<String> = self.0.sizes.iter().map(word).collect();
            words.join(", ")
        };
        let from = each(&|size| size.map_or("%from", |_| "0").to_owned());
        let sizes = each(&|size| size.map_or("%some".to_owned(), |size| size.to_string()));
        let steps = each(&|_| "1".to_owned());
        write!(f, "[{from}][{sizes}][{steps}]")
    }
}
