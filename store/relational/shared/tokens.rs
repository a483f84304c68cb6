//! The queries of `Tokens`.

use std::time::Duration;

use async_trait::async_trait;
use store::{Grant, Readable, Scopes, StoreError, StoreFault, TokenHash, TokenId, Tokens};
use store_relational::{TokenRow, lifetime_ms};

use crate::Database;
use crate::dialect::{query, rows};

#[async_trait]
impl Tokens for Database {
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError> {
        let insert = rows!(
            TokenRow,
            sqlite = "INSERT INTO token (name, hash, scopes, created_ms, expires_ms)
            VALUES (?1, ?2, ?3, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER) + ?4)
            RETURNING id, name, hash, scopes, created_ms, expires_ms, revoked_ms",
            postgres = r#"INSERT INTO token (name, hash, scopes, created_at, expires_at)
            VALUES ($1, $2, $3, now(), now() + $4::bigint * interval '1 millisecond')
            RETURNING id, name, hash, scopes, millis(created_at) AS "created_ms!",
                millis(expires_at) AS "expires_ms!", millis(revoked_at) AS revoked_ms"#,
            name,
            &hash.0[..],
            scopes.to_string(),
            lifetime_ms(lifetime),
        );
        let row = insert.fetch_one(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
        // SQLite also writes into a deleted file, and the token would be lost with it.
        self.check_displacement()?;
        let grant = row.grant();
        grant.map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn tokens(&self) -> Result<Readable<Grant>, StoreError> {
        let rows = self.token_rows().await?;
        Ok(rows.into_iter().map(TokenRow::grant).collect())
    }

    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError> {
        let update = query!(
            sqlite = "UPDATE token SET revoked_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND revoked_ms IS NULL",
            postgres = "UPDATE token SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL",
            id.0,
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.rows_affected() > 0)
    }
}

impl Database {
    /// Returns all tokens by number.
    pub(crate) async fn token_rows(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows = rows!(
            TokenRow,
            sqlite = r#"SELECT id, name AS "name!: crate::Text", hash, scopes AS "scopes!: crate::Text", created_ms, expires_ms,
                revoked_ms
            FROM token ORDER BY id"#,
            postgres = r#"SELECT id, name, hash, scopes, millis(created_at) AS "created_ms!",
                millis(expires_at) AS "expires_ms!", millis(revoked_at) AS revoked_ms
            FROM token ORDER BY id"#
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        rows.map_err(|e| self.error(e))
    }
}
