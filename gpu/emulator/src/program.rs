//! The instructions of a code object, found by address.

use crate::families;
use crate::image::Image;
use crate::instruction::Instruction;
use crate::isa::Isa;

/// Decoded functions, in the order of their addresses.
pub(crate) struct Program {
    instructions: Vec<Instruction>,
}

impl Program {
    /// Decodes the code in `ranges` (start and end addresses) and restarts at each of
    /// `functions`. Padding may separate functions, and a function may lack a symbol. `lanes`
    /// returns the wave size for an address.
    pub(crate) fn decode(
        isa: Isa,
        lanes: impl Fn(u64) -> u8,
        image: &Image,
        ranges: &[(u64, u64)],
        functions: &[u64],
    ) -> Program {
        let mut starts = functions.to_vec();
        starts.sort_unstable();
        let mut instructions = Vec::new();
        for &(start, end) in ranges {
            let mut address = start;
            let mut next = starts.partition_point(|&function| function <= start);
            while address < end {
                if let Some(&function) = starts.get(next).filter(|&&function| function <= address) {
                    // An instruction that overlaps the function's start was padding, not code.
                    address = function;
                    next += 1;
                    let begun_before = |one: &Instruction| one.address + one.bytes() <= function;
                    while instructions.last().is_some_and(|last| !begun_before(last)) {
                        instructions.pop();
                    }
                }
                // A range may exceed the image if the symbol's size is wrong.
                if image.word(address).is_none() {
                    break;
                }
                let word = |index: usize| image.word(address + 4 * index as u64).unwrap_or(0);
                let words = std::array::from_fn(word);
                let instruction = families::decode(isa, lanes(address), address, words);
                address += instruction.bytes();
                instructions.push(instruction);
            }
        }
        Program { instructions }
    }

    /// Returns all instructions.
    pub(crate) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Returns the index of the instruction that starts at `address`.
    pub(crate) fn index_of(&self, address: u64) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&address, |one| one.address)
            .ok()
    }

    /// Returns the instructions from address `start` up to `end`.
    pub(crate) fn instructions_between(
        &self,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = &Instruction> {
        let from = self.instructions.partition_point(|one| one.address < start);
        self.instructions[from..]
            .iter()
            .take_while(move |one| one.address < end)
    }
}

#[cfg(test)]
impl Program {
    /// Decodes the instructions of `words`, from address 0 on.
    pub(crate) fn of_words(isa: Isa, words: &[u32]) -> Program {
        let mut instructions = Vec::new();
        let mut index = 0;
        while index < words.len() {
            let word = |after: usize| words.get(index + after).copied().unwrap_or(0);
            let one = Instruction::decode(isa, 4 * index as u64, std::array::from_fn(word));
            index += usize::from(one.length);
            instructions.push(one);
        }
        Program { instructions }
    }
}
