//! Missing wait states: pairs of instructions that the program places too close together.
//!
//! The hardware of gfx9 does not delay some instructions until an earlier result has arrived. The
//! program must separate the two by other instructions or by `s_nop`. The compiler does so, but
//! not in inline assembly. From gfx10 on, the hardware delays such instructions itself.
//!
//! The search looks at the program only, along every path, and not at the values of a launch. A
//! checked launch then reports the pairs if it executes the second instruction. Each instruction
//! counts as one wait state and `s_nop N` as N + 1, as LLVM counts them. The pairs are those of
//! AMD's instruction set manuals ("Manually Inserted Wait States") and of LLVM's
//! `GCNHazardRecognizer`.

mod facts;
mod matrix;
mod rules;

use std::collections::HashMap;

use crate::effects::Effects;
use crate::execute::PreparedProgram;
use crate::instruction::{Action, Condition, Instruction, JumpKind};
use crate::isa::{EncodingFamily, Isa};
use crate::program::Program;
use facts::InstructionFacts;
use rules::RULES;

/// A pair of instructions with too few wait states between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hazard {
    /// The index of the first instruction.
    pub(crate) earlier: u32,
    pub(crate) needed: u8,
    pub(crate) found: u8,
    pub(crate) cause: &'static str,
}

/// The hazards of a program, by the index of the second instruction.
pub(crate) type Hazards = HashMap<u32, Hazard>;

/// Returns the hazards of a program, at most one for each instruction.
pub(crate) fn hazards(
    isa: Isa,
    program: &Program,
    prepared: &PreparedProgram,
    effects: &Effects,
) -> Hazards {
    if isa.family() != EncodingFamily::Gfx9 {
        return Hazards::new();
    }
    let search = Search::new(isa, program, prepared, effects);
    (0..search.instructions.len())
        .filter_map(|index| Some((index as u32, search.hazard(index)?)))
        .collect()
}

/// The search for pairs, backwards from the second instruction.
struct Search<'a> {
    isa: Isa,
    instructions: &'a [Instruction],
    prepared: &'a PreparedProgram,
    effects: &'a Effects,
    /// The branches to each target, by indices.
    branches: HashMap<usize, Vec<usize>>,
    /// True if the program has products, of matrices or of few elements.
    has_products: bool,
}

impl<'a> Search<'a> {
    fn new(
        isa: Isa,
        program: &'a Program,
        prepared: &'a PreparedProgram,
        effects: &'a Effects,
    ) -> Search<'a> {
        let instructions = program.instructions();
        let mut branches: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, one) in instructions.iter().enumerate() {
            if let Action::Branch { words, .. } = one.action {
                let next = one.address + one.bytes();
                let target = next.wrapping_add_signed(4 * i64::from(words));
                if let Some(target) = program.index_of(target) {
                    branches.entry(target).or_default().push(index);
                }
            }
        }
        let mut search = Search {
            isa,
            instructions,
            prepared,
            effects,
            branches,
            has_products: false,
        };
        // Most programs have none, and the rules of products are most of the work.
        search.has_products = (0..instructions.len()).any(|index| {
            let facts = search.facts(index);
            facts.matrix().is_some() || facts.is_dot()
        });
        search
    }

    fn facts(&self, index: usize) -> InstructionFacts<'a> {
        let (_, reads, writes) = self.effects.effect(index);
        InstructionFacts {
            isa: self.isa,
            instruction: &self.instructions[index],
            cost: self.prepared.timings[index],
            reads,
            writes,
        }
    }

    /// Returns the first hazard with this instruction as the second one.
    fn hazard(&self, index: usize) -> Option<Hazard> {
        let later = self.facts(index);
        let plain = RULES.iter().find_map(|rule| {
            let needed = (rule.states)(self.isa);
            let registers = match needed {
                0 => return None,
                _ => (rule.later)(&later),
            };
            if registers.is_empty() {
                return None;
            }
            self.closest(index, needed, rule.cause, |earlier| {
                let written = (rule.earlier)(earlier);
                let meets = written.iter().any(|one| registers.contains(one));
                meets.then_some(needed)
            })
        });
        let matrix = || {
            let uses = matrix::uses(&later);
            uses.iter().find_map(|used| {
                self.closest(index, matrix::LIMIT, used.cause(), |earlier| {
                    matrix::states(earlier, &later, used)
                })
            })
        };
        plain.or_else(|| self.has_products.then(matrix).flatten())
    }

    /// Returns the hazard with the closest earlier instruction for which `needed` returns a number
    /// of wait states. Each path ends at such an instruction, or after `limit` wait states.
    fn closest(
        &self,
        index: usize,
        limit: u8,
        cause: &'static str,
        needed: impl Fn(&InstructionFacts<'_>) -> Option<u8>,
    ) -> Option<Hazard> {
        let mut paths = vec![(index, 0)];
        // The fewest wait states with which a path has reached an instruction: loops end here.
        let mut reached: Vec<(usize, u8)> = Vec::new();
        while let Some((after, found)) = paths.pop() {
            for earlier in self.predecessors(after) {
                if let Some(needed) = needed(&self.facts(earlier)) {
                    if needed > found {
                        let earlier = earlier as u32;
                        return Some(Hazard {
                            earlier,
                            needed,
                            found,
                            cause,
                        });
                    }
                    continue;
                }
                let passed = found + wait_states(&self.instructions[earlier]);
                // A few entries: the limit is below 20 instructions.
                let is_known = |it: &(usize, u8)| it.0 == earlier && it.1 <= passed;
                if passed < limit && !reached.iter().any(is_known) {
                    reached.push((earlier, passed));
                    paths.push((earlier, passed));
                }
            }
        }
        None
    }

    /// Returns the instructions that may come directly before this one. Calls and returns of
    /// functions end a path.
    fn predecessors(&self, index: usize) -> impl Iterator<Item = usize> {
        let before = index.checked_sub(1);
        let before = before.filter(|&before| continues(&self.instructions[before].action));
        let branches = self.branches.get(&index).into_iter().flatten().copied();
        before.into_iter().chain(branches)
    }
}

/// Returns true if the next instruction in memory may follow.
fn continues(action: &Action) -> bool {
    match action {
        Action::End => false,
        Action::Branch { condition, .. } => *condition != Condition::Always,
        Action::Jump { kind, .. } => *kind == JumpKind::Here,
        _ => true,
    }
}

fn wait_states(instruction: &Instruction) -> u8 {
    match instruction.name {
        "s_nop" => (instruction.words[0] & 0xf) as u8 + 1,
        _ => 1,
    }
}
