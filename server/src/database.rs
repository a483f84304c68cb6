//! The database that is served: always the file at its path.
//!
//! Somebody may delete the file, or put another one in its place, while it is open. The open one would answer on, from what
//! nobody can see any more; so each request looks at the path first.

use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use store::{Store, StoreError};
use tokio::sync::Mutex;

use crate::{ApiError, Service};

pub(crate) struct Database {
    held: RwLock<Held>,
    /// One at a time opens the file anew.
    reopening: Mutex<()>,
}

#[derive(Clone)]
struct Held {
    store: Store,
    /// Whether it was closed because its file had gone.
    closed: bool,
}

impl Database {
    pub(crate) fn new(store: Store) -> Self {
        let closed = false;
        Database {
            held: RwLock::new(Held { store, closed }),
            reopening: Mutex::new(()),
        }
    }

    fn held(&self) -> Held {
        let held = self.held.read();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn hold(&self, store: Store, closed: bool) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        *held = Held { store, closed };
    }

    /// The store of the file that is at the path now.
    ///
    /// # Errors
    ///
    /// `Displaced` where there is none, and whatever the new one cannot be opened for.
    pub(crate) async fn store(&self) -> Result<Store, StoreError> {
        let Held { store, closed } = self.held();
        if !closed && store.check_files().is_ok() {
            return Ok(store);
        }
        let _turn = self.reopening.lock().await;
        let Held { store, closed } = self.held();
        let displaced = store.check_files();
        if !closed && displaced.is_ok() {
            return Ok(store);
        }
        self.hold(store.clone(), true);
        match store.reopen().await {
            Ok(reopened) => {
                self.hold(reopened.clone(), false);
                Ok(reopened)
            }
            Err(missing @ StoreError::Missing(_)) => Err(displaced.err().unwrap_or(missing)),
            Err(error) => Err(error),
        }
    }

    /// Writes the wishes that wait, now and then and when the service ends; who wished was told already.
    pub(crate) async fn flush_wishes(&self) {
        let Held { store, closed } = self.held();
        if !closed {
            store.flush_wishes().await.ok();
        }
    }

    pub(crate) async fn close(&self) {
        self.held().store.close().await;
    }
}

/// The store, as a handler takes it.
pub(crate) struct Current(pub(crate) Store);

impl FromRequestParts<Arc<Service>> for Current {
    type Rejection = ApiError;

    async fn from_request_parts(
        _: &mut Parts,
        service: &Arc<Service>,
    ) -> Result<Self, Self::Rejection> {
        Ok(Current(service.database.store().await?))
    }
}
