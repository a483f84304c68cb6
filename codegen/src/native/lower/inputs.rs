//! The elements that are reduced: loaded from the inputs, and computed where a function says of what.

use super::lane_coordinate::LaneCoordinates;
use super::lane_offset::LaneOffsets;
use super::memory::{Base, TensorAddresses, TileAccess};
use super::thread_ids::Ids;
use super::view::{LoadedTile, View};
use crate::native::combiner::{RegisterForm, region, register};
use crate::native::ir::{Builder, KernelPart, Type, Value};
use crate::native::stages::final_stage::Final;
use crate::native::stages::operand::ElementFunction;

/// Where the elements of all inputs are, and what is made of them.
pub(super) struct Inputs {
    /// The problem's own input, then the operands.
    inputs: Vec<InputElements>,
    placed: LaneCoordinates,
}

/// Where the elements of an input are.
enum InputElements {
    Tensor(TensorAddresses),
    View(View),
    /// They are places along this dimension.
    Place(usize),
}

/// Where the elements of an input are in a step.
pub(super) enum InputStart {
    Tensor(Base),
    /// At these places (i32) along the problem's dimensions, but for what is the subgroup's and the lane's.
    Places(Vec<Value>),
}

/// What was loaded of a thread tile: from each input.
pub(super) type InputTiles = Vec<LoadedTile>;

impl Inputs {
    /// Builds what all loads have in common; `accesses` are all there will be.
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        places: &[LaneOffsets],
        accesses: &[TileAccess],
    ) -> Inputs {
        let sources = kernel.lanes.block.grid.sources.iter().zip(&kernel.loads);
        let inputs = sources.map(|(source, loads)| match (&source.view, source.place) {
            (_, Some(dimension)) => InputElements::Place(dimension),
            (Some(view), None) => InputElements::View(View::new(source, view, loads)),
            (None, None) => {
                let source = (source, loads);
                InputElements::Tensor(TensorAddresses::build(
                    ir, kernel, source, ids, places, accesses,
                ))
            }
        });
        Inputs {
            inputs: inputs.collect(),
            placed: LaneCoordinates::new(kernel, ids, places),
        }
    }

    /// Element 0 of the subgroup in the first step, in the problem's own input; of a view it does not matter.
    pub(super) fn first(&self) -> Value {
        match &self.inputs[0] {
            InputElements::Tensor(memory) => memory.first,
            InputElements::View(view) => view.tensor,
            InputElements::Place(_) => unreachable!("the first input is a tensor"),
        }
    }

    /// Where the inputs are, of each lane, in the step along dimension `number` that begins at element `first` (i32, of each lane).
    pub(super) fn of_lanes(
        &self,
        ir: &mut Builder,
        number: usize,
        first: Value,
    ) -> Vec<InputStart> {
        let inputs = self.inputs.iter();
        let starts = inputs.map(|input| match input {
            InputElements::Tensor(memory) => InputStart::Tensor(memory.of_lanes(ir, number, first)),
            InputElements::View(_) | InputElements::Place(_) => {
                InputStart::Places(self.placed.of_lanes(number, first))
            }
        });
        starts.collect()
    }

    /// Where the inputs are in the step that begins there: along each dimension its first element (i32, uniform). In the
    /// problem's own input that is at `pointer`.
    pub(super) fn at(&self, ir: &mut Builder, pointer: Value, first: &[Value]) -> Vec<InputStart> {
        let inputs = self.inputs.iter().enumerate();
        let starts = inputs.map(|(number, input)| match input {
            InputElements::Tensor(_) if number == 0 => InputStart::Tensor(Base::Uniform(pointer)),
            InputElements::Tensor(memory) => InputStart::Tensor(memory.at(ir, first)),
            InputElements::View(_) | InputElements::Place(_) => InputStart::Places(first.to_vec()),
        });
        starts.collect()
    }

    /// Builds the loads of thread tiles, each input's from its start, of those inputs that `reads` says.
    pub(super) fn load<'b>(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        reads: &[bool],
        starts: &[InputStart],
        accesses: impl Iterator<Item = &'b TileAccess> + Clone,
    ) -> Vec<InputTiles> {
        let mut loaded =
            vec![vec![LoadedTile::default(); self.inputs.len()]; accesses.clone().count()];
        ir.part(KernelPart::Load, |ir| {
            // What is gathered comes after that by which it is.
            let (gathered, others) = self.order(reads);
            for number in others.into_iter().chain(gathered) {
                let tiles = match (&self.inputs[number], &starts[number]) {
                    (InputElements::Tensor(memory), InputStart::Tensor(base)) => {
                        let loads = memory.load(ir, kernel, base, accesses.clone());
                        let tile = |loads| LoadedTile {
                            loads,
                            ..LoadedTile::default()
                        };
                        loads.into_iter().map(tile).collect()
                    }
                    (InputElements::View(view), InputStart::Places(first)) => {
                        let step = self.placed.step(ir, first);
                        let held = |ir: &mut Builder, input: usize, tile: usize| {
                            self.of_input(ir, input, &loaded[tile][input], RegisterForm::Plain)
                        };
                        view.load(ir, &self.placed, &step, accesses.clone(), held)
                    }
                    (&InputElements::Place(dimension), InputStart::Places(first)) => {
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
            InputElements::View(view) => view.held().collect(),
            InputElements::Tensor(_) | InputElements::Place(_) => Vec::new(),
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
        access: &TileAccess,
        width: u32,
        dimension: usize,
    ) -> LoadedTile {
        let places = (0..width).map(|element| {
            let at = self
                .placed
                .coordinate(ir, step, (access, element), dimension);
            ir.add(at.value, Value::i32(at.constant))
        });
        LoadedTile {
            loads: places.collect(),
            ..LoadedTile::default()
        }
    }

    /// The elements of a thread tile that are reduced, in the form of the slots; `rows` has of each the values of its row, which
    /// what is reduced may be computed of, too.
    pub(super) fn elements(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        loaded: &InputTiles,
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
            RegisterForm::Plain => ir.resized(computed, form.scalar(function.result)),
            RegisterForm::Ordered { is_signed } => {
                register::ordered(ir, function.result, is_signed, computed)
            }
        });
        formed.collect()
    }

    /// What is computed of the elements of a thread tile, as regions give it.
    pub(super) fn computed(
        &self,
        ir: &mut Builder,
        function: &ElementFunction,
        loaded: &InputTiles,
        rows: &[&[Value]],
        with_nan: bool,
    ) -> Vec<Value> {
        let inputs: Vec<Option<Vec<Value>>> = (0..loaded.len())
            .map(|number| {
                function.reads[number]
                    .then(|| self.of_input(ir, number, &loaded[number], RegisterForm::Plain))
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
    fn of_input(
        &self,
        ir: &mut Builder,
        number: usize,
        tile: &LoadedTile,
        form: RegisterForm,
    ) -> Vec<Value> {
        let (elements, loads) = match &self.inputs[number] {
            InputElements::Tensor(memory) => {
                let loads = tile.loads.iter();
                let elements = loads
                    .flat_map(|&loaded| register::elements(ir, loaded, memory.element, form))
                    .collect();
                (elements, &memory.loads)
            }
            // What is computed takes elements as they are, and a view is never reduced without.
            InputElements::View(view) => (view.elements(ir, &self.placed, tile), &view.loads),
            InputElements::Place(_) => return tile.loads.clone(),
        };
        elements.repeat(loads.repeats as usize)
    }
}
