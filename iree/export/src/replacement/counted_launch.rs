//! Counted launches: one launch of a kernel, or as many as a count needs if it is known at launch
//! only.
//!
//! A count of up to the largest that the kernel was made for needs one launch. A larger count
//! needs one launch per part of that size, because the kernel's offsets and grid hold no more.

use std::fmt::{self, Display, Formatter};

use configgen::linalg::Type;

use super::extern_dispatch::{DispatchTensor, ExternDispatch};
use kernel_export::CountedGrid;

/// The launches of a kernel, with their tensors.
pub(super) struct Launches<'a> {
    pub(super) launch: ExternDispatch<'a>,
    /// The problem's inputs, in their order. The first one has the open dimension.
    pub(super) inputs: Vec<DispatchTensor>,
    /// The destinations of the results, in their order.
    pub(super) results: Vec<DispatchTensor>,
    /// True if the results have no initial contents, so that the launches create them.
    pub(super) makes_results: bool,
}

impl Launches<'_> {
    /// Prints the launches and returns the names of their results.
    pub(super) fn write(&self, f: &mut Formatter<'_>) -> Result<Vec<String>, fmt::Error> {
        match CountedGrid::of(self.launch.problem, self.launch.kernel) {
            Some(CountedGrid { largest, .. }) => self.of_any_count(f, largest),
            None => {
                self.results(f)?;
                self.launch.write(f, &self.inputs, &self.results, "")
            }
        }
    }

    /// Prints the creation of the results' destinations, if the launches create them.
    fn results(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let made = self.results.iter().filter(|_| self.makes_results);
        for DispatchTensor { name, kind } in made {
            let count = kind.open().map_or("", |_| "{%count}");
            // IREE computes a `tensor.empty` once, as a constant, and copies it for each launch.
            writeln!(f, "    {name} = flow.tensor.empty : {kind}{count}")?;
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
        // `%last` wraps around for a count of 0, so that such a count takes the loop, which
        // launches nothing.
        let whole = self
            .launch
            .write(f, &self.inputs, &self.results, "%count")?;
        let whole = whole.join(", ");
        write!(f, "    scf.yield {whole} : {kinds}\n    }} else {{\n")?;
        self.results(f)?;
        // Each iteration writes its part into the tensors of the one before, which tensor
        // semantics require.
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
        // Both branches return equal types, as `scf.if` requires.
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

/// Prints slices of `%some` coordinates from `%from` on, of those `tensors` with an open
/// dimension. The parts are named after `whole`. Other tensors stay as they are.
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

/// Returns `%some_values` for `%values`.
fn renamed(word: &str, name: &str) -> String {
    format!("%{word}_{}", name.trim_start_matches('%'))
}

/// The bounds of a slice along the open dimension, such as `[%from, 0][%some, 300][1, 1]`.
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
