//! The printers of the IR: [`llvm`] for our compiler, [`hip`] for people and theirs. They decide nothing: each operation has
//! its text, which depends on that operation alone.

pub(super) mod hip;
pub(super) mod llvm;
