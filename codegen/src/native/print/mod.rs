//! The printers of the IR: [`llvm`] for our compiler, [`hip`] for people and their compilers.
//! They decide nothing: the text of an operation depends on that operation alone.

pub(super) mod hip;
pub(super) mod llvm;
