//! Addresses that depend on never-written values.

use super::Checker;
use super::finding::FindingKind;
use crate::effects::name;
use crate::effects::{SCALAR, SCC};
use crate::execute::Wave;
use crate::instruction::{
    Action, AddressingMode, LdsOperation, M0, MemoryAction, SourceOperand, VECTOR_MASK,
};

impl Checker<'_> {
    /// Checks the address of an access with dirty registers.
    pub(super) fn check_address(&mut self, wave: &Wave) {
        let mut vectors: Vec<u16> = Vec::new();
        let mut scalars: Vec<u16> = Vec::new();
        match self.action(wave) {
            Some(Action::Memory(action)) => address_registers(action, &mut vectors, &mut scalars),
            Some(Action::LoadLds(action)) => {
                address_registers(action, &mut vectors, &mut scalars);
                scalars.push(SCALAR + u16::from(M0));
            }
            Some(Action::Lds(action)) => match action.operation {
                LdsOperation::ReadLaneAddress | LdsOperation::WriteLaneAddress => {
                    scalars.push(SCALAR + u16::from(M0));
                }
                // The append address is in the instruction.
                LdsOperation::Append { .. } => {}
                _ => vectors.push(action.address),
            },
            _ => scalars.extend(self.effects.effect(wave.current).1),
        }
        let exec = wave.exec();
        let registers = &mut self.waves[wave.number as usize].registers;
        let undefined = |register: &u16| match *register {
            register @ 0..SCALAR => registers.lanes(register) & exec,
            SCC => 0,
            register if registers.is_dirty(register) => u64::MAX,
            _ => 0,
        };
        let found = vectors
            .iter()
            .chain(&scalars)
            .find(|register| undefined(register) != 0);
        let Some(&register) = found else { return };
        self.undefined_address_lanes = vectors
            .iter()
            .chain(&scalars)
            .fold(0, |lanes, one| lanes | undefined(one));
        // Defining the registers avoids a repeated finding at each later use.
        for &scalar in &scalars {
            registers.define(scalar, u64::MAX);
        }
        // A scalar register belongs to no lane.
        let lane = (register < SCALAR).then(|| self.undefined_address_lanes.trailing_zeros());
        self.report(FindingKind::Uninitialized, wave, lane, None, || {
            format!(
                "the address depends on {}, which was never written",
                name(register)
            )
        });
    }
}

/// Collects the registers of a vector memory address.
fn address_registers(action: &MemoryAction, vectors: &mut Vec<u16>, scalars: &mut Vec<u16>) {
    let scalar =
        |register: u8, count: u16| (0..count).map(move |part| SCALAR + u16::from(register) + part);
    let vector = |count: u16| (0..count).map(|part| (action.address + part) & VECTOR_MASK as u16);
    match action.space {
        AddressingMode::Flat | AddressingMode::Global => vectors.extend(vector(2)),
        AddressingMode::GlobalScalar { base } => {
            vectors.extend(vector(1));
            scalars.extend(scalar(base, 2));
        }
        AddressingMode::Scratch {
            vector: with_vector,
            scalar: register,
        } => {
            // The vector offset is optional, and without it the register field has no meaning.
            vectors.extend(vector(with_vector.into()));
            scalars.extend(
                register
                    .into_iter()
                    .flat_map(|register| scalar(register, 1)),
            );
        }
        AddressingMode::Buffer {
            resource,
            scalar: register,
            index,
            offset,
        } => {
            vectors.extend(vector(u16::from(index) + u16::from(offset)));
            scalars.extend(scalar(resource, 4));
            if let SourceOperand::Scalar(register) = register {
                scalars.extend(scalar(register, 1));
            }
        }
    }
}
