//! Store: all interfaces of a database in one trait, for callers that work with any database.

use crate::{Catalogue, Ledger, Models, Records, Runs, Tokens};

/// A database with all interfaces of this crate.
pub trait Store: Ledger + Catalogue + Records + Runs + Models + Tokens {}

impl<T: Ledger + Catalogue + Records + Runs + Models + Tokens> Store for T {}
