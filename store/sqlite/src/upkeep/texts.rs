//! Texts that are not UTF-8, which SQLite lets every program write.

use futures_util::TryStreamExt as _;
use sqlx::sqlite::SqliteRow;
use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};
use store::StoreError;

use super::verify::Findings;
use crate::Sqlite;

/// The tables with texts, each with the query of its rows.
const TABLES: [(&str, &str); 12] = [
    ("problem", "SELECT * FROM problem"),
    ("provenance", "SELECT * FROM provenance"),
    ("study", "SELECT * FROM study"),
    ("trial", "SELECT * FROM trial"),
    ("final", "SELECT * FROM final"),
    ("worker", "SELECT * FROM worker"),
    ("taken", "SELECT * FROM taken"),
    ("run", "SELECT * FROM run"),
    ("submitted_model", "SELECT * FROM submitted_model"),
    ("request", "SELECT * FROM request"),
    ("token", "SELECT * FROM token"),
    ("wish", "SELECT * FROM wish"),
];

impl Sqlite {
    /// Finds the texts that are not UTF-8. The queries of rows replace such bytes, so their
    /// readers may miss them.
    pub(super) async fn check_texts(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        for (table, query) in TABLES {
            let mut rows = sqlx::query(query).fetch(&mut *connection);
            let mut number = 0_i64;
            while let Some(row) = rows.try_next().await.map_err(|e| self.error(e))? {
                number += 1;
                // A table without numbers counts its rows, as `wishes` does.
                let id = row.try_get(0).unwrap_or(number);
                for column in garbled_columns(&row) {
                    findings.add(format!("{table} {id}, {column}: is not UTF-8"));
                }
            }
        }
        Ok(())
    }
}

/// Returns the names of the row's texts that are not UTF-8.
fn garbled_columns(row: &SqliteRow) -> impl Iterator<Item = &str> {
    let columns = row.columns().iter();
    let garbled = columns.filter(move |column| {
        let Ok(value) = row.try_get_raw(column.ordinal()) else {
            return false;
        };
        let is_text = value.type_info().name() == "TEXT";
        is_text && row.try_get::<&str, _>(column.ordinal()).is_err()
    });
    garbled.map(|column| column.name())
}
