//! Places of a service's database: a file, or the server that all tests share.

use std::path::Path;
use std::sync::Arc;

use store::{Catalogue, Models, Records, Store, Tokens};
use store_postgres::Postgres;
use store_sqlite::{FollowedDatabase, Sqlite};
use testing_postgres::Database;

/// A kind of database.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// A file.
    File,
    /// A new database on the server.
    Server,
}

/// An open database, with its interfaces.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) of_fleet: Arc<dyn server_fleet::FleetStore>,
    pub(crate) catalogue: Arc<dyn Catalogue>,
    pub(crate) records: Arc<dyn Records>,
    pub(crate) tokens: Arc<dyn Tokens>,
    pub(crate) models: Arc<dyn Models>,
    pub(crate) spoil: Spoil,
}

/// Changes rows as no interface of the store does.
pub(crate) enum Spoil {
    File(Sqlite),
    Server(Database),
}

impl Place {
    /// Opens a new database, at this path if it is a file.
    pub(crate) async fn open(&self, path: &Path) -> Opened {
        match self {
            Place::File => {
                let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
                let followed = Arc::new(FollowedDatabase::new(store.clone()));
                Opened {
                    store: Arc::new(store.clone()),
                    of_fleet: Arc::new(store.clone()),
                    catalogue: Arc::clone(&followed) as _,
                    records: Arc::clone(&followed) as _,
                    models: Arc::clone(&followed) as _,
                    tokens: followed,
                    spoil: Spoil::File(store),
                }
            }
            Place::Server => {
                let database = Database::create().unwrap();
                let store = Arc::new(Postgres::open(&database.url()).await.unwrap());
                Opened {
                    store: Arc::clone(&store) as _,
                    of_fleet: Arc::clone(&store) as _,
                    catalogue: Arc::clone(&store) as _,
                    records: Arc::clone(&store) as _,
                    models: Arc::clone(&store) as _,
                    tokens: store,
                    spoil: Spoil::Server(database),
                }
            }
        }
    }
}
