//! temp
/// A decoded instruction.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// Address.
    pub address: u64,
}
impl std::fmt::Display for Instruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.address)
    }
}
