//! The wait states around matrix products of gfx90a, gfx942 and gfx950.
//!
//! A product writes its result passes after it has issued. Later instructions that read or write
//! the result come too early without wait states, except another product that adds to exactly
//! this result. The numbers are those of LLVM's `GCNHazardRecognizer`.

use super::facts::{InstructionFacts, is_double};
use crate::instruction::MatrixAction;
use crate::isa::Isa;
use crate::operation::matrix::{MatrixAddend, MatrixElement};

/// The most wait states that a pair needs.
pub(super) const LIMIT: u8 = 20;

/// The use of a range of registers by the second instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A product multiplies them.
    Factor,
    /// A product adds them.
    Addend,
    /// Another instruction reads them.
    Read,
    /// Another instruction writes them.
    Write,
    /// The same, if an earlier product adds them.
    WriteOfAddend,
}

/// Registers that the second instruction uses.
pub(super) struct RegisterUse {
    role: Role,
    first: u16,
    count: u16,
}

impl RegisterUse {
    /// Returns the text for a finding.
    pub(super) fn cause(&self) -> &'static str {
        match self.role {
            Role::Factor => "a matrix product multiplies an earlier result",
            Role::Addend => "a matrix product adds to a part of an earlier result",
            Role::Read => "an instruction reads the result of a matrix product",
            Role::Write => "an instruction writes to the result of a matrix product",
            Role::WriteOfAddend => "an instruction overwrites the addend of a matrix product",
        }
    }

    fn meets(&self, (first, count): (u16, u16)) -> bool {
        self.first < first + count && first < self.first + self.count
    }
}

/// Returns the registers that an instruction uses. Instructions of the scalar unit use none.
pub(super) fn uses(later: &InstructionFacts<'_>) -> Vec<RegisterUse> {
    if later.isa < Isa::Gfx90a {
        return Vec::new();
    }
    let used = |role, first, count| RegisterUse { role, first, count };
    if let Some(action) = later.matrix() {
        let factors = action.factors().into_iter();
        let index = action.operands.index.map(|register| (register, 1));
        let factors = factors.chain(index);
        let factors = factors.map(|(first, count)| used(Role::Factor, first, count));
        let addend = addend(action).map(|(first, count)| used(Role::Addend, first, count));
        return factors.chain(addend).collect();
    }
    if !(later.is_vector() || later.is_vector_memory() || later.is_lds()) {
        return Vec::new();
    }
    let reads = later.reads.iter();
    let reads = reads.map(|&register| used(Role::Read, register, 1));
    let writes = later.writes.iter();
    let writes = writes.flat_map(|&register| {
        [Role::Write, Role::WriteOfAddend].map(|role| used(role, register, 1))
    });
    reads.chain(writes).collect()
}

fn addend(action: &MatrixAction) -> Option<(u16, u16)> {
    match action.operands.c {
        MatrixAddend::Register(register) => Some((register, action.writes().1)),
        MatrixAddend::Constant(_) => None,
    }
}

/// Returns the wait states between two instructions for a use of registers, or `None` if the first
/// one does not concern them.
pub(super) fn states(
    earlier: &InstructionFacts<'_>,
    later: &InstructionFacts<'_>,
    used: &RegisterUse,
) -> Option<u8> {
    let product = match earlier.matrix() {
        Some(product) => product,
        None => return after_vector(earlier, later, used),
    };
    let passes = earlier.passes();
    let isa = later.isa;
    if used.role == Role::WriteOfAddend {
        let read = addend(product)?;
        // From gfx942 on, only the products of the narrow types read the addend late.
        let is_late = !is_double(product) && (isa == Isa::Gfx90a || is_narrow(product));
        return (used.meets(read) && is_late).then_some(passes.saturating_sub(1));
    }
    let written = product.writes();
    if !used.meets(written) {
        return None;
    }
    let is_memory = !later.is_vector();
    Some(match used.role {
        Role::Addend => to_addend(
            earlier,
            later.matrix()?,
            (used.first, used.count) == written,
        ),
        _ if is_double(product) => match (product.operation.shape.rows, used.role) {
            (4, Role::Read) if is_memory => 9,
            (4, _) => 6,
            (_, Role::Read) if is_memory => 18,
            _ => 11,
        },
        _ if isa == Isa::Gfx90a || is_narrow(product) => passes + 3 + later_by(isa, passes),
        _ => passes + 2,
    })
}

/// Returns the wait states of a product that adds to the result of another.
fn to_addend(earlier: &InstructionFacts<'_>, later: &MatrixAction, is_whole: bool) -> u8 {
    let isa = earlier.isa;
    let passes = earlier.passes();
    let Some(product) = earlier.matrix() else {
        return 0;
    };
    let is_small = product.operation.shape.rows == 4;
    let of_doubles = if is_small { 4 } else { 9 };
    if is_whole {
        return match (is_double(product) && is_double(later), is_small) {
            (true, true) => 4,
            _ if isa >= Isa::Gfx942 && passes == 2 => 2,
            _ => 0,
        };
    }
    if isa == Isa::Gfx90a {
        return match (is_double(product), is_double(later)) {
            (true, false) => 0,
            (true, true) => of_doubles,
            // The numbers of passes are 2, 8 and 16.
            (false, true) => passes + 1,
            (false, false) => passes,
        };
    }
    match (is_double(product), is_narrow(product), is_narrow(later)) {
        (true, _, true) => 0,
        (true, _, false) => of_doubles,
        (false, false, true) => 0,
        (false, true, _) => passes + 1 + later_by(isa, passes),
        (false, false, false) => passes,
    }
}

/// Returns the wait states after a vector instruction other than a product.
fn after_vector(
    earlier: &InstructionFacts<'_>,
    later: &InstructionFacts<'_>,
    used: &RegisterUse,
) -> Option<u8> {
    let mut writes = earlier.writes.iter();
    let is_written = writes.any(|&register| used.meets((register, 1)));
    if !earlier.is_vector() || !is_written {
        return None;
    }
    let is_same = earlier.instruction.name == later.instruction.name;
    match (used.role, earlier.is_dot()) {
        (Role::Factor | Role::Addend, false) => Some(2),
        // A dot product may add to the result of the same one.
        (Role::Read | Role::Write, true) if !is_same => Some(3),
        _ => None,
    }
}

/// Returns true for products that run in the matrix cores' narrow pipe: from gfx942 on, all but
/// those of singles and doubles.
fn is_narrow(product: &MatrixAction) -> bool {
    let [element, _] = product.operation.shape.from;
    !matches!(element, MatrixElement::F32 | MatrixElement::F64)
}

/// Returns the further wait state of gfx950 for products of more than two passes.
fn later_by(isa: Isa, passes: u8) -> u8 {
    u8::from(isa == Isa::Gfx950 && passes != 2)
}
