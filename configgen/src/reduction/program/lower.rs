//! Programs as folds and outputs of row operations.

use std::collections::{BTreeSet, HashMap};

use super::Program;
use super::graph::{ProgramGraph, ProgramNode, ProgramValue};
use crate::comparator::{Opcode, Region, RegionOperation, ScalarType, Value};
use crate::reduction::{Extent, RowElement, RowFold, RowOutput, Scalar, Tensor};

/// The names of a program's results and operands, by number.
const OUTPUTS: [&str; 8] = [
    "values", "values_1", "values_2", "values_3", "values_4", "values_5", "values_6", "values_7",
];
const OPERANDS: [&str; 8] = [
    "elements",
    "operand_1",
    "operand_2",
    "operand_3",
    "operand_4",
    "operand_5",
    "operand_6",
    "operand_7",
];

/// The largest number of results of a program.
pub(super) const MAX_OUTPUTS: usize = OUTPUTS.len();

impl Program {
    /// Returns the dimensions with indices.
    pub(in crate::reduction) fn indices(&self) -> Vec<usize> {
        self.graph.indices()
    }

    /// Returns the tensors of the inputs behind the first.
    pub(in crate::reduction) fn operands(&self) -> Vec<Tensor> {
        let inputs = self.graph.inputs().iter().zip(OPERANDS).skip(1);
        let tensors = inputs.map(|(input, name)| Tensor {
            name,
            scalar: Scalar::Element(input.element),
            what: "an operand of the program",
            extent: input.extent,
        });
        tensors.collect()
    }

    /// Returns the elements at positions, the folds of a row and the outputs.
    pub(in crate::reduction) fn lowered(&self) -> (Vec<RowElement>, Vec<RowFold>, Vec<RowOutput>) {
        let graph = &self.graph;
        let folds: Vec<ProgramValue> = graph.folds().collect();
        let inputs = ElementArguments {
            inputs: graph.inputs().iter().map(|it| it.element.into()).collect(),
            indices: graph.indices(),
        };
        let none = ElementArguments::default();
        let mut values: Vec<ProgramValue> = graph.elements_at().collect();
        let elements = values.iter().enumerate().filter_map(|(number, &value)| {
            let &ProgramNode::At(input, position) = graph.node(value) else {
                return None;
            };
            let known = &values[..number];
            let position = position.map(|it| region(graph, (&none, None, known), it));
            Some(RowElement { input, position })
        });
        let elements: Vec<RowElement> = elements.collect();
        values.extend(row_values(graph, &folds, &self.outputs));
        let mut lowered = Vec::new();
        for (number, &fold) in folds.iter().enumerate() {
            let &ProgramNode::Fold(combining, element) = graph.node(fold) else {
                continue;
            };
            let (known, own) = values.split_at(elements.len() + number);
            let of_element = region(graph, (&inputs, None, known), element);
            let of_value = region(graph, (&none, Some(fold), known), own[0]);
            lowered.push(RowFold::new(combining, of_element, of_value));
        }
        let outputs = self.outputs.iter().zip(OUTPUTS).map(|(&output, name)| {
            let extent = match graph.varies(output) {
                true => Extent::Elements,
                false => Extent::Rows,
            };
            let element = graph.scalar(output).element();
            let element = element.expect("results have the type of elements");
            let of_output = region(graph, (&inputs, None, &values), output);
            RowOutput::new(name, "a result of the program", element, extent, of_output)
        });
        let outputs = outputs.collect();
        (elements, lowered, outputs)
    }
}

/// Returns the value that each fold leaves for later folds and outputs.
///
/// It is the fold itself, or the only value that is computed from it and used elsewhere, so that
/// a row computes that once. A value belongs to its latest fold.
fn row_values(
    graph: &ProgramGraph,
    folds: &[ProgramValue],
    outputs: &[ProgramValue],
) -> Vec<ProgramValue> {
    let mut home: HashMap<ProgramValue, usize> = HashMap::new();
    for value in graph.values().filter(|&it| !graph.varies(it)) {
        let own = match graph.node(value) {
            ProgramNode::Fold(..) => folds.iter().position(|it| *it == value),
            node => node
                .operands()
                .iter()
                .filter_map(|it| home.get(it))
                .max()
                .copied(),
        };
        home.extend(own.map(|own| (value, own)));
    }
    let mut exits: Vec<BTreeSet<ProgramValue>> = vec![BTreeSet::new(); folds.len()];
    let mut leave = |value: &ProgramValue, to: Option<usize>| {
        if let Some(&own) = home.get(value).filter(|&&own| Some(own) != to) {
            exits[own].insert(*value);
        }
    };
    for value in graph.values() {
        // The element of a fold is computed before the fold.
        let is_fold = matches!(graph.node(value), ProgramNode::Fold(..));
        let to = home.get(&value).copied().filter(|_| !is_fold);
        graph
            .node(value)
            .operands()
            .iter()
            .for_each(|it| leave(it, to));
    }
    outputs.iter().for_each(|it| leave(it, None));
    let chosen = folds.iter().zip(&exits).map(|(&fold, exits)| {
        let Some(&only) = exits.first().filter(|_| exits.len() == 1) else {
            return fold;
        };
        // Values of a row are f32; a conversion is made where it is used.
        let mut value = only;
        while graph.scalar(value) != ScalarType::F32 {
            match graph.node(value).operands() {
                [operand] if home.get(operand) == home.get(&only) => value = *operand,
                _ => return fold,
            }
        }
        value
    });
    chosen.collect()
}

/// The arguments of a region for each element: the inputs, then the indices.
#[derive(Default)]
struct ElementArguments {
    inputs: Vec<ScalarType>,
    /// The dimensions of the indices.
    indices: Vec<usize>,
}

/// Returns the region of a value. Its arguments are those of an element or a fold, and these
/// values of the row.
fn region(
    graph: &ProgramGraph,
    (of, fold, values): (&ElementArguments, Option<ProgramValue>, &[ProgramValue]),
    result: ProgramValue,
) -> Region {
    let own = fold.map(|_| ScalarType::F32);
    // Folds leave an f32.
    let rows = values.iter().map(|&it| graph.scalar(it));
    let indices = of.indices.iter().map(|_| ScalarType::I32);
    let inputs = of.inputs.iter().copied().chain(indices);
    let types = inputs.chain(own).chain(rows);
    let mut writer = RegionWriter {
        graph,
        of,
        region: Region::of(types),
        known: HashMap::new(),
    };
    let first = (of.inputs.len() + of.indices.len() + usize::from(fold.is_some())) as u32;
    for (&value, number) in values.iter().zip(first..) {
        writer.known.insert(value, Value(number));
    }
    writer.known.extend(fold.map(|fold| (fold, Value(0))));
    let result = writer.value(result);
    writer.region.set_result(result);
    writer.region
}

struct RegionWriter<'g> {
    graph: &'g ProgramGraph,
    of: &'g ElementArguments,
    region: Region,
    known: HashMap<ProgramValue, Value>,
}

impl RegionWriter<'_> {
    fn value(&mut self, value: ProgramValue) -> Value {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let operation = match self.graph.node(value) {
            ProgramNode::Input(number) => return Value(*number as u32),
            ProgramNode::Index(dimension) => {
                let mut indices = self.of.indices.iter();
                let place = indices.position(|it| it == dimension);
                let place = place.expect("an element has its index");
                return Value((self.of.inputs.len() + place) as u32);
            }
            ProgramNode::Fold(..) | ProgramNode::At(..) => {
                unreachable!("a row has the values that give all others")
            }
            ProgramNode::Constant(bits) => (Opcode::Constant(*bits), Vec::new()),
            ProgramNode::Operation(opcode, operands) => {
                let operands = operands.iter().map(|&it| self.value(it));
                (*opcode, operands.collect())
            }
        };
        let made = self.region.push(RegionOperation {
            opcode: operation.0,
            operands: operation.1.into_iter().collect(),
            result: self.graph.scalar(value),
        });
        self.known.insert(value, made);
        made
    }
}
