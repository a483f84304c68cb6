//! The queries of wishes.

use store::{CountedWish, Readable, StoreError, Wish};
use store_relational::{MAX_WISHES, WishDisposition, WishKey, WishRow};

use crate::Postgres;

impl Postgres {
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
        let begun = self.begin().await;
        let mut transaction = begun.map_err(|e| self.error(e))?;
        // Two transactions that write the same wishes could otherwise deadlock.
        let lock = sqlx::query!("LOCK TABLE wish IN SHARE ROW EXCLUSIVE MODE");
        let locked = lock.execute(&mut *transaction).await;
        locked.map_err(|e| self.error(e))?;
        let upsert = sqlx::query!(
            "INSERT INTO wish (problem, target, device, generator, count, first_at, last_at)
            SELECT problem, target, device, generator, count, at_millis(first_ms), at_millis(last_ms)
            FROM json_to_recordset($1::text::json) AS asked (
                problem text, target text, device text, generator text, count bigint, first_ms bigint, last_ms bigint
            )
            ON CONFLICT (hash, target, device, generator) DO UPDATE SET count = wish.count + excluded.count,
                last_at = greatest(wish.last_at, excluded.last_at)",
            wishes
        );
        let upserted = upsert.execute(&mut *transaction).await;
        upserted.map_err(|e| self.error(e))?;
        let prune = sqlx::query!(
            "DELETE FROM wish WHERE (hash, target, device, generator) IN (
                SELECT hash, target, device, generator FROM wish ORDER BY last_at DESC OFFSET $1
            )",
            MAX_WISHES
        );
        let pruned = prune.execute(&mut *transaction).await;
        pruned.map_err(|e| self.error(e))?;
        let committed = transaction.commit().await;
        committed.map_err(|e| self.error(e))?;
        batch.written();
        Ok(())
    }

    pub(crate) async fn read_wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        let rows = sqlx::query_as!(
            WishRow,
            r#"SELECT problem, target, device, generator, count, millis(first_at) AS "first_ms!",
                millis(last_at) AS "last_ms!"
            FROM wish ORDER BY count DESC, last_at DESC"#
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let numbered = (1..).zip(rows);
        let wishes = numbered.map(|(number, row)| row.wished(number, self.generators));
        Ok(wishes.collect())
    }

    pub(crate) async fn delete_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        let key = WishKey::new(wish);
        let delete = sqlx::query!(
            "DELETE FROM wish WHERE hash = hash_of($1) AND target = $2 AND device = $3 AND generator = $4",
            key.problem,
            key.target,
            key.device,
            key.generator
        );
        let deleted = delete.execute(&self.pool).await;
        deleted.map_err(|e| self.error(e))?;
        Ok(())
    }
}
