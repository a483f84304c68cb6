//! The queries of wishes.

use store::{CountedWish, Readable, StoreError, Wish};
use store_relational::{MAX_WISHES, WishDisposition, WishKey, WishRow};

use crate::Sqlite;

impl Sqlite {
    pub(crate) async fn note_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        match self.wishes.note(wish) {
            WishDisposition::No => Ok(false),
            WishDisposition::Waits => Ok(true),
            WishDisposition::Due => self.write_wishes().await.map(|()| true),
        }
    }

    pub(crate) async fn write_wishes(&self) -> Result<(), StoreError> {
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
        // Only the insertion counts: if the pruning below fails, the wishes must not be written
        // twice.
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

    pub(crate) async fn read_wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        let numbered = (1..).zip(self.wish_rows().await?);
        let wishes = numbered.map(|(number, row)| row.wished(number, self.generators));
        Ok(wishes.collect())
    }

    /// Returns all wishes, the most frequent first.
    pub(crate) async fn wish_rows(&self) -> Result<Vec<WishRow>, StoreError> {
        let rows = sqlx::query_as!(
            WishRow,
            r#"SELECT problem AS "problem!: crate::Text", target AS "target!: crate::Text", device AS "device!: crate::Text",
                generator AS "generator!: crate::Text", count, first_ms, last_ms
            FROM wish ORDER BY count DESC, last_ms DESC"#
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }

    pub(crate) async fn delete_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        let key = WishKey::new(wish);
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
