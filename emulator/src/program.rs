//! temp
use crate::{code_object::Image, instruction::Instruction, isa::Isa};
pub(crate) struct Program {
    i: Vec<Instruction>,
}
impl Program {
    pub(crate) fn decode(_: Isa, _: &Image, _: &[(u64, u64)]) -> Program {
        Program { i: vec![] }
    }
    pub(crate) fn instructions_between(
        &self,
        a: u64,
        b: u64,
    ) -> impl Iterator<Item = &Instruction> {
        self.i
            .iter()
            .filter(move |x| x.address >= a && x.address < b)
    }
}
