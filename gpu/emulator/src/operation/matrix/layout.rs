//! The places of elements in registers and lanes.
//!
//! Source: AMD's matrix instruction calculator (ROCm/amd_matrix_instruction_calculator), and the
//! manuals' sections on matrix operations. Elements of A and B with the same k are in consecutive
//! lanes, and so are those of C and D with the same row. A place is that of the first one.

use super::{MatrixOperation, MatrixShape};

/// The distribution of elements over lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixLayout {
    /// gfx9: groups of lanes for each block and each part of k; results in groups of 4 rows.
    ///
    /// A pattern selects B's lanes: 1 and 2 repeat the lower or upper half of the wave. 3 reads 16
    /// lanes further, and 4 to 7 repeat a quarter.
    Blocks,
    /// gfx11: the first 16 lanes hold all of A and B, and the others repeat them.
    Replicated,
    /// gfx12: the groups of 16 lanes hold parts of k.
    Parts,
}

/// A source of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixSide {
    A,
    B,
}

/// The place of a run of elements: register, first bit, first lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MatrixPlace {
    pub(super) register: u32,
    pub(super) bit: u32,
    pub(super) lane: u32,
}

impl MatrixPlace {
    /// Returns the place of element number `element` of a lane.
    fn of(element: u32, bits: u32, lane: u32) -> MatrixPlace {
        MatrixPlace {
            register: element * bits / 32,
            bit: element * bits % 32,
            lane,
        }
    }

    /// Returns the same place in the next register.
    pub(super) fn next(self) -> MatrixPlace {
        MatrixPlace {
            register: self.register + 1,
            ..self
        }
    }

    /// Returns the first place, which holds a constant.
    pub(super) fn start() -> MatrixPlace {
        MatrixPlace {
            register: 0,
            bit: 0,
            lane: 0,
        }
    }
}

impl MatrixOperation {
    /// Returns the number of elements of k that a source has for each row.
    pub(super) fn stored_inner(&self, side: MatrixSide) -> u32 {
        let MatrixShape { inner, sparse, .. } = self.shape;
        match side {
            // A sparse A stores two of each four columns.
            MatrixSide::A if sparse => inner / 2,
            _ => inner,
        }
    }

    /// Returns the number of groups of lanes that divide k.
    fn groups(&self, side: MatrixSide) -> u32 {
        let shape = &self.shape;
        match self.layout {
            // Each row of each block takes a lane, and further lanes divide k.
            MatrixLayout::Blocks => self.lanes / (shape.rows * shape.blocks),
            MatrixLayout::Replicated => 1,
            MatrixLayout::Parts => {
                // A short row does not fill a register of every group; the others are unused.
                let words = self.stored_inner(side) * self.element(side).bits() / 32;
                words.min(self.lanes / shape.rows)
            }
        }
    }

    /// Returns the number of elements of a source in each lane.
    pub(super) fn held(&self, side: MatrixSide) -> u32 {
        self.stored_inner(side) / self.groups(side)
    }

    /// Returns the lane of B that the pattern puts in the place of `lane`.
    pub(super) fn patterned(&self, lane: usize) -> usize {
        // The codes are those of BLGP (CDNA manuals, VOP3P-MAI); waves of gfx9 have 64 lanes.
        match self.modifiers.pattern {
            0 => lane,
            1 => lane % 32,
            2 => lane % 32 + 32,
            3 => (lane + 16) % 64,
            quarter => lane % 16 + 16 * (quarter as usize - 4),
        }
    }

    /// Returns the place of the elements of a source with this number along k, for a block.
    pub(super) fn source(&self, side: MatrixSide, block: u32, k: u32) -> MatrixPlace {
        let shape = &self.shape;
        let (held, groups) = (self.held(side), self.groups(side));
        let bits = self.element(side).bits();
        match self.layout {
            // The first 16 lanes have a row of A or a column of B each (RDNA 3 manual, WMMA).
            MatrixLayout::Replicated => MatrixPlace::of(k, bits, 0),
            MatrixLayout::Blocks => {
                // Bytes of a product with formats have two runs of k in each lane, as Triton's
                // kernels load them. All others have one.
                let run = match self.is_scalable() && bits == 8 {
                    true => held / 2,
                    false => held,
                };
                let element = k / (run * groups) * run + k % run;
                // Blocks vary first over the lanes, then the parts of k.
                let lane = shape.rows * (block + shape.blocks * (k / run % groups));
                MatrixPlace::of(element, bits, lane)
            }
            MatrixLayout::Parts => {
                // Halves alternate between two groups in short runs.
                let run = match (bits, self.lanes) {
                    (16, 32) => held / 2,
                    _ => held,
                };
                let group = k / run % groups;
                let element = k / (run * groups) * run + k % run;
                // In waves of 64 lanes, the upper half continues the lower one.
                let group = match (bits, groups) {
                    (4 | 8, 4) => group / 2 + group % 2 * 2,
                    _ => group,
                };
                MatrixPlace::of(element, bits, shape.rows * group)
            }
        }
    }

    /// Returns the place of a row of C or D, for a block.
    pub(super) fn result(&self, block: u32, row: u32) -> MatrixPlace {
        let MatrixShape { rows, to, .. } = self.shape;
        let bits = to.bits();
        match self.layout {
            MatrixLayout::Blocks => {
                // Rows of doubles are alone in a register pair, others in groups of four.
                let height: u32 = if bits == 64 { 1 } else { 4 };
                // A register holds one row in each run of `rows` lanes.
                let groups = 64 / rows;
                // Small blocks share registers: `height` registers have 64 elements each.
                let blocks = (64 * height).div_ceil(rows * rows);
                let element =
                    block * (rows * rows / 64) + row / (height * groups) * height + row % height;
                let lane = rows * (block % blocks + blocks * (row / height % groups));
                MatrixPlace::of(element, bits, lane)
            }
            MatrixLayout::Replicated => {
                let groups = self.lanes / 16;
                MatrixPlace {
                    // Runs of 16 lanes take rows in turn: of two, the upper has the odd ones.
                    register: row / groups,
                    // OPSEL selects the half of the register for a result of 16 bits.
                    bit: if self.modifiers.upper_half { 16 } else { 0 },
                    lane: 16 * (row % groups),
                }
            }
            MatrixLayout::Parts => {
                // All results of gfx12 have 16 rows of 16 elements.
                let held = 256 / self.lanes;
                // In waves of 64 lanes, the upper half has rows 4 to 7 and 12 to 15.
                let group = match self.lanes {
                    32 => row / 8,
                    _ => row / 8 + row / 4 % 2 * 2,
                };
                MatrixPlace::of(row % held, bits, 16 * group)
            }
        }
    }

    /// Returns the first lane and the first bit of the indices of A's elements with this number
    /// along k. They are in the lanes of these elements.
    pub(super) fn index(&self, k: u32) -> [u32; 2] {
        let place = self.source(MatrixSide::A, 0, k);
        let bits = self.element(MatrixSide::A).bits();
        let element = (32 * place.register + place.bit) / bits;
        // A set has one index for each of A's elements in a lane.
        let set = self.modifiers.index_set * self.held(MatrixSide::A);
        [place.lane, 2 * (set + element)]
    }
}
