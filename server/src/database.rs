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
    held: RwLock<Store>,
    /// One at a time opens the file anew.
    reopening: Mutex<()>,
}

impl Database {
    pub(crate) fn new(store: Store) -> Self {
        Database {
            held: RwLock::new(store),
            reopening: Mutex::new(()),
        }
    }

    fn held(&self) -> Store {
        let held = self.held.read();
        held.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The store of the file that is at the path now.
    ///
    /// # Errors
    ///
    /// `Displaced` where there is none, and whatever the new one cannot be opened for.
    pub(crate) async fn store(&self) -> Result<Store, StoreError> {
        let store = self.held();
        if !store.is_closed() && store.check_files().is_ok() {
            return Ok(store);
        }
        let _turn = self.reopening.lock().await;
        let store = self.held();
        let displaced = store.check_files();
        if !store.is_closed() && displaced.is_ok() {
            return Ok(store);
        }
        match store.reopen().await {
            Ok(reopened) => {
                *self.held.write().unwrap_or_else(PoisonError::into_inner) = reopened.clone();
                Ok(reopened)
            }
            Err(missing @ StoreError::Missing(_)) => Err(displaced.err().unwrap_or(missing)),
            Err(error) => Err(error),
        }
    }

    /// Writes the wishes that wait, now and then; who wished was told already.
    pub(crate) async fn flush_wishes(&self) {
        let store = self.held();
        if !store.is_closed() {
            store.flush_wishes().await.ok();
        }
    }

    pub(crate) async fn close(&self) {
        self.held().close().await;
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
