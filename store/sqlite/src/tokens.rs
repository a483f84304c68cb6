//! The queries of `Tokens`.

use std::time::Duration;

use async_trait::async_trait;
use store::{Grant, Readable, Scopes, StoreError, StoreFault, TokenHash, TokenId, Tokens};
use store_relational::{TokenRow, lifetime_ms};

use crate::Sqlite;
use crate::error::fault;

#[async_trait]
impl Tokens for Sqlite {
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError> {
        let (hash, scopes) = (&hash.0[..], scopes.to_string());
        let lifetime_ms = lifetime_ms(lifetime);
        let insert = sqlx::query_as!(
            TokenRow,
            "INSERT INTO token (name, hash, scopes, created_ms, expires_ms)
            VALUES (?1, ?2, ?3, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER) + ?4)
            RETURNING id, name, hash, scopes, created_ms, expires_ms, revoked_ms",
            name,
            hash,
            scopes,
            lifetime_ms,
        );
        let mut connection = self.connection().await?;
        let row = insert.fetch_one(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        // SQLite also writes into a deleted file, and the token would be lost with it.
        self.files.check()?;
        let grant = row.grant();
        grant.map_err(|row| fault(&self.path, StoreFault::Value(row)))
    }

    async fn tokens(&self) -> Result<Readable<Grant>, StoreError> {
        let rows = self.token_rows().await?;
        Ok(rows.into_iter().map(TokenRow::grant).collect())
    }

    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError> {
        let update = sqlx::query!(
            "UPDATE token SET revoked_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND revoked_ms IS NULL",
            id.0,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }
}

impl Sqlite {
    /// Returns all tokens by number.
    pub(crate) async fn token_rows(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows = sqlx::query_as!(
            TokenRow,
            r#"SELECT id, name AS "name!: crate::Text", hash, scopes AS "scopes!: crate::Text", created_ms, expires_ms,
                revoked_ms
            FROM token ORDER BY id"#
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }
}
