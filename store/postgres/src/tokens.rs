//! The queries of `Tokens`.

use std::time::Duration;

use async_trait::async_trait;
use store::{Grant, Readable, Scopes, StoreError, StoreFault, TokenHash, TokenId, Tokens};
use store_relational::{TokenRow, lifetime_ms};

use crate::Postgres;

#[async_trait]
impl Tokens for Postgres {
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError> {
        let insert = sqlx::query_as!(
            TokenRow,
            r#"INSERT INTO token (name, hash, scopes, created_at, expires_at)
            VALUES ($1, $2, $3, now(), now() + $4::bigint * interval '1 millisecond')
            RETURNING id, name, hash, scopes, millis(created_at) AS "created_ms!",
                millis(expires_at) AS "expires_ms!", millis(revoked_at) AS revoked_ms"#,
            name,
            &hash.0[..],
            scopes.to_string(),
            lifetime_ms(lifetime),
        );
        let row = insert.fetch_one(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        let grant = row.grant();
        grant.map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn tokens(&self) -> Result<Readable<Grant>, StoreError> {
        let rows = sqlx::query_as!(
            TokenRow,
            r#"SELECT id, name, hash, scopes, millis(created_at) AS "created_ms!",
                millis(expires_at) AS "expires_ms!", millis(revoked_at) AS revoked_ms
            FROM token ORDER BY id"#
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(TokenRow::grant).collect())
    }

    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError> {
        let update = sqlx::query!(
            "UPDATE token SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL",
            id.0,
        );
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
        Ok(updated.rows_affected() > 0)
    }
}
