//! The place of each element, from AMD's matrix instruction calculator, element by element.

use emulator::Isa;

use crate::semantics::dialect::Dialect;
use crate::semantics::matrices::shape::ProductShape;

/// The first bit of an element in a lane's registers, and the lanes that hold it.
pub(crate) struct ElementPlace {
    pub(crate) bit: usize,
    pub(crate) lanes: Vec<usize>,
}

/// Returns the number of bits of A (`side` 0) or B in each lane.
pub(crate) fn source_bits(dialect: Dialect, shape: &ProductShape, side: usize) -> usize {
    let all = shape.rows * shape.stored(side) * shape.blocks * shape.from[side].bits();
    let used = match dialect.isa {
        isa if isa < Isa::Gfx1030 => 64,
        Isa::Gfx1100 | Isa::Gfx1151 => 16,
        _ if dialect.wave32 => 32,
        // A row of 64 bits fills only half of the wave.
        _ => 64.min(all / 32),
    };
    all / used
}

/// Returns the number of registers of C and D.
pub(crate) fn result_registers(dialect: Dialect, shape: &ProductShape) -> usize {
    let elements = shape.rows * shape.rows * shape.blocks / if dialect.wave32 { 32 } else { 64 };
    match dialect.isa {
        Isa::Gfx1100 | Isa::Gfx1151 => elements,
        _ => elements * shape.to.bits() / 32,
    }
}

/// Returns the place of an element of A or B: row (or column), number along k, block. For a sparse
/// A, k counts stored elements.
pub(crate) fn source(
    dialect: Dialect,
    shape: &ProductShape,
    side: usize,
    [i, k, b]: [usize; 3],
) -> ElementPlace {
    let size = shape.from[side].bits();
    let one = |register: usize, place: usize, lane: usize| ElementPlace {
        bit: 32 * register + size * place,
        lanes: vec![lane],
    };
    match dialect.isa {
        isa if isa < Isa::Gfx1030 => {
            let held = source_bits(dialect, shape, side) / size;
            if shape.rows * shape.inner == 2048 && size == 8 && !shape.is_sparse() {
                // Bytes of `f8f6f4`: two runs of 16, the second one after those of all lanes.
                let run = k / 16;
                let groups = 64 / shape.rows;
                return one(4 * (run / groups), k % 16, run % groups * shape.rows + i);
            }
            one(
                0,
                k % held,
                b * shape.rows + k / held * shape.rows * shape.blocks + i,
            )
        }
        Isa::Gfx1100 | Isa::Gfx1151 => ElementPlace {
            bit: k * size,
            lanes: (0..if dialect.wave32 { 2 } else { 4 })
                .map(|copy| 16 * copy + i)
                .collect(),
        },
        _ if shape.is_sparse() => sparse_source(dialect, shape, side, i, k),
        _ => match (size, shape.inner, dialect.wave32) {
            (16, _, true) => one(2 * (k / 8) + k / 2 % 2, k % 2, 16 * (k / 4 % 2) + i),
            (16, _, false) => one(k / 2 % 2, k % 2, 32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i),
            (8, _, true) => one(k / 4 % 2, k % 4, 16 * (k / 8) + i),
            (8, _, false) => one(0, k % 4, 32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i),
            (4, 16, _) => one(0, k % 8, 16 * (k / 8) + i),
            (_, _, true) => one(k / 8 % 2, k % 8, 16 * (k / 16) + i),
            (_, _, false) => one(0, k % 8, 32 * (k / 8 % 2) + 16 * (k / 16) + i),
        },
    }
}

/// Returns the lane of a group of four columns of a sparse product on gfx12. A and B agree, except
/// that a short A stays in half of the wave.
fn sparse_lane(dialect: Dialect, shape: &ProductShape, side: usize, k: usize) -> usize {
    let size = shape.from[side].bits();
    match (dialect.wave32, size, shape.inner) {
        (true, 16, _) => 16 * (k / 8 % 2),
        (true, 8, _) | (true, _, 32) => 16 * (k / 16),
        (true, ..) => 16 * (k / 32),
        (false, 16, _) => 16 * (k / 8),
        (false, 4, 32) if side == 0 => 16 * (k / 16),
        (false, 8, _) | (false, _, 32) => 32 * (k / 8 % 2) + 16 * (k / 16),
        (false, ..) => 32 * (k / 16 % 2) + 16 * (k / 32),
    }
}

fn sparse_source(
    dialect: Dialect,
    shape: &ProductShape,
    side: usize,
    i: usize,
    k: usize,
) -> ElementPlace {
    let size = shape.from[side].bits();
    // The column of the first of a stored pair.
    let column = if side == 0 { k / 2 * 4 } else { k };
    let register = match (side, dialect.wave32, size, shape.inner) {
        (0, true, 16, _) => 2 * (column / 16) + column / 4 % 2,
        (0, true, 8, _) => column / 8 % 2,
        (0, true, _, 64) => column / 16 % 2,
        (0, false, 16, _) => column / 4 % 2,
        (0, ..) => 0,
        (_, true, 16, _) => 4 * (k / 16) + k / 2 % 4,
        (_, true, 8, _) => k / 4 % 4,
        (_, true, _, 32) => k / 8 % 2,
        (_, true, ..) => k / 8 % 4,
        (_, false, 16, _) => k / 2 % 4,
        (_, false, 8, _) => k / 4 % 2,
        (_, false, _, 32) => 0,
        (_, false, ..) => k / 8 % 2,
    };
    ElementPlace {
        bit: 32 * register + size * (k % (32 / size)),
        lanes: vec![sparse_lane(dialect, shape, side, column) + i],
    }
}

/// Returns the first bit of the two-bit index of a stored element of A, in part `set` of the index
/// register, and its lane.
pub(crate) fn index(
    dialect: Dialect,
    shape: &ProductShape,
    [i, k]: [usize; 2],
    set: usize,
) -> ElementPlace {
    let size = shape.from[0].bits();
    let column = k / 2 * 4;
    if dialect.isa < Isa::Gfx1030 {
        let ElementPlace { bit, lanes } = source(dialect, shape, 0, [i, k, 0]);
        let held = source_bits(dialect, shape, 0) / size;
        return ElementPlace {
            bit: 2 * (bit / size) + 2 * held * set,
            lanes,
        };
    }
    let (pair, sets) = match (dialect.wave32, size, shape.inner) {
        (true, 16, _) => (2 * (column / 16) + column / 4 % 2, 2),
        (true, 8, _) | (true, _, 32) => (column / 4 % 4, 2),
        (true, ..) => (column / 4 % 8, 1),
        (false, 8 | 16, _) => (column / 4 % 2, 4),
        (false, ..) => (column / 4 % 4, 2),
    };
    ElementPlace {
        bit: 4 * pair + 2 * (k % 2) + 32 / sets * set,
        lanes: vec![sparse_lane(dialect, shape, 0, column) + i],
    }
}

/// Returns the number of parts of the index register.
pub(crate) fn index_sets(dialect: Dialect, shape: &ProductShape) -> usize {
    16 / (source_bits(dialect, shape, 0) / shape.from[0].bits())
}

/// Returns the place of an element of C or D.
pub(crate) fn result(
    dialect: Dialect,
    shape: &ProductShape,
    [i, j, b]: [usize; 3],
) -> ElementPlace {
    let (bit, lane) = match dialect.isa {
        isa if isa < Isa::Gfx1030 => {
            let height: usize = if shape.to.bits() == 64 { 1 } else { 4 };
            let per_register = 64 / shape.rows;
            let blocks = (64 * height).div_ceil(shape.rows * shape.rows);
            let element = b * (shape.rows * shape.rows / 64)
                + i / (height * per_register) * height
                + i % height;
            let lane =
                b % blocks * shape.rows + i / height % per_register * blocks * shape.rows + j;
            (element * shape.to.bits(), lane)
        }
        Isa::Gfx1100 | Isa::Gfx1151 if dialect.wave32 => (32 * (i / 2), 16 * (i % 2) + j),
        Isa::Gfx1100 | Isa::Gfx1151 => (32 * (i / 4), 16 * (i % 4) + j),
        _ if dialect.wave32 => (i % 8 * shape.to.bits(), 16 * (i / 8) + j),
        _ => (i % 4 * shape.to.bits(), 32 * (i / 4 % 2) + 16 * (i / 8) + j),
    };
    ElementPlace {
        bit,
        lanes: vec![lane],
    }
}
