//! The queries of `Catalogue`. They give facts; `lookup` chooses the answer.

use async_trait::async_trait;
use configgen::{Configuration, Generator, Problem, Target};
use store::{
    Catalogue, Changes, Connections, CountedWish, Coverage, Fastest, KnownFinals, KnownStudy,
    KnownTrial, Mark, ProblemSelection, Readable, Status, StoreError, StudyId, Wish,
};
use store_relational::{CoverageRow, FinalRow, TrialRow, bounds, hash_of};
use tokio::sync::SemaphorePermit;

use crate::Database;
use crate::dialect::{list, rows, scalar, studies, trials, words};
use crate::error::CONNECTIONS;

/// The largest number of studies or problems in a short query.
const FEW: usize = 100;

impl Database {
    /// Waits for permission to run a long query. A query about up to 100 studies needs none.
    pub(crate) async fn turn(&self, studies: Option<usize>) -> Option<SemaphorePermit<'_>> {
        match studies {
            Some(count) if count <= FEW => None,
            // The semaphore is never closed.
            _ => self.whole.acquire().await.ok(),
        }
    }
}

#[async_trait]
impl Catalogue for Database {
    fn connections(&self) -> Connections {
        Connections {
            open: self.pool.size().into(),
            idle: self.pool.num_idle() as u64,
            most: CONNECTIONS.into(),
        }
    }

    fn generators(&self) -> &'static [Generator] {
        self.generators
    }

    async fn studies(
        &self,
        of: ProblemSelection<'_>,
        target: Option<&Target>,
    ) -> Result<Readable<KnownStudy>, StoreError> {
        let few = match of {
            ProblemSelection::These(problems) => Some(problems.len()),
            ProblemSelection::All | ProblemSelection::Like(_) => None,
        };
        // The permit comes before the connection: a query that waits must not hold one.
        let _turn = self.turn(few).await;
        let target = target.map(|target| target.name);
        let rows = match of {
            ProblemSelection::These(problems) => {
                let texts: Vec<String> = problems.iter().map(Problem::to_string).collect();
                let texts = words(&texts);
                let rows = studies!(
                    sqlite = "WHERE p.text IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR v.target = ?2)",
                    postgres = "WHERE p.hash IN (SELECT hash_of(text) FROM unnest($1::text[]) text)
                        AND ($2::text IS NULL OR v.target = $2)
                    ORDER BY s.id",
                    &texts,
                    target
                );
                rows.fetch_all(&mut *self.connection().await?).await
            }
            ProblemSelection::Like(features) => {
                let (operation, element) = (features.operation, features.element.name());
                let [rows, reduced] = [features.rows, features.reduced].map(bounds);
                let rows = studies!(
                    sqlite = "WHERE p.operation = ?1 AND p.element = ?2 AND p.reduced BETWEEN ?3 AND ?4 AND p.rows BETWEEN ?5 AND ?6
                        AND (?7 IS NULL OR v.target = ?7)",
                    postgres = "WHERE p.operation = $1 AND p.element = $2 AND p.reduced BETWEEN $3 AND $4 AND p.rows BETWEEN $5 AND $6
                        AND ($7::text IS NULL OR v.target = $7)
                    ORDER BY s.id",
                    operation,
                    element,
                    reduced.0,
                    reduced.1,
                    rows.0,
                    rows.1,
                    target,
                );
                rows.fetch_all(&mut *self.connection().await?).await
            }
            ProblemSelection::All => {
                let rows = studies!(
                    sqlite = "WHERE ?1 IS NULL OR v.target = ?1",
                    postgres = "WHERE $1::text IS NULL OR v.target = $1 ORDER BY s.id",
                    target
                );
                rows.fetch_all(&mut *self.connection().await?).await
            }
        };
        let rows = rows.map_err(|e| self.error(e))?;
        let studies = rows.into_iter().map(|row| row.study(self.generators));
        Ok(studies.collect())
    }

    async fn fastest(
        &self,
        of: &[StudyId],
        status: Status,
        limit: u32,
    ) -> Result<Fastest, StoreError> {
        let _turn = self.turn(Some(of.len())).await;
        let (of, status) = (list(of), status.name());
        let rows = trials!(
            later = "EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE o.problem_id = s.problem_id AND o.provenance_id = s.provenance_id
                        AND later.configuration_hash = t.configuration_hash AND later.id > t.id
                        AND later.status <> 'timed'
                )",
            sqlite = "study s JOIN trial t ON t.id IN (
                SELECT x.id FROM trial x
                WHERE x.study_id = s.id AND x.status = ?3 AND x.time_us IS NOT NULL AND x.configuration IS NOT NULL
                ORDER BY x.time_us, x.ordinal LIMIT ?2
            )
            WHERE s.id IN (SELECT value FROM json_each(?1))
            ORDER BY t.study_id, t.time_us, t.ordinal",
            postgres = "study s CROSS JOIN LATERAL (
                SELECT * FROM trial x
                WHERE x.study_id = s.id AND x.status = $3 AND x.time_us IS NOT NULL AND x.configuration IS NOT NULL
                ORDER BY x.time_us, x.ordinal LIMIT $2
            ) t
            WHERE s.id = ANY($1)
            ORDER BY t.study_id, t.time_us, t.ordinal",
            &of,
            i64::from(limit),
            status
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(store_relational::fastest(rows, limit))
    }

    async fn defaults(&self, of: &[StudyId]) -> Result<Readable<KnownTrial>, StoreError> {
        let _turn = self.turn(Some(of.len())).await;
        let of = list(of);
        let rows = trials!(
            later = "FALSE",
            sqlite =
                "trial t WHERE role = 'default' AND study_id IN (SELECT value FROM json_each(?1))",
            postgres = "trial t WHERE role = 'default' AND study_id = ANY($1) ORDER BY id",
            &of
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(TrialRow::known).collect())
    }

    async fn trials_with(
        &self,
        of: &[StudyId],
        configuration: &Configuration,
    ) -> Result<Readable<KnownTrial>, StoreError> {
        let _turn = self.turn(Some(of.len())).await;
        let (of, hash) = (list(of), hash_of(configuration));
        let rows = trials!(
            later = "FALSE",
            sqlite = "trial t WHERE configuration_hash = ?2 AND study_id IN (SELECT value FROM json_each(?1)) ORDER BY id",
            postgres = "trial t WHERE configuration_hash = $2 AND study_id = ANY($1) ORDER BY id",
            &of,
            hash
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(TrialRow::known).collect())
    }

    async fn finals(&self, of: &[StudyId]) -> Result<Readable<KnownFinals>, StoreError> {
        let _turn = self.turn(Some(of.len())).await;
        let of = list(of);
        let rows = rows!(
            FinalRow,
            sqlite = r#"SELECT f.study_id AS "study_id!", f.trials AS "trials!", f.ties AS "ties!: crate::Text", f.speedup AS "speedup!",
                f.low AS "low!", f.high AS "high!", f.samples AS "samples!: crate::Text", f.ended_ms AS "final_ended_ms!",
                EXISTS (
                    SELECT 1 FROM trial x WHERE x.study_id = f.study_id AND x.ordinal >= f.trials
                ) AS "went_on!: bool",
                t.id AS "id!", t.ordinal AS "ordinal!", t.role AS "role!: crate::Text",
                t.configuration AS "configuration!: crate::Text", t.status AS "status!: crate::Text",
                t.failure AS "failure!: crate::Text", t.message AS "message!: crate::Text", t.time_us,
                t.samples_us AS "samples_us!: crate::Text", t.protocol AS "protocol!: crate::Text", t.error,
                t.input_seed AS "input_seed!", t.compile_ms, t.started_ms AS "started_ms!", t.ended_ms AS "ended_ms!",
                EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE o.problem_id = s.problem_id AND o.provenance_id = s.provenance_id
                        AND later.configuration_hash = t.configuration_hash AND later.id > t.id
                        AND later.status <> 'timed'
                ) AS "has_later!: bool"
            FROM final f JOIN study s ON s.id = f.study_id
                JOIN trial t ON t.study_id = f.study_id AND t.ordinal = f.winner
            WHERE f.study_id IN (SELECT value FROM json_each(?1))
            ORDER BY f.held"#,
            postgres = r#"SELECT f.study_id AS "study_id!", f.trials AS "trials!", f.ties AS "ties!", f.speedup AS "speedup!",
                f.low AS "low!", f.high AS "high!", f.samples AS "samples!", millis(f.ended_at) AS "final_ended_ms!",
                EXISTS (
                    SELECT 1 FROM trial x WHERE x.study_id = f.study_id AND x.ordinal >= f.trials
                ) AS "went_on!",
                t.id AS "id!", t.ordinal AS "ordinal!", t.role AS "role!", t.configuration, t.status AS "status!",
                t.failure, t.message, t.time_us, t.samples_us, t.protocol, t.error, t.input_seed AS "input_seed!",
                t.compile_ms, millis(t.started_at) AS "started_ms!",
                millis(t.ended_at) AS "ended_ms!",
                EXISTS (
                    SELECT 1 FROM study o JOIN trial later ON later.study_id = o.id
                    WHERE o.problem_id = s.problem_id AND o.provenance_id = s.provenance_id
                        AND later.configuration_hash = t.configuration_hash AND later.id > t.id
                        AND later.status <> 'timed'
                ) AS "has_later!"
            FROM final f JOIN study s ON s.id = f.study_id
                JOIN trial t ON t.study_id = f.study_id AND t.ordinal = f.winner
            WHERE f.study_id = ANY($1)
            ORDER BY f.held"#,
            &of
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(FinalRow::finals).collect())
    }

    async fn coverage(&self, problem: &Problem) -> Result<Readable<Coverage>, StoreError> {
        let problem = problem.to_string();
        let counted = i64::try_from(Coverage::COUNTED).unwrap_or(i64::MAX);
        let verdicts = words(&Status::ALL.map(Status::name));
        // COLLATE "C" gives every server the order of SQLite, whatever its locale is.
        let rows = rows!(
            CoverageRow,
            sqlite = r#"WITH verdict(name) AS (SELECT '' || value FROM json_each(?3))
            SELECT min(v.id) AS "id!: i64", v.target AS "target!: crate::Text", v.device AS "device!: crate::Text",
                v.generator AS "generator!: crate::Text", v.clock AS "clock!: crate::Text", w.name AS "status!: String",
                sum((
                    SELECT count(*) FROM (
                        SELECT 1 FROM trial t WHERE t.study_id = s.id AND t.status = w.name LIMIT ?2
                    )
                )) AS "trials!: i64"
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id,
                verdict w
            WHERE p.text = ?1
            GROUP BY v.target, v.device, v.generator, v.clock, w.name
            ORDER BY v.target, v.device, v.generator, v.clock, w.name"#,
            postgres = r#"SELECT min(v.id) AS "id!", v.target, v.device, v.generator, v.clock, w.name AS "status!",
                sum((
                    SELECT count(*) FROM (
                        SELECT 1 FROM trial t WHERE t.study_id = s.id AND t.status = w.name LIMIT $2
                    ) counted
                ))::bigint AS "trials!"
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id,
                unnest($3::text[]) AS w (name)
            WHERE p.hash = hash_of($1)
            GROUP BY v.target, v.device, v.generator, v.clock, w.name
            ORDER BY v.target COLLATE "C", v.device COLLATE "C", v.generator COLLATE "C", v.clock COLLATE "C",
                w.name COLLATE "C""#,
            problem,
            counted,
            &verdicts
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        // The query joins every study with every verdict, so many counts are 0.
        let known = rows.into_iter().filter(|row| row.trials > 0);
        let coverage = known.map(|row| row.coverage(self.generators));
        Ok(coverage.collect())
    }

    async fn changes(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        self.changes_since(since).await
    }

    async fn record_wish(&self, wish: &Wish) -> Result<bool, StoreError> {
        self.note_wish(wish).await
    }

    async fn flush_wishes(&self) -> Result<(), StoreError> {
        self.write_wishes().await
    }

    async fn wishes(&self) -> Result<Readable<CountedWish>, StoreError> {
        self.read_wishes().await
    }

    async fn end_wish(&self, wish: &Wish) -> Result<(), StoreError> {
        self.delete_wish(wish).await
    }

    async fn check(&self) -> Result<(), StoreError> {
        // Reading a table makes SQLite look at the file, which `SELECT 1` alone does not.
        let any = scalar!(
            sqlite = r#"SELECT 1 AS "n!: i64" FROM study LIMIT 1"#,
            postgres = r#"SELECT 1 AS "n!" FROM study LIMIT 1"#
        );
        let any = any.fetch_optional(&mut *self.connection().await?).await;
        any.map_err(|e| self.error(e))?;
        Ok(())
    }

    async fn close(&self) {
        Database::close(self).await;
    }
}
