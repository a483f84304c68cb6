//! Stage 1, gridwise: the buffers of the kernel, its combiner, and which rows each workgroup reduces.
//!
//! The parallel dimensions are cut into tiles, and each workgroup takes one; workgroups are numbered row by row of
//! tiles. Where the size of a dimension is no multiple of its tile, see [`Cover`](super::dimension::Cover). This stage
//! knows nothing of the inside of a workgroup.

use std::fmt;
use std::sync::Arc;

use configgen::layout::Layout;
use configgen::legality::knobs::split_dimension;
use configgen::reduction::Extent;
use configgen::{Accumulators, Configuration, IndexMode, Problem};

use super::dimension::Dimension;
use super::epilogue::Epilogue;
use super::operand::{ElementFunction, TensorOperand};
use crate::Tiling;
use crate::native::combiner::Combiner;
use crate::native::ir::Type;
use crate::native::isa::Isa;

/// Largest number of threads that a launch may have along one dimension: the grid size of an AQL packet is a u32.
const MAX_GRID_THREADS: u64 = u32::MAX as u64;

/// The stage.
#[derive(Debug, Clone)]
pub(crate) struct Gridwise {
    /// The instruction set.
    pub(crate) isa: &'static Isa,
    /// The reduction.
    pub(crate) combiner: Arc<dyn Combiner>,
    /// The dimensions of the problem, outermost first.
    pub(crate) dimensions: Vec<Dimension>,
    /// The inputs, the problem's own first.
    pub(crate) sources: Vec<TensorOperand>,
    /// What is reduced of their elements, where that is not the first one's own.
    pub(crate) function: Option<ElementFunction>,
    /// What follows, where what a row gives is used again; the combiner and what it reduces are those of the first fold.
    pub(crate) sequel: Option<Epilogue>,
    /// Number of workgroups along x and y; the linear id is `y * x count + x`. There may be more than pieces of tiles: the
    /// surplus ones do nothing. Where the count is known at launch only, those of the largest.
    pub(crate) workgroups: [u32; 2],
    /// How several workgroups with neighbouring ids reduce pieces of the rows of a tile, where they do. Where what a row gives is
    /// used again they wait for each other, and each stores its piece of the outputs.
    pub(crate) split: Option<Split>,
    /// Whether the loop over the steps keeps the best value alone and the step in which it was found.
    pub(crate) lazy_index: bool,
    /// The running pairs that a lane has of each of its rows.
    pub(crate) accumulators: Accumulators,
    /// Threads of a workgroup.
    pub(crate) threads: u32,
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
}

/// A reduced dimension in pieces, one a workgroup. All pieces have the same size, a whole number of steps; where these are
/// more than the dimension has, the last ones start earlier and take some elements a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// The dimension.
    pub(crate) dimension: usize,
    /// Number of pieces.
    pub(crate) pieces: u32,
    /// Elements of a piece.
    pub(crate) piece: u32,
    /// First element of the last piece.
    pub(crate) last: u32,
}

impl Split {
    /// The split of a legal configuration.
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
    /// The stage for a legal configuration of `problem`, of which this is the combiner; `layout` is the configuration's. `None` where there are more
    /// tiles than a launch can have workgroups.
    pub(crate) fn new(
        isa: &'static Isa,
        combiner: Arc<dyn Combiner>,
        problem: &Problem,
        configuration: &Configuration,
        layout: &Layout,
    ) -> Option<Gridwise> {
        let shape = &problem.shape;
        // Results and positions are numbered row by row.
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
        if let Some(split) = split {
            dimensions[split.dimension].size = split.piece;
        }
        let threads: u32 = configuration.workgroup_size.iter().product();
        let tiles = dimensions.iter().filter(|d| !d.reduced);
        let tiles: u64 = tiles.map(|d| u64::from(d.tiles())).product();
        let pieces = tiles * u64::from(configuration.knobs.split);
        let first = sequel.as_ref().and_then(|sequel| sequel.folds.first());
        let first = first.map(|fold| fold.element.clone());
        // Along y only what does not fit x.
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

    /// The parallel dimensions and their numbers, outermost first.
    pub(crate) fn parallel(&self) -> impl DoubleEndedIterator<Item = (usize, &Dimension)> {
        self.dimensions
            .iter()
            .enumerate()
            .filter(|(_, d)| !d.reduced)
    }

    /// The reduced dimensions and their numbers, outermost first.
    pub(crate) fn reduced(&self) -> impl DoubleEndedIterator<Item = (usize, &Dimension)> {
        self.dimensions
            .iter()
            .enumerate()
            .filter(|(_, d)| d.reduced)
    }

    /// Whether the count of the outermost dimension is known at launch only. All that follows from its size is then the
    /// largest that there can be.
    pub(crate) fn is_counted(&self) -> bool {
        self.dimensions.iter().any(|dimension| dimension.counted)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.parallel().map(|(_, d)| u64::from(d.size)).product()
    }

    /// Elements of the input, without gaps.
    pub(crate) fn elements(&self) -> u64 {
        self.dimensions.iter().map(|d| u64::from(d.whole)).product()
    }

    /// Number of tiles.
    pub(crate) fn tiles(&self) -> u64 {
        self.parallel().map(|(_, d)| u64::from(d.tiles())).product()
    }

    /// Rows of a tile that exist.
    pub(crate) fn tile_rows(&self) -> u32 {
        self.parallel().map(|(_, d)| d.extent()).product()
    }

    /// Workgroups that share a tile.
    pub(crate) fn sharers(&self) -> u32 {
        self.split.map_or(1, |split| split.pieces)
    }

    /// Number of workgroups that have something to do.
    pub(crate) fn pieces(&self) -> u64 {
        self.tiles() * u64::from(self.sharers())
    }

    /// Whether there are more workgroups than that.
    pub(crate) fn has_surplus(&self) -> bool {
        let [x, y] = self.workgroups.map(u64::from);
        x * y > self.pieces()
    }

    /// The type of what is counted in workgroups.
    pub(crate) fn id_kind(&self) -> Type {
        let [x, y] = self.workgroups.map(u64::from);
        match x * y <= 1 << 32 {
            true => Type::I32,
            false => Type::I64,
        }
    }

    /// Bytes of the states that workgroups leave for each other: of each row one a piece; where they wait for each other, of each
    /// row of each tile and each fold. A counter a tile, of 4 bytes, comes after them.
    pub(crate) fn left_bytes(&self) -> u64 {
        let rows = match &self.sequel {
            None => self.rows(),
            Some(_) => self.tiles() * u64::from(self.tile_rows()) * self.folds() as u64,
        };
        rows * u64::from(self.sharers()) * u64::from(self.combiner.partial_bytes())
    }

    /// Whether workgroups wait for each other.
    pub(crate) fn waits(&self) -> bool {
        self.split.is_some() && self.sequel.is_some()
    }

    /// Which rows the workgroups of each tile store. A tile that is shifted stores from where it would have begun.
    pub(crate) fn tiling(&self) -> Option<Tiling> {
        Tiling::new(self.parallel().map(|(_, d)| (d.size, d.tile())))
    }

    /// The outputs that have an element for each of the problem.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &TensorOperand> {
        let outputs = self.sequel.iter().flat_map(|sequel| &sequel.outputs);
        let of_elements = outputs.filter(|output| output.extent == Extent::Elements);
        of_elements.map(|output| &output.target)
    }

    /// Folds of a row.
    pub(crate) fn folds(&self) -> usize {
        self.sequel.as_ref().map_or(1, |sequel| sequel.folds.len())
    }

    /// The inputs that are tensors.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &TensorOperand> {
        self.sources.iter().filter(|source| source.place.is_none())
    }

    /// The problem's own input.
    pub(crate) fn input(&self) -> &TensorOperand {
        &self.sources[0]
    }

    /// Of each dimension, elements from a place to its neighbour in the problem's own input; of a view, as if it had the problem's
    /// sizes.
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

    /// Bytes of the input from a place to its neighbour along dimension `dimension`.
    pub(crate) fn stride_bytes(&self, dimension: usize) -> u64 {
        self.input().strides[dimension] * self.input().bytes()
    }

    /// The most bytes of any input or output from a place to its neighbour along dimension `dimension`.
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
