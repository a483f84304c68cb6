//! The pairs of instructions that need wait states because of one register.

use super::facts::InstructionFacts;
use crate::effects::SCALAR;
use crate::instruction::{Action, EXEC, LaneOperation, M0, SourceOperand, VCC};
use crate::isa::Isa;

/// A pair of instructions. It needs wait states if the two name a common register.
pub(super) struct Rule {
    /// The text for a finding.
    pub(super) cause: &'static str,
    /// The needed wait states; 0 if the hardware of an instruction set handles the pair.
    pub(super) states: fn(Isa) -> u8,
    /// The registers of the first instruction; none if it is not of the pair.
    pub(super) earlier: fn(&InstructionFacts<'_>) -> Vec<u16>,
    /// The registers of the second instruction; none if it is not of the pair.
    pub(super) later: fn(&InstructionFacts<'_>) -> Vec<u16>,
}

const EXEC_LOW: u16 = SCALAR + EXEC as u16;
const EXEC_HIGH: u16 = EXEC_LOW + 1;
const VCC_LOW: u16 = SCALAR + VCC as u16;
const M0_REGISTER: u16 = SCALAR + M0 as u16;

/// The first number for hardware registers, above all others.
const HARDWARE: u16 = 0x8000;

/// The pairs of gfx9.
pub(super) const RULES: &[Rule] = &[
    Rule {
        cause: "a memory access reads a scalar register that a vector instruction wrote",
        states: |_| 5,
        earlier: vector_to_scalars,
        later: |it| only_if(it.is_vector_memory(), || it.scalar_reads()),
    },
    Rule {
        cause: "DPP reads a register that a vector instruction wrote",
        states: |_| 2,
        earlier: vector_to_vectors,
        later: |it| only_if(is_dpp(it), || vectors(it.reads)),
    },
    Rule {
        cause: "DPP follows a vector instruction that wrote EXEC",
        states: |_| 5,
        earlier: vector_to_scalars,
        later: |it| only_if(is_dpp(it), || vec![EXEC_LOW, EXEC_HIGH]),
    },
    Rule {
        cause: "v_div_fmas reads VCC, which a vector instruction wrote",
        states: |_| 4,
        earlier: vector_to_scalars,
        later: |it| {
            only_if(it.instruction.is_last_of_quotient(), || {
                vec![VCC_LOW, VCC_LOW + 1]
            })
        },
    },
    Rule {
        cause: "the selected lane is in a scalar register that a vector instruction wrote",
        states: |_| 4,
        earlier: vector_to_scalars,
        later: lane_select,
    },
    Rule {
        cause: "a hardware register is accessed that s_setreg wrote",
        states: |_| 2,
        earlier: |it| it.set_register().map(hardware).into_iter().collect(),
        later: |it| it.hardware_register().map(hardware).into_iter().collect(),
    },
    Rule {
        cause: "a message or a load to LDS reads M0, which a scalar instruction wrote",
        states: |_| 1,
        earlier: |it| only_if(it.is_scalar(), || it.scalar_writes()),
        later: |it| {
            let reads = matches!(
                it.instruction.action,
                Action::LoadLds(_) | Action::MoveRelative { .. }
            ) || it.instruction.name == "s_sendmsg";
            only_if(reads, || vec![M0_REGISTER])
        },
    },
    Rule {
        cause: "a vector instruction overwrites the data of a store of more than 64 bits",
        states: |isa| if isa >= Isa::Gfx942 { 2 } else { 1 },
        earlier: |it| it.late_stored(),
        later: vector_to_vectors,
    },
    Rule {
        cause: "a vector instruction reads the result of a transcendental function",
        states: from_gfx942::<1>,
        earlier: |it| only_if(it.is_transcendental(), || vectors(it.writes)),
        later: |it| {
            only_if(it.is_vector() && !it.is_transcendental(), || {
                vectors(it.reads)
            })
        },
    },
    Rule {
        cause: "a vector instruction reads a register that another wrote in part",
        states: from_gfx942::<1>,
        earlier: |it| only_if(it.selects_destination(), || vectors(it.writes)),
        later: sources,
    },
    Rule {
        cause: "a vector instruction reads a scalar register that another wrote",
        states: from_gfx942::<2>,
        earlier: vector_to_scalars,
        later: |it| match it.is_vector() {
            true => {
                let reads = it.scalar_reads().into_iter();
                reads.filter(|&one| one < M0_REGISTER).collect()
            }
            false => Vec::new(),
        },
    },
    Rule {
        cause: "a lane access follows a vector instruction that wrote EXEC",
        states: from_gfx942::<4>,
        earlier: vector_to_scalars,
        later: |it| match lane(it) {
            Some(_) => vec![EXEC_LOW, EXEC_HIGH],
            None => Vec::new(),
        },
    },
    Rule {
        cause: "a lane is read of a register that a vector instruction wrote",
        states: from_gfx942::<1>,
        earlier: vector_to_vectors,
        later: |it| match lane(it) {
            Some(LaneOperation::ReadLane | LaneOperation::ReadFirstLane) => vectors(it.reads),
            _ => Vec::new(),
        },
    },
];

/// Returns registers under a condition, and none without.
fn only_if(condition: bool, registers: impl FnOnce() -> Vec<u16>) -> Vec<u16> {
    condition.then(registers).unwrap_or_default()
}

fn from_gfx942<const STATES: u8>(isa: Isa) -> u8 {
    if isa >= Isa::Gfx942 { STATES } else { 0 }
}

fn hardware(number: u8) -> u16 {
    HARDWARE + u16::from(number)
}

fn vectors(registers: &[u16]) -> Vec<u16> {
    let vectors = registers.iter().copied();
    vectors.filter(|&register| register < SCALAR).collect()
}

fn vector_to_scalars(it: &InstructionFacts<'_>) -> Vec<u16> {
    only_if(it.is_vector(), || it.scalar_writes())
}

fn vector_to_vectors(it: &InstructionFacts<'_>) -> Vec<u16> {
    only_if(it.is_vector(), || vectors(it.writes))
}

fn is_dpp(it: &InstructionFacts<'_>) -> bool {
    it.vector().is_some_and(|it| it.modifiers.dpp.is_some())
}

/// Returns the operation of an access to one lane.
fn lane(it: &InstructionFacts<'_>) -> Option<LaneOperation> {
    match it.instruction.action {
        Action::Lane { operation, .. } => match operation {
            LaneOperation::ReadLane | LaneOperation::ReadFirstLane | LaneOperation::WriteLane => {
                Some(operation)
            }
            _ => None,
        },
        _ => None,
    }
}

fn lane_select(it: &InstructionFacts<'_>) -> Vec<u16> {
    match &it.instruction.action {
        Action::Lane {
            operation: LaneOperation::ReadLane | LaneOperation::WriteLane,
            from: [_, SourceOperand::Scalar(register), _],
            ..
        } => vec![SCALAR + u16::from(*register)],
        _ => Vec::new(),
    }
}

/// Returns the registers of the sources, without a destination that keeps a part.
fn sources(it: &InstructionFacts<'_>) -> Vec<u16> {
    let Some(action) = it.vector() else {
        return only_if(it.is_vector(), || vectors(it.reads));
    };
    let operands = action.from.iter().zip(action.operation.from);
    let registers = operands.flat_map(|(operand, kind)| match *operand {
        SourceOperand::Vector(register) => register..register + kind.registers(),
        _ => 0..0,
    });
    registers.collect()
}
