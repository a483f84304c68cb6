//! Cells: the part of a configuration beside its tile and its step.
//!
//! All counts of a cell are powers of two, so the unit of a tile is one too.

use crate::Knobs;

/// The limit of every count of a cell: the threads of a workgroup.
const MAX_COUNT: u32 = 1024;

/// Lanes or subgroups along rows and along columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Split {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    /// Set if the inner dimension has the slow digit; only if both counts exceed 1.
    pub(crate) swapped: bool,
}

/// Everything but the tile and the step. The order of the fields is the order of the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpaceCell {
    /// The number of the frame's outer dimension with the tile, if nothing is spread over rows.
    pub(crate) outer: Option<u8>,
    pub(crate) subgroup_size: u32,
    pub(crate) lanes: Split,
    pub(crate) subgroups: Split,
    /// The thread tile of the rows, at least 1.
    pub(crate) thread_rows: u32,
    /// The thread tile of the columns, at least 1.
    pub(crate) thread_columns: u32,
    pub(crate) knobs: Knobs,
}

impl SpaceCell {
    /// Returns whether rows have lanes, subgroups or a thread tile.
    pub(crate) fn is_spread_over_rows(&self) -> bool {
        (self.lanes.rows, self.subgroups.rows, self.thread_rows) != (1, 1, 1)
    }

    /// Returns the divisor of every tile.
    pub(crate) fn row_unit(&self) -> u32 {
        self.threads_of_rows() * self.thread_rows
    }

    /// Returns whether a space may have these counts, so that a frame can be filled with them.
    pub(crate) fn is_fillable(&self) -> bool {
        let SpaceCell {
            lanes, subgroups, ..
        } = self;
        [
            lanes.rows,
            lanes.columns,
            subgroups.rows,
            subgroups.columns,
            self.thread_rows,
            self.thread_columns,
        ]
        .into_iter()
        .all(|count| count.is_power_of_two() && count <= MAX_COUNT)
    }

    /// Returns the threads of a workgroup along rows.
    pub(crate) fn threads_of_rows(&self) -> u32 {
        self.lanes.rows * self.subgroups.rows
    }

    /// Returns the threads of a workgroup along columns.
    pub(crate) fn threads_of_columns(&self) -> u32 {
        self.lanes.columns * self.subgroups.columns
    }

    /// Returns the threads of a workgroup.
    pub(crate) fn threads(&self) -> u32 {
        self.subgroup_size * self.subgroups.rows * self.subgroups.columns
    }

    /// Returns the divisor of every step.
    pub(crate) fn column_unit(&self) -> u32 {
        self.threads_of_columns() * self.thread_columns
    }
}

impl Split {
    /// Returns these counts, with the inner dimension's digit fastest.
    pub(crate) fn new(rows: u32, columns: u32) -> Split {
        Split {
            rows,
            columns,
            swapped: false,
        }
    }

    /// Returns every order of digits with these counts.
    pub(crate) fn orders(rows: u32, columns: u32) -> impl Iterator<Item = Split> {
        // A digit with one position has no order.
        let orders: &[bool] = match rows > 1 && columns > 1 {
            true => &[false, true],
            false => &[false],
        };
        orders.iter().map(move |&swapped| Split {
            swapped,
            ..Split::new(rows, columns)
        })
    }
}

/// Returns 1, 2, 4 ... up to `most`.
pub(crate) fn powers_of_two(most: u32) -> impl Iterator<Item = u32> + Clone {
    (0..32)
        .map(|exponent| 1u32 << exponent)
        .take_while(move |&power| power <= most)
}
