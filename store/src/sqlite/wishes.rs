//! The queries of wishes.

use crate::row::WishRow;
use crate::wish::{Key, Noted};
use crate::{Readable, Store, StoreError, Unreadable, Wish, Wished};

/// Wishes that are kept. Anyone who can reach the server can wish, so there has to be an end to it; what was asked last is
/// kept, so that nobody can fill it for good.
const MAX_WISHES: i64 = 10_000;

impl Store {
    /// Notes that this was asked for and not known, and tells whether it is noted. It is written at once if nothing was
    /// for a second; otherwise by the next one that is, by [`Store::flush_wishes`] or by [`Store::close`]. After a write
    /// that failed, only by the latter two.
    ///
    /// # Errors
    ///
    /// As [`Store::flush_wishes`].
    pub async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        match self.wishes.note(wish) {
            Noted::No => Ok(false),
            Noted::Waits => Ok(true),
            Noted::Due => self.flush_wishes().await.map(|()| true),
        }
    }

    /// Writes the wishes that wait. Of ten thousand different ones on, those that were asked last are kept.
    ///
    /// # Errors
    ///
    /// `Displaced`; `Busy`; `Locked`; `ReadOnly`; `Database`. The wishes wait for another try.
    pub async fn flush_wishes(&self) -> Result<(), StoreError> {
        let batch = self.wishes.take();
        if batch.is_empty() {
            return Ok(());
        }
        let wishes = batch.json();
        let upsert = sqlx::query!(
            "INSERT INTO wish (problem, target, device, generator, count, first_ms, last_ms)
            SELECT value ->> 'problem', value ->> 'target', value ->> 'device', value ->> 'generator',
                value ->> 'count', value ->> 'first_ms', value ->> 'last_ms'
            FROM json_each(?1) WHERE TRUE
            ON CONFLICT DO UPDATE SET count = count + excluded.count, last_ms = max(last_ms, excluded.last_ms)",
            wishes
        );
        let mut connection = self.connection().await?;
        let written = upsert.execute(&mut *connection).await;
        written.map_err(|e| self.error(e))?;
        batch.written();
        let prune = sqlx::query!(
            "DELETE FROM wish WHERE (problem, target, device, generator) IN (
                SELECT problem, target, device, generator FROM wish ORDER BY last_ms DESC LIMIT -1 OFFSET ?1
            )",
            MAX_WISHES
        );
        let pruned = prune.execute(&mut *connection).await;
        pruned.map_err(|e| self.error(e))?;
        Ok(())
    }

    /// Everything that is wished for and written: what was asked most goes first; among equals, what was asked last.
    ///
    /// # Errors
    ///
    /// `Displaced`; `Busy`; `Locked`; `Database`.
    pub async fn wishes(&self) -> Result<Readable<Wished>, StoreError> {
        let rows = sqlx::query_as!(
            WishRow,
            "SELECT problem, target, device, generator, count, first_ms, last_ms
            FROM wish ORDER BY count DESC, last_ms DESC"
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let mut unreadable = Unreadable::default();
        let wishes = (1..)
            .zip(rows)
            .map(|(number, row)| row.wished(number, self.generators));
        let rows = wishes.filter_map(|row| unreadable.note(row)).collect();
        Ok(Readable { rows, unreadable })
    }

    /// Takes a wish off the list.
    ///
    /// # Errors
    ///
    /// `Displaced`; `Busy`; `Locked`; `ReadOnly`; `Database`.
    pub async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        let key = Key::new(wish);
        let delete = sqlx::query!(
            "DELETE FROM wish WHERE problem = ?1 AND target = ?2 AND device = ?3 AND generator = ?4",
            key.problem,
            key.target,
            key.device,
            key.generator
        );
        let mut connection = self.connection().await?;
        let deleted = delete.execute(&mut *connection).await;
        deleted.map_err(|e| self.error(e))?;
        Ok(())
    }
}
