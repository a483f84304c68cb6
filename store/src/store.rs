//! The store: all interfaces of a database, for who has opened one and does not ask which.

use crate::{Catalogue, Ledger, Records, Runs};

/// A database that is written, asked and looked through.
pub trait Store: Ledger + Catalogue + Records + Runs {}

impl<T: Ledger + Catalogue + Records + Runs> Store for T {}
