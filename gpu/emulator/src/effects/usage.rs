//! The registers that each kind of instruction reads and writes.

use super::class::Class;
use super::register_number::{SCALAR, SCC};
use crate::instruction::{
    Action, Condition, Dpp, EXEC, JumpKind, LaneOperation, M0, MemoryAction, NULL, RegisterAccess,
    Selection, SourceOperand, SpecialSource, UnusedBits, VCC, VECTOR_MASK, VectorAction,
};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::scalar::ScalarInput;
use crate::operation::{MemoryOperation, Mode, OperationLoop, ScalarOperation};

/// The collected registers of one instruction.
pub(super) struct RegisterUsage {
    pub(super) reads: Vec<u16>,
    pub(super) writes: Vec<u16>,
    /// True if lane masks take two scalar registers.
    wide_masks: bool,
    /// True if every 16-bit result keeps the other half of its register.
    halves_stay: bool,
}

impl RegisterUsage {
    pub(super) fn new(isa: Isa, lanes: u32) -> RegisterUsage {
        RegisterUsage {
            reads: Vec::new(),
            writes: Vec::new(),
            wide_masks: lanes == 64,
            halves_stay: isa.family() >= EncodingFamily::Gfx10,
        }
    }

    pub(super) fn read(&mut self, operand: SourceOperand, registers: u16) {
        match operand {
            SourceOperand::Scalar(register) => self.read_scalars(register, registers),
            SourceOperand::Vector(register) => self.read_vectors(register, registers),
            SourceOperand::Special(SpecialSource::Scc) => self.reads.push(SCC),
            SourceOperand::Special(SpecialSource::VccZero) => self.read_mask(VCC),
            _ => {}
        }
    }

    pub(super) fn read_vectors(&mut self, register: u16, count: u16) {
        self.reads
            .extend((0..count).map(|index| (register + index) & VECTOR_MASK as u16));
    }

    pub(super) fn write_vectors(&mut self, register: u16, count: u16) {
        self.writes
            .extend((0..count).map(|index| (register + index) & VECTOR_MASK as u16));
    }

    pub(super) fn read_scalars(&mut self, register: u8, count: u16) {
        if register != NULL {
            self.reads
                .extend((0..count).map(|index| SCALAR + u16::from(register) + index));
        }
    }

    pub(super) fn write_scalars(&mut self, register: u8, count: u16) {
        if register != NULL {
            self.writes
                .extend((0..count).map(|index| SCALAR + u16::from(register) + index));
        }
    }

    fn read_mask(&mut self, register: u8) {
        self.read_scalars(register, 1 + u16::from(self.wide_masks));
    }

    fn write_mask(&mut self, register: u8) {
        self.write_scalars(register, 1 + u16::from(self.wide_masks));
    }

    pub(super) fn action(&mut self, action: &Action) -> Class {
        match action {
            Action::Scalar {
                operation,
                to,
                from,
            } => {
                for (operand, bits) in from.iter().zip(operation.from) {
                    self.read(*operand, u16::from(*bits).div_ceil(32));
                }
                // The operations are plain functions, so trials show the inputs that they really
                // use.
                if depends(operation, |input| input.scc ^= true) {
                    self.reads.push(SCC);
                }
                if depends(operation, |input| input.d ^= 0x8000_0001_8000_0101) {
                    self.read_scalars(*to, u16::from(operation.to.max(32)) / 32);
                }
                self.write_scalars(*to, u16::from(operation.to) / 32);
                if operation.writes_scc {
                    self.writes.push(SCC);
                }
                self.computed()
            }
            Action::Exec { to, from, wide, .. } => {
                let count = 1 + u16::from(*wide);
                self.read(*from, count);
                self.write_scalars(*to, count);
                self.write_scalars(EXEC, count);
                self.writes.push(SCC);
                Class::Exec
            }
            Action::Jump { kind, to, from } => {
                // The address of the next instruction is always defined.
                match kind {
                    JumpKind::Here | JumpKind::Call(_) => {}
                    JumpKind::Set | JumpKind::Swap => self.read(*from, 2),
                }
                if *kind != JumpKind::Set {
                    self.write_scalars(*to, 2);
                }
                Class::Branch
            }
            Action::Branch { condition, .. } => {
                match condition {
                    Condition::Scc(_) => self.reads.push(SCC),
                    Condition::VccZero(_) => self.read_mask(VCC),
                    _ => {}
                }
                Class::Branch
            }
            Action::HardwareRegister { access, .. } => {
                match access {
                    RegisterAccess::Read { to } => self.write_scalars(*to, 1),
                    RegisterAccess::Write { from } => self.read(*from, 1),
                }
                Class::Compute
            }
            Action::Vector(action) => {
                self.vector(action);
                self.computed()
            }
            Action::Dual(actions) => {
                actions.iter().for_each(|action| self.vector(action));
                self.computed()
            }
            Action::Matrix(action) => {
                for (first, count) in action.reads() {
                    self.read_vectors(first, count);
                }
                let (first, count) = action.writes();
                self.write_vectors(first, count);
                Class::Matrix
            }
            Action::MatrixScale { from, .. } => {
                from.iter().for_each(|operand| self.read(*operand, 1));
                Class::Compute
            }
            Action::Uniform(action) => {
                // The destination is a scalar register, so the vector rules do not apply.
                for operand in action.from {
                    self.read(operand, 1);
                }
                self.write_scalars(action.to as u8, 1);
                Class::Compute
            }
            Action::Lane {
                operation,
                to,
                from,
                ..
            } => self.lane(*operation, *to, from),
            Action::IndexOn { by, .. } => {
                self.read(*by, 1);
                self.read_scalars(M0, 1);
                self.write_scalars(M0, 1);
                Class::Compute
            }
            Action::LoadLds(action) => {
                self.read_scalars(M0, 1);
                self.memory(&MemoryAction {
                    // The loaded registers are internal: only the address registers count.
                    operation: MemoryOperation::Load { registers: 0 },
                    ..MemoryAction::clone(action)
                });
                Class::Direct
            }
            Action::MoveRelative { .. } => {
                self.read_scalars(M0, 1);
                Class::Relative
            }
            Action::ScalarMemory(load) => {
                self.read_scalars(load.base, if load.buffer { 4 } else { 2 });
                if let Some(register) = load.offset_register {
                    self.read_scalars(register, 1);
                }
                self.write_scalars(load.to, load.registers.into());
                Class::ScalarMemory
            }
            Action::Memory(action) => {
                self.memory(action);
                Class::Memory
            }
            Action::Lds(action) => self.lds(action),
            Action::Wait(_) => Class::Wait,
            Action::Time { to } => {
                self.write_scalars(*to, 2);
                Class::Compute
            }
            Action::Signal { first } => {
                if *first {
                    self.writes.push(SCC);
                }
                Class::Compute
            }
            Action::BarrierState { to } => {
                self.write_scalars(*to, 1);
                Class::Compute
            }
            Action::Message { to, wide, .. } => {
                self.write_scalars(*to, 1 + u16::from(*wide));
                Class::ScalarMemory
            }
            Action::End
            | Action::Barrier
            | Action::Trap { .. }
            | Action::Nothing
            | Action::IndexOff
            | Action::Refused(_) => Class::Nothing,
        }
    }

    // Any write of EXEC changes the active lanes, so the checker treats it like an EXEC
    // operation.
    fn computed(&self) -> Class {
        let exec = SCALAR + u16::from(EXEC);
        if self
            .writes
            .iter()
            .any(|&one| one == exec || one == exec + 1)
        {
            Class::Exec
        } else {
            Class::Compute
        }
    }

    fn lane(&mut self, operation: LaneOperation, to: u16, from: &[SourceOperand; 3]) -> Class {
        for operand in from {
            self.read(*operand, 1);
        }
        match operation {
            LaneOperation::ReadFirstLane | LaneOperation::ReadLane => {
                self.write_scalars(to as u8, 1)
            }
            LaneOperation::WriteLane => {
                self.write_vectors(to, 1);
                return Class::WriteLane;
            }
            LaneOperation::MoveRelativeSource
            | LaneOperation::MoveRelativeDestination
            | LaneOperation::MoveRelativeBoth
            | LaneOperation::MoveRelativeTwo
            | LaneOperation::SwapRelative => {
                // The register numbers depend on M0 and are unknown here.
                self.reads.clear();
                self.read_scalars(M0, 1);
                return Class::Relative;
            }
            LaneOperation::Swap
            | LaneOperation::SwapHalf
            | LaneOperation::PermLane16Swap
            | LaneOperation::PermLane32Swap => {
                self.read_vectors(to, 1);
                self.write_vectors(to, 1);
                if let SourceOperand::Vector(other) = from[0] {
                    self.write_vectors(other, 1);
                }
            }
            LaneOperation::PermLane16
            | LaneOperation::PermLaneX16
            | LaneOperation::PermLane16Var
            | LaneOperation::PermLaneX16Var
            | LaneOperation::PermLane64 => {
                // Lanes without a source keep their value.
                self.read_vectors(to, 1);
                self.write_vectors(to, 1);
            }
        }
        Class::Compute
    }

    pub(super) fn vector(&mut self, action: &VectorAction) {
        let operation = action.operation;
        for (operand, of) in action.from.iter().zip(operation.from) {
            self.read(*operand, of.registers());
        }
        let (reads, writes) = match operation.body {
            OperationLoop::Carry { reads, writes, .. }
            | OperationLoop::WideCarry { reads, writes, .. } => (reads, writes),
            OperationLoop::Compare(_) | OperationLoop::WideCompare(_) => {
                self.write_mask(action.to_mask);
                if action.sets_exec {
                    self.write_mask(EXEC);
                }
                // Lanes that DPP does not write keep their old bits.
                if action.modifiers.dpp.is_some() {
                    self.read_mask(action.to_mask);
                }
                return;
            }
            OperationLoop::Narrow(_) | OperationLoop::Wide(_) => (false, false),
        };
        if reads {
            self.read_mask(action.from_mask);
        }
        if keeps(action, self.halves_stay) {
            self.read_vectors(action.to, operation.to.registers());
        }
        self.write_vectors(action.to, operation.to.registers());
        if writes {
            self.write_mask(action.to_mask);
        }
    }
}

/// Returns true if a part of the destination may keep its value in an active lane.
fn keeps(action: &VectorAction, halves_stay: bool) -> bool {
    let modifiers = &action.modifiers;
    let all = |dpp: &Dpp| dpp.bound_zero && dpp.row_mask == 0xf && dpp.bank_mask == 0xf;
    if modifiers.dpp.as_ref().is_some_and(|dpp| !all(dpp)) {
        return true;
    }
    match &modifiers.sdwa {
        Some(sdwa) => sdwa.unused == UnusedBits::Preserve && sdwa.to != Selection::Whole,
        None => {
            let half = action.operation.to.is_half();
            half && (halves_stay || action.operation.keeps_half || modifiers.select & 8 != 0)
        }
    }
}

/// Returns true if the result depends on the input that `change` modifies, judged by examples.
fn depends(operation: &ScalarOperation, change: impl Fn(&mut ScalarInput)) -> bool {
    // The examples set low and high bits of all inputs, and include zero and values near
    // overflow.
    const EXAMPLES: [[u64; 3]; 4] = [
        [0, 0, 0],
        [1, 2, 3],
        [0x7fff_ffff, 33, 0xffff_ffff],
        [0xf0f0_f0f0_1234_5678, 0x1_0000_0001, 0x0123_4567_89ab_cdef],
    ];
    EXAMPLES.iter().any(|&[a, b, d]| {
        let narrow = |value: u64, bits: Option<&u8>| {
            if bits == Some(&64) {
                value
            } else {
                value & 0xffff_ffff
            }
        };
        let mut input = ScalarInput {
            a: narrow(a, operation.from.first()),
            b: narrow(b, operation.from.get(1)),
            c: narrow(a ^ b, operation.from.get(2)),
            d: narrow(d, Some(&operation.to)),
            scc: false,
            mode: Mode::new(0xf0, 64),
        };
        // SCC counts only if the operation writes it.
        let visible = |(value, scc): (u64, bool)| (value, scc && operation.writes_scc);
        let before = visible((operation.function)(&input));
        change(&mut input);
        before != visible((operation.function)(&input))
    })
}
