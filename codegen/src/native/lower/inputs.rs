//! The elements that are reduced: loaded from the inputs, and computed where a function says of what.

use super::ids::Ids;
use super::memory::{Access, Base, Memory};
use super::place::Place;
use super::placed::Placed;
use super::viewed::{Tile, View};
use crate::native::combiner::{Form, region, register};
use crate::native::ir::{Builder, Part, Type, Value};
use crate::native::stages::last::Final;
use crate::native::stages::source::Computed;

/// Where the elements of all inputs are, and what is made of them.
pub(super) struct Inputs {
    /// The problem's own input, then the operands.
    inputs: Vec<Input>,
    placed: Placed,
}

/// Where the elements of an input are.
enum Input {
    Tensor(Memory),
    View(View),
    /// They are places along this dimension.
    Place(usize),
}

/// Where the elements of an input are in a step.
pub(super) enum Start {
    Tensor(Base),
    /// At these places (i32) along the problem's dimensions, but for what is the subgroup's and the lane's.
    Places(Vec<Value>),
}

/// What was loaded of a thread tile: from each input.
pub(super) type Loaded = Vec<Tile>;

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
        let inputs = sources.map(|(source, loads)| match (&source.view, source.place) {
            (_, Some(dimension)) => Input::Place(dimension),
            (Some(view), None) => Input::View(View::new(source, view, loads)),
            (None, None) => {
                let source = (source, loads);
                Input::Tensor(Memory::build(ir, kernel, source, ids, places, accesses))
            }
        });
        Inputs {
            inputs: inputs.collect(),
            placed: Placed::new(kernel, ids, places),
        }
    }

    /// Element 0 of the subgroup in the first step, in the problem's own input; of a view it does not matter.
    pub(super) fn first(&self) -> Value {
        match &self.inputs[0] {
            Input::Tensor(memory) => memory.first,
            Input::View(view) => view.tensor,
            Input::Place(_) => unreachable!("the first input is a tensor"),
        }
    }

    /// Where the inputs are, of each lane, in the step along dimension `number` that begins at element `first` (i32, of each lane).
    pub(super) fn of_lanes(&self, ir: &mut Builder, number: usize, first: Value) -> Vec<Start> {
        let inputs = self.inputs.iter();
        let starts = inputs.map(|input| match input {
            Input::Tensor(memory) => Start::Tensor(memory.of_lanes(ir, number, first)),
            Input::View(_) | Input::Place(_) => Start::Places(self.placed.of_lanes(number, first)),
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
            Input::View(_) | Input::Place(_) => Start::Places(first.to_vec()),
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
        let mut loaded = vec![vec![Tile::default(); self.inputs.len()]; accesses.clone().count()];
        ir.part(Part::Load, |ir| {
            // What is gathered comes after that by which it is.
            let (gathered, others) = self.order(reads);
            for number in others.into_iter().chain(gathered) {
                let tiles = match (&self.inputs[number], &starts[number]) {
                    (Input::Tensor(memory), Start::Tensor(base)) => {
                        let loads = memory.load(ir, kernel, base, accesses.clone());
                        let tile = |loads| Tile {
                            loads,
                            ..Tile::default()
                        };
                        loads.into_iter().map(tile).collect()
                    }
                    (Input::View(view), Start::Places(first)) => {
                        let step = self.placed.step(ir, first);
                        let held = |ir: &mut Builder, input: usize, tile: usize| {
                            self.of_input(ir, input, &loaded[tile][input], Form::Plain)
                        };
                        view.load(ir, &self.placed, &step, accesses.clone(), held)
                    }
                    (&Input::Place(dimension), Start::Places(first)) => {
                        let step = self.placed.step(ir, first);
                        let width = kernel.lanes.along[kernel.vector].thread;
                        let tile = |access| self.places(ir, &step, access, width, dimension);
                        accesses.clone().map(tile).collect()
                    }
                    _ => unreachable!("a start is its input's"),
                };
                for (loaded, tile) in loaded.iter_mut().zip(tiles) {
                    loaded[number] = tile;
                }
            }
        });
        loaded
    }

    /// The inputs that are loaded where these are read: those that are gathered by others, and all else.
    fn order(&self, reads: &[bool]) -> (Vec<usize>, Vec<usize>) {
        let held = |number: &usize| match &self.inputs[*number] {
            Input::View(view) => view.held().collect(),
            Input::Tensor(_) | Input::Place(_) => Vec::new(),
        };
        let read = (0..self.inputs.len()).filter(|&number| reads.get(number) == Some(&true));
        let (gathered, mut others): (Vec<usize>, Vec<usize>) =
            read.partition(|number| !held(number).is_empty());
        others.extend(gathered.iter().flat_map(held));
        others.sort_unstable();
        others.dedup();
        (gathered, others)
    }

    /// The places of the elements of a thread tile along a dimension.
    fn places(
        &self,
        ir: &mut Builder,
        step: &[Value],
        access: &Access,
        width: u32,
        dimension: usize,
    ) -> Tile {
        let places = (0..width).map(|element| {
            let at = self.placed.at(ir, step, (access, element), dimension);
            ir.add(at.value, Value::i32(at.constant))
        });
        Tile {
            loads: places.collect(),
            ..Tile::default()
        }
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
            Input::View(view) => (view.elements(ir, &self.placed, tile), &view.loads),
            Input::Place(_) => return tile.loads.clone(),
        };
        elements.repeat(loads.repeats as usize)
    }
}
