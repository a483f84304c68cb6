//! The operations: their MLIR, their inputs, and the fold on the host.

use crate::iree::rows::{BF16, F16, F32, I32, I64, Kind};

/// An `arg_compare`.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Sizes before the reduced dimension, of it, and after it.
    sizes: [usize; 3],
    pub(crate) element: Kind,
    pub(crate) index: Kind,
    /// The block that says in `%better` whether `%a` goes before `%b`.
    comparator: &'static str,
    /// The start value of the fold.
    worst: &'static str,
    /// The compared key of a rank; the greatest wins.
    key: fn(i64) -> i64,
    pub(crate) indices: Indices,
    /// Further options of iree-compile.
    pub(crate) options: &'static [&'static str],
}

/// The kind of an element's index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indices {
    Position,
    Based(u64),
    Explicit,
}

const MOST: &str = "%better = arith.cmpf ogt, %a, %b : T";
const LEAST: &str = "%better = arith.cmpf olt, %a, %b : T";

const ARGMAX: Case = Case {
    name: "argmax_f32",
    sizes: [4, 32_000, 1],
    element: F32,
    index: I32,
    comparator: MOST,
    worst: "0xFF800000",
    key: |rank| rank,
    indices: Indices::Position,
    options: &[],
};

/// The cases, with sizes for which IREE's own choice compiles in a second. Other sizes take
/// minutes, or fail. [`Case::mlir`] replaces `T` by the element's type.
pub(crate) const CASES: &[Case] = &[
    ARGMAX,
    Case {
        name: "argmin_f16_i64",
        sizes: [8, 32_000, 1],
        element: F16,
        index: I64,
        comparator: LEAST,
        worst: "0x7C00",
        key: |rank| -rank,
        ..ARGMAX
    },
    Case {
        name: "argmax_bf16_one_row",
        sizes: [1, 32_000, 1],
        element: BF16,
        worst: "0xFF80",
        ..ARGMAX
    },
    Case {
        name: "argmax_i32",
        sizes: [96, 256, 1],
        element: I32,
        comparator: "%better = arith.cmpi sgt, %a, %b : T",
        worst: "-2147483648",
        ..ARGMAX
    },
    Case {
        name: "argmax_f32_middle_dimension",
        sizes: [24, 21, 24],
        ..ARGMAX
    },
    Case {
        name: "argmin_f32_first_dimension",
        sizes: [1, 128, 8],
        comparator: LEAST,
        worst: "0x7F800000",
        key: |rank| -rank,
        ..ARGMAX
    },
    Case {
        name: "custom_largest_magnitude",
        sizes: [6, 256, 1],
        comparator: "%x = math.absf %a : T\n    %y = math.absf %b : T\n    \
                     %better = arith.cmpf ogt, %x, %y : T",
        worst: "0.0",
        key: i64::abs,
        ..ARGMAX
    },
    Case {
        name: "custom_unsigned",
        sizes: [5, 32_000, 1],
        element: I32,
        comparator: "%better = arith.cmpi ugt, %a, %b : T",
        worst: "0",
        key: |rank| i64::from(rank as u32),
        ..ARGMAX
    },
    Case {
        name: "custom_smallest_magnitude_f16",
        sizes: [7, 256, 1],
        element: F16,
        comparator: "%x = math.absf %a : T\n    %y = math.absf %b : T\n    \
                     %better = arith.cmpf olt, %x, %y : T",
        worst: "0x7C00",
        key: |rank| -rank.abs(),
        ..ARGMAX
    },
    Case {
        name: "index_base",
        sizes: [4, 32_000, 1],
        indices: Indices::Based(70_000),
        ..ARGMAX
    },
    Case {
        name: "explicit_indices",
        sizes: [4, 32_000, 1],
        indices: Indices::Explicit,
        ..ARGMAX
    },
    Case {
        name: "explicit_indices_i64_min",
        sizes: [3, 128, 1],
        index: I64,
        comparator: LEAST,
        worst: "0x7F800000",
        key: |rank| -rank,
        indices: Indices::Explicit,
        ..ARGMAX
    },
    Case {
        name: "split_reduction",
        sizes: [2, 8192, 1],
        options: &["--iree-dispatch-creation-enable-split-reduction"],
        ..ARGMAX
    },
];

impl Case {
    fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Returns the sizes above one, and the place of the reduced size among them.
    fn dimensions(&self) -> (Vec<usize>, usize) {
        let [before, reduced, after] = self.sizes;
        let outer: Vec<usize> = [before, after]
            .into_iter()
            .filter(|size| *size > 1)
            .collect();
        let at = usize::from(before > 1);
        let mut all = outer;
        all.insert(at, reduced);
        (all, at)
    }

    /// Returns the shape, such as `4x32000`.
    pub(crate) fn shape(&self) -> String {
        joined(&self.dimensions().0)
    }

    pub(crate) fn mlir(&self) -> String {
        let (mut sizes, reduced) = self.dimensions();
        let (element, index) = (self.element.name, self.index.name);
        let tensor = |sizes: &[usize], kind: &str| match sizes {
            [] => format!("tensor<{kind}>"),
            _ => format!("tensor<{}x{kind}>", joined(sizes)),
        };
        let (rows, row_indices) = (tensor(&sizes, element), tensor(&sizes, index));
        sizes.remove(reduced);
        let (values, indices) = (tensor(&sizes, element), tensor(&sizes, index));
        let (mut parameters, mut operands, mut kinds) =
            (format!("%rows: {rows}"), "%rows".to_owned(), rows);
        if self.indices == Indices::Explicit {
            parameters += &format!(", %given: {row_indices}");
            operands += ", %given";
            kinds += &format!(", {row_indices}");
        }
        let (base, uses_base) = match self.indices {
            Indices::Based(base) => (
                format!("  %base = arith.constant {base} : index\n"),
                " index_base(%base : index)",
            ),
            _ => (String::new(), ""),
        };
        let comparator = self.comparator.replace(" T", &format!(" {element}"));
        let worst = self.worst;
        format!(
            "func.func @main({parameters}) -> ({values}, {indices}) {{
  %worst = arith.constant {worst} : {element}
  %zero = arith.constant 0 : {index}
{base}  %no_values = tensor.empty() : {values}
  %no_indices = tensor.empty() : {indices}
  %first_values = linalg.fill ins(%worst : {element}) outs(%no_values : {values}) -> {values}
  %first_indices = linalg.fill ins(%zero : {index}) outs(%no_indices : {indices}) -> {indices}
  %result:2 = iree_linalg_ext.arg_compare dimension({reduced}) ins({operands} : {kinds})
      outs(%first_values, %first_indices : {values}, {indices}){uses_base} {{
  ^bb0(%a: {element}, %b: {element}):
    {comparator}
    iree_linalg_ext.yield %better : i1
  }} -> {values}, {indices}
  return %result#0, %result#1 : {values}, {indices}
}}
"
        )
    }

    pub(crate) fn elements(&self) -> Vec<u8> {
        let numbers = 0..self.count();
        numbers
            .flat_map(|it| self.element.element(self.element.rank(it)))
            .collect()
    }

    pub(crate) fn explicit_indices(&self) -> Vec<u8> {
        let numbers = 0..self.count();
        numbers
            .flat_map(|it| self.index.number(explicit(it)))
            .collect()
    }

    /// Returns the winners' values and indices.
    pub(crate) fn expected(&self) -> (Vec<u8>, Vec<u8>) {
        let [before, reduced, after] = self.sizes;
        let (mut values, mut indices) = (Vec::new(), Vec::new());
        for row in 0..before * after {
            let number = |position: usize| (row / after * reduced + position) * after + row % after;
            let key = |position: &usize| (self.key)(self.element.rank(number(*position)));
            let winner = (0..reduced).max_by_key(key).expect("a row has elements");
            let ties = (0..reduced).filter(|it| key(it) == key(&winner)).count();
            assert_eq!(ties, 1, "row {row} has no single winner");
            values.extend(self.element.element(self.element.rank(number(winner))));
            let index = match self.indices {
                Indices::Position => winner as u64,
                Indices::Based(base) => base + winner as u64,
                Indices::Explicit => explicit(number(winner)),
            };
            indices.extend(self.index.number(index));
        }
        (values, indices)
    }
}

/// Returns the explicit index of the element with this number.
fn explicit(number: usize) -> u64 {
    (number as u64 * 7919 + 13) % 1_000_003
}

fn joined(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    sizes.join("x")
}
