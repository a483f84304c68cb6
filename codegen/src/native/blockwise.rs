//! Stage 2, blockwise: the subgroups of a workgroup, the steps over the elements, LDS and barriers.
//!
//! A workgroup walks over the elements of its rows in *steps* of P; where P does not divide N, the last step starts
//! earlier, at N - P, and reduces some elements a second time, which an idempotent combiner does not notice: no step has
//! masks, and one code serves all. Only a row shorter than a step needs care ([`Steps::Part`]). Within a step each subgroup
//! reduces its own tile of rows and elements. Where several subgroups share a row, each leaves a *partial* state per row in LDS, and after a
//! barrier the partials of a row, which lie side by side, are reduced by as many threads. This stage knows nothing of
//! lanes.

use std::fmt;

use configgen::layout::Digit;

use super::cross_lane::Field;
use super::gridwise::Gridwise;
use super::lanewise::Lanewise;

/// Bytes of a partial: a state of two scalars.
pub(crate) const PARTIAL_BYTES: u32 = 8;

/// The subgroups along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subgroups {
    /// Which bits of the subgroup id are the position along the dimension.
    pub field: Field,
    /// Rows or elements of one subgroup (of elements: in one step).
    pub tile: u32,
}

/// The steps over the elements of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// One step of which some elements do not exist: N < P.
    Part,
    /// This many steps, of which the last starts at N - P.
    Whole(u32),
}

/// The stage.
#[derive(Debug, Clone)]
pub struct Blockwise {
    /// The stage before.
    pub grid: Gridwise,
    /// Subgroups along the rows.
    pub rows: Subgroups,
    /// Subgroups along the elements.
    pub elements: Subgroups,
    /// P, the elements of a step.
    pub step: u32,
    /// How the steps cover the row.
    pub steps: Steps,
}

/// The field of a digit: the counts of a legal configuration, and so its strides, are powers of two.
pub(super) fn field(digit: &Digit) -> Field {
    Field {
        low: digit.id_stride.trailing_zeros(),
        bits: digit.level.count.trailing_zeros(),
    }
}

impl Blockwise {
    /// Distributes the tile of a workgroup over its subgroups.
    pub fn new(grid: Gridwise) -> Blockwise {
        let subgroups = |digit: &Digit| Subgroups {
            field: field(digit),
            tile: digit.level.stride,
        };
        let one_row = Subgroups {
            field: Field { low: 0, bits: 0 },
            tile: 1,
        };
        let step = grid.element_layout.tile;
        Blockwise {
            rows: grid
                .row_layout
                .map_or(one_row, |layout| subgroups(&layout.subgroup)),
            elements: subgroups(&grid.element_layout.subgroup),
            step,
            steps: match grid.length < step {
                true => Steps::Part,
                false => Steps::Whole(grid.length.div_ceil(step)),
            },
            grid,
        }
    }

    /// Number of partials: of each row one per subgroup that shares it, none where no row is shared.
    pub fn partials(&self) -> u32 {
        match self.elements.field.count() {
            1 => 0,
            subgroups => self.grid.tile * subgroups,
        }
    }

    /// Subgroups of the workgroup.
    pub fn subgroups(&self) -> u32 {
        self.grid.threads / self.grid.subgroup_size
    }

    /// The next stage.
    pub fn lower(self) -> Lanewise {
        Lanewise::new(self)
    }
}

impl fmt::Display for Blockwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, elements) = (&self.rows, &self.elements);
        let (count, lanes) = (self.subgroups(), self.grid.subgroup_size);
        writeln!(f, "blockwise {count} subgroups of {lanes} lanes")?;
        let along = |name, subgroups: &Subgroups| {
            let (count, field, tile) = (subgroups.field.count(), subgroups.field, subgroups.tile);
            format!("  {name}: {count} subgroups by {field} of their id, {tile} {name} each")
        };
        writeln!(f, "{}", along("rows", rows))?;
        writeln!(f, "{}", along("elements", elements))?;
        let (step, length) = (self.step, self.grid.length);
        match self.steps {
            Steps::Part => writeln!(
                f,
                "  reduce elements 0..{length} in a part of a step of {step}"
            )?,
            Steps::Whole(1) => writeln!(f, "  reduce elements 0..{length} in one step")?,
            Steps::Whole(count) => {
                write!(f, "  for step in 0..{count}: reduce {step} elements from ")?;
                match length.is_multiple_of(step) {
                    true => writeln!(f, "{step} step")?,
                    false => writeln!(f, "min({step} step, {})", length - step)?,
                }
            }
        }
        if self.partials() > 0 {
            let (partials, bytes) = (self.partials(), self.partials() * PARTIAL_BYTES);
            let (tile, count) = (self.grid.tile, elements.field.count());
            writeln!(
                f,
                "  lds [{tile} rows][{count} subgroups] states, {bytes} bytes"
            )?;
            writeln!(f, "  write the states to lds")?;
            writeln!(f, "  barrier")?;
            writeln!(
                f,
                "  threads 0..{partials}: read lds, reduce each {count} neighbours"
            )?;
        }
        writeln!(f, "  store")
    }
}
