//! The pattern of a matcher: a form of an operation as MLIR, which it compares with a module's
//! operations.

use std::fmt::{self, Display, Formatter};

use configgen::IndexType;
use configgen::comparator::{Comparator, Opcode};
use iree::arg_compare_operation::ArgCompareInit;

use super::frontend_form::{FrontendForm, Loop, LoopBodyPart, Reducer};
use super::module_arg_compare::{InitialState, ModuleArgCompare, arguments};

/// A form of an operation; `Display` prints a block that ends with it.
///
/// The names in its blocks share one scope: a clash is a parse error in iree-compile.
pub(super) struct MatcherPattern<'a> {
    pub(super) operation: &'a ModuleArgCompare<'a>,
    pub(super) form: FrontendForm,
}

impl Display for MatcherPattern<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        writeln!(f, "    ^bb0({}):", arguments(&operation.operands()))?;
        match operation.first {
            InitialState::Worst(value) => write!(f, "{}", self.begin(value, 0))?,
            InitialState::Pair(value, place) => write!(f, "{}", self.begin(value, place))?,
            InitialState::Given => {}
        }
        match self.form {
            FrontendForm::ArgCompare => self.arg_compare(f),
            FrontendForm::Loop(body) => self.generic(f, body),
            FrontendForm::WithIota => self.with_iota(f),
        }
    }
}

impl MatcherPattern<'_> {
    /// Returns the tensors of the initial pair, with a value's bits and an index.
    fn begin(&self, value: u64, index: i64) -> ArgCompareInit<'_> {
        let operation = self.operation;
        ArgCompareInit {
            arg_compare: operation.arg_compare,
            value,
            index,
            values: operation.values(),
            indices: operation.indices(),
            counts: operation.counts(),
        }
    }

    fn arg_compare(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        let (input, dimension) = (operation.input(), operation.dimension);
        let (values, indices) = (operation.values(), operation.indices());
        let inputs = match operation.is_explicit() {
            true => format!("%input, %explicit : {input}, {}", operation.input_indices()),
            false => format!("%input : {input}"),
        };
        let base = match operation.is_based() {
            true => " index_base(%base : index)",
            false => "",
        };
        let block = operation.arg_compare.comparator.block().indented(6);
        write!(
            f,
            "      %results:2 = iree_linalg_ext.arg_compare dimension({dimension}) ins({inputs}) outs(%values, %indices : {values}, {indices}){base} {{
{block}      }} -> {values}, {indices}
"
        )
    }

    fn generic(&self, f: &mut Formatter<'_>, body: &Loop) -> fmt::Result {
        let operation = self.operation;
        let (element, index) = (operation.problem.element, operation.arg_compare.index);
        let (all, rows) = (map(operation.rank(), 0..operation.rank()), self.rows_map());
        let kinds = (0..operation.rank()).map(|d| match d == operation.dimension {
            true => "\"reduction\"",
            false => "\"parallel\"",
        });
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let pair = Pair(body.indices_first);
        let (values, indices) = (
            operation.values().to_string(),
            operation.indices().to_string(),
        );
        let types = pair.of(&values, &indices);
        writeln!(
            f,
            "      %results:2 = linalg.generic {{indexing_maps = [{all}, {rows}, {rows}], iterator_types = [{kinds}]}} ins(%input : {}) outs({} : {types}) {{",
            operation.input(),
            pair.of("%values", "%indices"),
        )?;
        writeln!(
            f,
            "      ^bb0(%a: {element}, {}):",
            pair.of(&format!("%b: {element}"), &format!("%place: {index}"))
        )?;
        let comparator = &operation.arg_compare.comparator;
        let (lines, better) = comparison(comparator);
        for step in body.steps {
            match step {
                LoopBodyPart::Index => self.index(f, "%index")?,
                LoopBodyPart::Compare => lines.iter().try_for_each(|line| writeln!(f, "{line}"))?,
                LoopBodyPart::Extreme => {
                    let word = comparator.extreme().map_or("", Opcode::name);
                    writeln!(f, "        %value = {word} %a, %b : {element}")?;
                }
                LoopBodyPart::Value => {
                    writeln!(
                        f,
                        "        %value = arith.select {better}, %a, %b : {element}"
                    )?;
                }
                LoopBodyPart::Place => {
                    writeln!(
                        f,
                        "        %found = arith.select {better}, %index, %place : {index}"
                    )?;
                }
            }
        }
        let (element, index) = (element.to_string(), index.to_string());
        writeln!(
            f,
            "        linalg.yield {} : {}
      }} -> ({types})",
            pair.of("%value", "%found"),
            pair.of(&element, &index)
        )
    }

    /// Prints the index of an element in the index type.
    fn index(&self, f: &mut Formatter<'_>, name: &str) -> fmt::Result {
        let (dimension, index) = (self.operation.dimension, self.operation.arg_compare.index);
        match index {
            IndexType::Index => writeln!(f, "        {name} = linalg.index {dimension} : index"),
            IndexType::I32 | IndexType::I64 => writeln!(
                f,
                "        %position = linalg.index {dimension} : index
        {name} = arith.index_cast %position : index to {index}"
            ),
        }
    }

    fn with_iota(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operation = self.operation;
        let (rank, dimension) = (operation.rank(), operation.dimension);
        let (element, index) = (operation.problem.element, operation.arg_compare.index);
        let (input, iota) = (operation.input(), operation.input_indices());
        let (values, indices) = (operation.values(), operation.indices());
        let each = map(rank, 0..rank);
        let [_, count] = operation.counts();
        let parallel = vec!["\"parallel\""; rank];
        write!(
            f,
            "      %no_iota = tensor.empty({count}) : {iota}
      %iota = linalg.generic {{indexing_maps = [{each}], iterator_types = [{}]}} outs(%no_iota : {iota}) {{
      ^bb0(%nothing: {index}):
",
            parallel.join(", ")
        )?;
        self.index(f, "%cast")?;
        write!(
            f,
            "        linalg.yield %cast : {index}
      }} -> {iota}
"
        )?;
        // The reduced dimension is the last one of the loop, at any position in the input.
        let of_loop = (0..rank).map(|d| match d.cmp(&dimension) {
            std::cmp::Ordering::Less => d,
            std::cmp::Ordering::Equal => rank - 1,
            std::cmp::Ordering::Greater => d - 1,
        });
        let (all, rows) = (map(rank, of_loop), map(rank, 0..rank - 1));
        let mut kinds = parallel;
        kinds[rank - 1] = "\"reduction\"";
        write!(
            f,
            "      %results:2 = linalg.generic {{indexing_maps = [{all}, {all}, {rows}, {rows}], iterator_types = [{}]}} ins(%input, %iota : {input}, {iota}) outs(%values, %indices : {values}, {indices}) {{
      ^bb0(%a: {element}, %index: {index}, %b: {element}, %place: {index}):
",
            kinds.join(", ")
        )?;
        match Reducer::of(&operation.arg_compare.comparator) {
            Some(Reducer::Float(predicate)) => write!(
                f,
                "        %better = arith.cmpf {predicate}, %b, %a : {element}
        %is_nan = arith.cmpf une, %b, %b : {element}
        %stays = arith.ori %better, %is_nan : i1
        %equal = arith.cmpf oeq, %b, %a : {element}
        %before = arith.cmpi slt, %place, %index : {index}
        %first = arith.andi %equal, %before : i1
        %place_stays = arith.ori %stays, %first : i1
        %value = arith.select %stays, %b, %a : {element}
"
            )?,
            Some(Reducer::Integer(predicate, extreme)) => write!(
                f,
                "        %stays = arith.cmpi {predicate}, %b, %a : {element}
        %equal = arith.cmpi eq, %b, %a : {element}
        %before = arith.cmpi slt, %place, %index : {index}
        %first = arith.andi %equal, %before : i1
        %place_stays = arith.ori %stays, %first : i1
        %value = {} %b, %a : {element}
",
                extreme.name()
            )?,
            None => {}
        }
        write!(
            f,
            "        %found = arith.select %place_stays, %place, %index : {index}
        linalg.yield %value, %found : {element}, {index}
      }} -> ({values}, {indices})
"
        )
    }

    /// Returns the map from the loop to the row.
    fn rows_map(&self) -> String {
        let dimensions = 0..self.operation.rank();
        map(
            self.operation.rank(),
            dimensions.filter(|d| *d != self.operation.dimension),
        )
    }
}

/// Returns the lines that compare `%a` with `%b`, and the name of the result.
fn comparison(comparator: &Comparator) -> (Vec<String>, String) {
    let element = comparator.element();
    let tosa = match comparator.name() {
        Some("argmax_nan") => Some("ugt"),
        Some("argmin_nan") => Some("ult"),
        _ => None,
    };
    // tosa.argmax orders these operations differently from the canonical form.
    if let Some(predicate) = tosa {
        let lines = vec![
            format!("        %0 = arith.cmpf {predicate}, %a, %b : {element}"),
            format!("        %1 = arith.cmpf ord, %b, %b : {element}"),
            "        %2 = arith.andi %0, %1 : i1".to_owned(),
        ];
        return (lines, "%2".to_owned());
    }
    let block = comparator.block().indented(6).to_string();
    // The first line has the arguments, and the last one the yielded value.
    let mut lines: Vec<String> = block.lines().skip(1).map(str::to_owned).collect();
    let yielded = lines.pop().unwrap_or_default();
    let better = yielded.split_whitespace().nth(1);
    (lines, better.unwrap_or_default().to_owned())
}

/// The order of values and indices.
struct Pair(bool);

impl Pair {
    fn of(&self, value: &str, index: &str) -> String {
        match self.0 {
            true => format!("{index}, {value}"),
            false => format!("{value}, {index}"),
        }
    }
}

/// Returns `affine_map<(d0, d1) -> (d1)>` for such dimensions.
fn map(rank: usize, to: impl Iterator<Item = usize>) -> String {
    let list = |dimensions: &mut dyn Iterator<Item = usize>| {
        let names: Vec<String> = dimensions.map(|d| format!("d{d}")).collect();
        names.join(", ")
    };
    let mut to = to;
    format!(
        "affine_map<({}) -> ({})>",
        list(&mut (0..rank)),
        list(&mut to)
    )
}
