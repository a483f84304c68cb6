//! The elements that are reduced: loaded from the inputs, and computed where a function says of what.

use super::ids::Ids;
use super::memory::{Access, Base, Memory};
use super::place::Place;
use super::viewed::View;
use crate::native::combiner::{Form, region, register};
use crate::native::ir::{Builder, Part, Type, Value};
use crate::native::stages::last::Final;
use crate::native::stages::source::Computed;

/// Where the elements of all inputs are, and what is made of them.
pub(super) struct Inputs {
    /// The problem's own input, then the operands.
    inputs: Vec<Input>,
}

/// Where the elements of an input are.
enum Input {
    Tensor(Memory),
    View(View),
}

/// Where the elements of an input are in a step.
pub(super) enum Start {
    Tensor(Base),
    /// At these places (i32) along the problem's dimensions, but for what is the subgroup's and the lane's.
    View(Vec<Value>),
}

/// What was loaded of a thread tile: from each input.
pub(super) type Loaded = Vec<Tile>;

/// What was loaded of a thread tile from an input.
#[derive(Debug, Clone, Default)]
pub(super) struct Tile {
    pub(super) loads: Vec<Value>,
    /// Of each load whether (i1) there are such elements; nothing where there are.
    pub(super) inside: Vec<Value>,
}

impl Inputs {
    /// Builds what all loads have in common; `accesses` are all there will be.
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        places: &[Place],
        accesses: &[Access],
    ) -> Inputs {
        let sources = kernel.lanes.block.grid.sources.iter().zip(&kernel.loads);
        let inputs = sources.map(|(source, loads)| match &source.view {
            None => {
                let source = (source, loads);
                Input::Tensor(Memory::build(ir, kernel, source, ids, places, accesses))
            }
            Some(view) => {
                let source = (source, view, loads);
                Input::View(View::build(ir, kernel, source, ids, places))
            }
        });
        Inputs {
            inputs: inputs.collect(),
        }
    }

    /// Element 0 of the subgroup in the first step, in the problem's own input; of a view it does not matter.
    pub(super) fn first(&self) -> Value {
        match &self.inputs[0] {
            Input::Tensor(memory) => memory.first,
            Input::View(view) => view.tensor,
        }
    }

    /// Where the inputs are, of each lane, in the step along dimension `number` that begins at element `first` (i32, of each lane).
    pub(super) fn of_lanes(&self, ir: &mut Builder, number: usize, first: Value) -> Vec<Start> {
        let inputs = self.inputs.iter();
        let starts = inputs.map(|input| match input {
            Input::Tensor(memory) => Start::Tensor(memory.of_lanes(ir, number, first)),
            Input::View(view) => Start::View(view.of_lanes(number, first)),
        });
        starts.collect()
    }

    /// Where the inputs are in the step that begins there: along each dimension its first element (i32, uniform). In the
    /// problem's own input that is at `pointer`.
    pub(super) fn at(&self, ir: &mut Builder, pointer: Value, first: &[Value]) -> Vec<Start> {
        let inputs = self.inputs.iter().enumerate();
        let starts = inputs.map(|(number, input)| match input {
            Input::Tensor(_) if number == 0 => Start::Tensor(Base::Uniform(pointer)),
            Input::Tensor(memory) => Start::Tensor(memory.at(ir, first)),
            Input::View(_) => Start::View(first.to_vec()),
        });
        starts.collect()
    }

    /// Builds the loads of thread tiles, each input's from its start, of those inputs that `reads` says.
    pub(super) fn load<'b>(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        reads: &[bool],
        starts: &[Start],
        accesses: impl Iterator<Item = &'b Access> + Clone,
    ) -> Vec<Loaded> {
        let mut loaded: Vec<Loaded> = vec![Vec::new(); accesses.clone().count()];
        ir.part(Part::Load, |ir| {
            for ((input, start), &is_read) in self.inputs.iter().zip(starts).zip(reads) {
                let loads = match (input, start) {
                    (Input::Tensor(memory), Start::Tensor(base)) if is_read => {
                        let loads = memory.load(ir, kernel, base, accesses.clone());
                        let tile = |loads| Tile {
                            loads,
                            ..Tile::default()
                        };
                        loads.into_iter().map(tile).collect()
                    }
                    (Input::View(view), Start::View(first)) if is_read => {
                        view.load(ir, first, accesses.clone())
                    }
                    _ => vec![Tile::default(); accesses.clone().count()],
                };
                for (tile, loads) in loaded.iter_mut().zip(loads) {
                    tile.push(loads);
                }
            }
        });
        loaded
    }

    /// The elements of a thread tile that are reduced, in the form of the slots; `rows` has of each the values of its row, which
    /// what is reduced may be computed of, too.
    pub(super) fn elements(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        loaded: &Loaded,
        rows: &[&[Value]],
    ) -> Vec<Value> {
        let grid = &kernel.lanes.block.grid;
        let form = grid.combiner.form();
        let Some(function) = &grid.function else {
            return self.of_input(ir, 0, &loaded[0], form);
        };
        let with_nan = grid.combiner.sees_nan();
        let computed = self.computed(ir, function, loaded, rows, with_nan);
        let formed = computed.into_iter().map(|computed| match form {
            // A truth value is a byte.
            Form::Plain => ir.resized(computed, form.scalar(function.result)),
            Form::Ordered { is_signed } => {
                register::ordered(ir, function.result, is_signed, computed)
            }
        });
        formed.collect()
    }

    /// What is computed of the elements of a thread tile, as regions give it.
    pub(super) fn computed(
        &self,
        ir: &mut Builder,
        function: &Computed,
        loaded: &Loaded,
        rows: &[&[Value]],
        with_nan: bool,
    ) -> Vec<Value> {
        let inputs: Vec<Option<Vec<Value>>> = (0..loaded.len())
            .map(|number| {
                function.reads[number]
                    .then(|| self.of_input(ir, number, &loaded[number], Form::Plain))
            })
            .collect();
        let values = rows.iter().enumerate().map(|(place, row)| {
            let mut arguments: Vec<Value> = (inputs.iter().zip(function.region.types()))
                .map(
                    |(elements, scalar)| match (elements, region::held(*scalar)) {
                        (None, kind) => Value::any(kind),
                        (Some(elements), Type::I1) => register::truth(ir, elements[place]),
                        (Some(elements), _) => elements[place],
                    },
                )
                .collect();
            arguments.extend_from_slice(row);
            match with_nan {
                true => region::build_with_nan(ir, &function.region, &arguments),
                false => region::build(ir, &function.region, &arguments),
            }
        });
        values.collect()
    }

    /// The elements of a thread tile in one input.
    fn of_input(&self, ir: &mut Builder, number: usize, tile: &Tile, form: Form) -> Vec<Value> {
        let (elements, loads) = match &self.inputs[number] {
            Input::Tensor(memory) => {
                let loads = tile.loads.iter();
                let elements = loads
                    .flat_map(|&loaded| register::elements(ir, loaded, memory.element, form))
                    .collect();
                (elements, &memory.loads)
            }
            // What is computed takes elements as they are, and a view is never reduced without.
            Input::View(view) => (view.elements(ir, tile), &view.loads),
        };
        elements.repeat(loads.repeats as usize)
    }
}
