//! The store: both interfaces of a database, for who has opened one and does not ask which.

use crate::{Catalogue, Ledger};

/// A database that is written and asked.
pub trait Store: Ledger + Catalogue {}

impl<T: Ledger + Catalogue> Store for T {}
