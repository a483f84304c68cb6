//! The reduced elements: loaded from the inputs, and computed if the problem has a function.

use super::lane_coordinate::LaneCoordinates;
use super::lane_offset::LaneOffsets;
use super::memory::{Base, TensorAddresses, TileAccess};
use super::thread_ids::Ids;
use super::view::{LoadedTile, View};
use crate::native::combiner::{RegisterForm, region, register};
use crate::native::ir::{Builder, KernelPart, Type, Value};
use crate::native::stages::final_stage::Final;
use crate::native::stages::operand::ElementFunction;

/// The addresses of the elements of all inputs.
pub(super) struct Inputs {
    /// The problem's own input, then the operands.
    inputs: Vec<InputElements>,
    placed: LaneCoordinates,
}

/// The addresses of the elements of an input.
enum InputElements {
    Tensor(TensorAddresses),
    View(View),
    /// Coordinates along this dimension, which are not in memory.
    Place(usize),
}

/// The start of the elements of an input in a step.
pub(super) enum InputStart {
    Tensor(Base),
    /// The step's coordinates (i32) along the problem's dimensions, without those of the subgroup
    /// and the lane.
    Places(Vec<Value>),
}

/// The loaded elements of a thread tile, for each input.
pub(super) type InputTiles = Vec<LoadedTile>;

impl Inputs {
    /// Builds the parts that all loads share; `accesses` are all that will follow.
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

    /// Returns the address of the subgroup's element 0 in the first step, in the problem's own
    /// input. For a view, the value is not used.
    pub(super) fn first(&self) -> Value {
        match &self.inputs[0] {
            InputElements::Tensor(memory) => memory.first,
            InputElements::View(view) => view.tensor,
            InputElements::Place(_) => unreachable!("the first input is a tensor"),
        }
    }

    /// Returns the start of the inputs in each lane, for the step along dimension `number` that
    /// begins at element `first` (i32, differs between lanes).
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

    /// Returns the start of the inputs in the step at `first`: along each dimension its first
    /// element (i32, uniform). `pointer` is the address of that start in the problem's own input.
    pub(super) fn at(&self, ir: &mut Builder, pointer: Value, first: &[Value]) -> Vec<InputStart> {
        let inputs = self.inputs.iter().enumerate();
        let starts = inputs.map(|(number, input)| match input {
            // The step loop carries the first input's pointer. The others follow from the
            // coordinates.
            InputElements::Tensor(_) if number == 0 => InputStart::Tensor(Base::Uniform(pointer)),
            InputElements::Tensor(memory) => InputStart::Tensor(memory.at(ir, first)),
            InputElements::View(_) | InputElements::Place(_) => InputStart::Places(first.to_vec()),
        });
        starts.collect()
    }

    /// Builds the loads of thread tiles from those inputs that `reads` selects, each from its
    /// start.
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
            // Gathered inputs come after the inputs that hold their coordinates.
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

    /// Returns the inputs to load if `reads` are read: the gathered ones, and all others.
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

    /// Returns the coordinates of the elements of a thread tile along a dimension.
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

    /// Returns the elements of a thread tile to be reduced, in the form of the slots. `rows` has
    /// the values of each element's row, which the function may use.
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
            // A truth value is a byte in the plain form.
            RegisterForm::Plain => ir.resized(computed, form.scalar(function.result)),
            RegisterForm::Ordered { is_signed } => {
                register::ordered(ir, function.result, is_signed, computed)
            }
        });
        formed.collect()
    }

    /// Computes the function of the elements of a thread tile; the results have the region's
    /// types.
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
                        // The region does not read this input, so it was not loaded.
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

    /// Returns the elements of a thread tile in one input.
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
            // A function takes plain elements, and a view is always reduced through a function.
            InputElements::View(view) => (view.elements(ir, &self.placed, tile), &view.loads),
            InputElements::Place(_) => return tile.loads.clone(),
        };
        // An element that is common to the whole tile was loaded once.
        elements.repeat(loads.repeats as usize)
    }
}
