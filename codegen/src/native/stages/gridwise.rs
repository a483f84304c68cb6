//! Stage 1, gridwise: the kernel's buffers, its combiner, and the rows that each workgroup
//! reduces.
//!
//! The parallel dimensions are cut into tiles, and each workgroup takes one. Workgroups are
//! numbered over the tiles in row-major order. [`TailHandling`](super::dimension::TailHandling)
//! covers sizes that are no multiple of the tile. This stage does not look inside a workgroup.

use std::fmt;
use std::sync::Arc;

use configgen::generator::native::knobs::split_dimension;
use configgen::layout::Layout;
use configgen::reduction::Extent;
use configgen::{Accumulators, Configuration, ElementType, IndexMode, Problem};

use super::dimension::Dimension;
use super::epilogue::Epilogue;
use super::operand::{ElementFunction, TensorOperand};
use crate::Tiling;
use crate::native::combiner::Combiner;
use crate::native::ir::Type;
use crate::native::isa::Isa;

/// The largest number of threads of a launch along one dimension: the grid size in an AQL packet
/// is a `u32`.
const MAX_GRID_THREADS: u64 = u32::MAX as u64;

/// The gridwise stage.
#[derive(Debug, Clone)]
pub(crate) struct Gridwise {
    /// The instruction set.
    pub(crate) isa: &'static Isa,
    /// The combiner of the reduction.
    pub(crate) combiner: Arc<dyn Combiner>,
    /// The dimensions of the problem, outermost first.
    pub(crate) dimensions: Vec<Dimension>,
    /// The inputs, the problem's own first.
    pub(crate) sources: Vec<TensorOperand>,
    /// The reduced value, as a function of the inputs' elements. `None` if the first input's
    /// elements are reduced themselves.
    pub(crate) function: Option<ElementFunction>,
    /// The epilogue, for a row operation or a map. `combiner` and `function` are then those of
    /// the first fold.
    pub(crate) sequel: Option<Epilogue>,
    /// Number of workgroups along x and y; the linear id is `y * x count + x`. Surplus workgroups
    /// do nothing. If the count is known only at launch, the grid of the largest count.
    pub(crate) workgroups: [u32; 2],
    /// The split of rows over workgroups with neighbouring ids, if there is one. In an epilogue,
    /// these wait for each other, and each stores its piece of the outputs.
    pub(crate) split: Option<Split>,
    /// True if the step loop keeps only the best value and its step.
    pub(crate) lazy_index: bool,
    /// The number of running pairs that a lane keeps for each of its rows.
    pub(crate) accumulators: Accumulators,
    /// Threads of a workgroup.
    pub(crate) threads: u32,
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
}

/// A reduced dimension in pieces, one for each workgroup. All pieces have the same size, a whole
/// number of steps. If together they exceed the dimension, the last ones start earlier and take
/// some elements twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// The number of the dimension.
    pub(crate) dimension: usize,
    /// Number of pieces.
    pub(crate) pieces: u32,
    /// Elements of a piece.
    pub(crate) piece: u32,
    /// First element of the last piece.
    pub(crate) last: u32,
}

impl Split {
    /// Returns the split of a legal configuration, or `None` if it has one piece.
    fn new(problem: &Problem, configuration: &Configuration) -> Option<Split> {
        let pieces = configuration.knobs.split;
        if pieces == 1 {
            return None;
        }
        let (dimension, steps) = split_dimension(problem, configuration);
        let tile = configuration.lowering.partial_reduction[dimension];
        let piece = steps.div_ceil(pieces) * tile;
        Some(Split {
            dimension,
            pieces,
            piece,
            last: problem.shape.sizes()[dimension] - piece,
        })
    }
}

impl Gridwise {
    /// Creates the stage for a legal configuration of `problem`. `combiner` is the problem's and
    /// `layout` the configuration's. Returns `None` if there are more tiles than a launch can
    /// have workgroups.
    pub(crate) fn new(
        isa: &'static Isa,
        combiner: Arc<dyn Combiner>,
        problem: &Problem,
        configuration: &Configuration,
        layout: &Layout,
    ) -> Option<Gridwise> {
        let shape = &problem.shape;
        // Results and positions are numbered in row-major order.
        let (mut results, mut positions) = (1, u64::from(combiner.position().is_some()));
        let mut dimensions: Vec<Dimension> = (0..shape.rank())
            .rev()
            .map(|d| {
                let (reduced, size) = (shape.is_reduced(d), shape.sizes()[d]);
                let numbers = if reduced {
                    &mut positions
                } else {
                    &mut results
                };
                let weight = *numbers;
                *numbers *= u64::from(size);
                Dimension {
                    reduced,
                    size,
                    counted: shape.is_counted(d),
                    whole: size,
                    weight,
                    layout: layout.dimensions[d],
                }
            })
            .collect();
        dimensions.reverse();
        let sequel = Epilogue::of(problem);
        let split = Split::new(problem, configuration);
        // The weights above use the whole size: a position counts in the row and not in the
        // piece.
        if let Some(split) = split {
            dimensions[split.dimension].size = split.piece;
        }
        let threads: u32 = configuration.workgroup_size.iter().product();
        let tiles = dimensions.iter().filter(|d| !d.reduced);
        let tiles: u64 = tiles.map(|d| u64::from(d.tiles())).product();
        let pieces = tiles * u64::from(configuration.knobs.split);
        let first = sequel.as_ref().and_then(|sequel| sequel.folds.first());
        let first = first.map(|fold| fold.element.clone());
        // The grid extends along y only if it does not fit x.
        let x = pieces.min(MAX_GRID_THREADS / u64::from(threads.max(1)));
        Some(Gridwise {
            isa,
            combiner,
            dimensions,
            sources: TensorOperand::of(problem),
            function: first.or_else(|| ElementFunction::of(problem)),
            sequel,
            workgroups: [
                u32::try_from(x).ok()?,
                u32::try_from(pieces.div_ceil(x)).ok()?,
            ],
            split,
            lazy_index: configuration.knobs.lazy_index,
            accumulators: configuration.knobs.accumulators,
            threads,
            subgroup_size: configuration.subgroup_size,
        })
    }

    /// Returns the parallel dimensions and their numbers, outermost first.
    pub(crate) fn parallel(&self) -> impl DoubleEndedIterator<Item = (usize, &Dimension)> {
        self.dimensions
            .iter()
            .enumerate()
            .filter(|(_, d)| !d.reduced)
    }

    /// Returns the reduced dimensions and their numbers, outermost first.
    pub(crate) fn reduced(&self) -> impl DoubleEndedIterator<Item = (usize, &Dimension)> {
        self.dimensions
            .iter()
            .enumerate()
            .filter(|(_, d)| d.reduced)
    }

    /// Returns true if the outermost size is known only at launch. Everything that depends on it
    /// then uses the largest count.
    pub(crate) fn is_counted(&self) -> bool {
        self.dimensions.iter().any(|dimension| dimension.counted)
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.parallel().map(|(_, d)| u64::from(d.size)).product()
    }

    /// Returns the number of elements of the input, without gaps.
    pub(crate) fn elements(&self) -> u64 {
        self.dimensions.iter().map(|d| u64::from(d.whole)).product()
    }

    /// Returns the number of tiles.
    pub(crate) fn tiles(&self) -> u64 {
        self.parallel().map(|(_, d)| u64::from(d.tiles())).product()
    }

    /// Returns the number of rows of a tile that exist.
    pub(crate) fn tile_rows(&self) -> u32 {
        self.parallel().map(|(_, d)| d.extent()).product()
    }

    /// Returns the number of workgroups that share a tile.
    pub(crate) fn sharers(&self) -> u32 {
        self.split.map_or(1, |split| split.pieces)
    }

    /// Returns the number of workgroups that have work.
    pub(crate) fn pieces(&self) -> u64 {
        self.tiles() * u64::from(self.sharers())
    }

    /// Returns true if the grid has more workgroups than [`pieces`](Self::pieces).
    pub(crate) fn has_surplus(&self) -> bool {
        let [x, y] = self.workgroups.map(u64::from);
        x * y > self.pieces()
    }

    /// Returns the type of linear workgroup ids.
    pub(crate) fn id_kind(&self) -> Type {
        let [x, y] = self.workgroups.map(u64::from);
        // An i32 holds ids up to 2^32 - 1, as they are compared and extended unsigned.
        match x * y <= 1 << 32 {
            true => Type::I32,
            false => Type::I64,
        }
    }

    /// Returns the bytes of the states that workgroups publish: one per row and piece. If
    /// workgroups wait for each other, one per row of each tile, fold and piece. A 4-byte counter
    /// for each tile follows.
    pub(crate) fn left_bytes(&self) -> u64 {
        let rows = match &self.sequel {
            None => self.rows(),
            Some(_) => self.tiles() * u64::from(self.tile_rows()) * self.folds() as u64,
        };
        rows * u64::from(self.sharers()) * u64::from(self.combiner.partial_bytes())
    }

    /// Returns true if workgroups wait for each other at a grid barrier.
    pub(crate) fn waits(&self) -> bool {
        self.split.is_some() && self.sequel.is_some()
    }

    /// Returns the rows that the workgroups of each tile store. A shifted tile stores from its
    /// unshifted start.
    pub(crate) fn tiling(&self) -> Option<Tiling> {
        Tiling::new(self.parallel().map(|(_, d)| (d.size, d.tile())))
    }

    /// Returns the outputs that have an element for each of the problem.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &TensorOperand> {
        let outputs = self.sequel.iter().flat_map(|sequel| &sequel.outputs);
        let of_elements = outputs.filter(|output| output.extent == Extent::Elements);
        of_elements.map(|output| &output.target)
    }

    /// Returns whether an output of the epilogue has bf16 elements.
    pub(crate) fn stores_bf16(&self) -> bool {
        let mut outputs = self.sequel.iter().flat_map(|sequel| &sequel.outputs);
        outputs.any(|output| output.target.element == ElementType::Bf16)
    }

    /// Returns the number of folds of a row.
    pub(crate) fn folds(&self) -> usize {
        self.sequel.as_ref().map_or(1, |sequel| sequel.folds.len())
    }

    /// Returns the inputs that are tensors.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &TensorOperand> {
        self.sources.iter().filter(|source| source.place.is_none())
    }

    /// Returns the problem's own input.
    pub(crate) fn input(&self) -> &TensorOperand {
        &self.sources[0]
    }

    /// Returns the distance of neighbours along each dimension of the problem's own input, in
    /// elements. For a view, the distance is that of a dense tensor with the problem's sizes.
    pub(crate) fn neighbours(&self) -> Vec<u64> {
        if self.input().view.is_none() {
            return self.input().strides.clone();
        }
        let inner = |d: usize| self.dimensions[d + 1..].iter();
        let dimensions = 0..self.dimensions.len();
        dimensions
            .map(|d| inner(d).map(|it| u64::from(it.whole)).product())
            .collect()
    }

    /// Returns the distance of neighbours along dimension `dimension` of the input, in bytes.
    pub(crate) fn stride_bytes(&self, dimension: usize) -> u64 {
        self.input().strides[dimension] * self.input().bytes()
    }

    /// Returns the largest distance of neighbours along dimension `dimension` in any input or
    /// output, in bytes.
    pub(crate) fn widest_stride_bytes(&self, dimension: usize) -> u64 {
        let strides = self.sources.iter().chain(self.targets());
        let strides = strides.map(|source| source.strides[dimension] * source.bytes());
        strides.max().unwrap_or(0)
    }
}

impl fmt::Display for Gridwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (element, span) = (self.input().element, self.input().span);
        writeln!(f, "gridwise {} {}", self.isa.name, self.combiner.name())?;
        write!(f, "  input   ")?;
        for dimension in &self.dimensions {
            match (dimension.reduced, dimension.counted) {
                (true, _) => write!(f, "[{}]x", dimension.whole)?,
                (false, false) => write!(f, "{}x", dimension.whole)?,
                (false, true) => write!(f, "?x")?,
            }
        }
        // A gap between rows makes the span larger than the number of elements.
        match span {
            _ if self.input().view.is_some() => writeln!(f, "{}", self.input().words())?,
            span if span == self.elements() => writeln!(f, "{element}")?,
            span if self.is_counted() => {
                writeln!(f, "{element}, spread over at most {span} elements")?
            }
            span => writeln!(f, "{element}, spread over {span} elements")?,
        }
        let rows: String = self
            .parallel()
            .map(|(_, d)| match d.counted {
                true => "?x".to_owned(),
                false => format!("{}x", d.size),
            })
            .collect();
        for source in &self.sources[1..] {
            writeln!(f, "  {} {}", source.parameter.name(), source.words())?;
        }
        match (&self.sequel, &self.function) {
            (Some(sequel), _) => write!(f, "{sequel}")?,
            (None, Some(function)) => writeln!(f, "  reduced {} = {function}", function.result)?,
            (None, None) => {}
        }
        if self.sequel.is_none() {
            writeln!(f, "  values  {rows}{}", self.combiner.result())?;
        }
        // The printed lines begin with words that `source_map/parts.rs` looks up.
        if let Some(index) = self.combiner.index() {
            writeln!(f, "  indices {rows}{}", index.kind)?;
            match index.mode {
                IndexMode::Position => {}
                IndexMode::Based => writeln!(f, "  an index is a position plus the base")?,
                IndexMode::Explicit => writeln!(f, "  an index is the explicit one of a position")?,
            }
        }
        writeln!(f, "  {}", self.combiner)?;
        let [x, y] = self.workgroups;
        let most = if self.is_counted() { "at most " } else { "" };
        write!(f, "  {most}{x}")?;
        if y > 1 {
            write!(f, "x{y}")?;
        }
        match self.split {
            None => writeln!(f, " workgroups, a tile each")?,
            Some(split) => {
                let Split {
                    dimension,
                    pieces,
                    piece,
                    last,
                } = split;
                let what = match self.sequel {
                    None => "the last workgroup to end reduces them",
                    Some(_) => "with each fold the workgroups of a tile wait for each other",
                };
                writeln!(f, " workgroups, {pieces} a tile")?;
                writeln!(
                    f,
                    "  dimension {dimension}: pieces of {piece} elements, the last from {last}; {what}"
                )?;
            }
        }
        for (number, dimension) in self.parallel() {
            writeln!(f, "  dimension {number}: {dimension}")?;
        }
        Ok(())
    }
}
