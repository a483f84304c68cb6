//! The printer of the IR: [`llvm`]. It decides nothing: each operation has its text, which depends on that operation alone.
//! What people read, [`hip`](super::hip), is still printed from the final stage.

pub(super) mod llvm;
