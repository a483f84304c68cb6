//! The store: all interfaces of a database, for who has opened one and does not ask which.

use crate::{Catalogue, Ledger, Records, Runs, Tokens};

/// A database that is written, asked and looked through.
pub trait Store: Ledger + Catalogue + Records + Runs + Tokens {}

impl<T: Ledger + Catalogue + Records + Runs + Tokens> Store for T {}
