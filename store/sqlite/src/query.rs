//! Parts of SQL that several files share, and lists as parameters of queries.

use store::StudyId;

/// Builds the query of the studies that meet a condition on `s`, `p` and `v`: study, problem,
/// provenance.
macro_rules! studies {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            store_relational::StudyRow,
            r#"SELECT s.id AS "id!", p.text AS "text!: crate::Text", v.target AS "target!: crate::Text",
                v.device AS "device!: crate::Text", v.part_name AS "part_name!: crate::Text",
                v.part_isa AS "part_isa!: crate::Text", v.multiprocessors, v.clock_mhz, v.memory_mib, v.memory_clock_mhz,
                v.memory_bits, v.driver AS "driver!: crate::Text", v.driver_version AS "driver_version!: crate::Text",
                v.runtime_version AS "runtime_version!: crate::Text",
                v.kernel_driver_version AS "kernel_driver_version!: crate::Text", v.model AS "model!: crate::Text",
                v.compiler AS "compiler!: crate::Text", v.compiler_version AS "compiler_version!: crate::Text",
                v.linker AS "linker!: crate::Text", v.generator AS "generator!: crate::Text",
                v.generator_version AS "generator_version!: crate::Text", v.compile_limit_s, v.clock AS "clock!: crate::Text",
                v.mode AS "mode!: crate::Text", v.protocol, v.inputs, s.bound_us, s.opened,
                s.strategy AS "strategy!: crate::Text", s.space AS "space!: crate::Text", s.ties AS "ties!: crate::Text",
                s.seed, s.created_ms, s.opened_ms
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id "#
                + $where,
            $($argument),+
        )
    };
}

/// Builds the query of trials from a source of rows `t`, and from the condition that a later
/// trial has the configuration.
macro_rules! trials {
    ($later:literal, $($from:literal)+, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            store_relational::TrialRow,
            r#"SELECT t.id AS "id!", t.study_id AS "study_id!", t.ordinal AS "ordinal!", t.role AS "role!: crate::Text",
                t.configuration AS "configuration!: crate::Text", t.status AS "status!: crate::Text",
                t.failure AS "failure!: crate::Text", t.message AS "message!: crate::Text", t.time_us,
                t.samples_us AS "samples_us!: crate::Text", t.protocol AS "protocol!: crate::Text", t.error,
                t.input_seed AS "input_seed!", t.compile_ms, t.started_ms AS "started_ms!", t.ended_ms AS "ended_ms!",
                "# + $later + r#" AS "has_later!: bool" FROM "# $(+ $from)+,
            $($argument),+
        )
    };
}

pub(crate) use {studies, trials};

/// Returns the IDs of studies as a JSON array, the form in which SQLite takes a list as one
/// parameter.
pub(crate) fn list(of: &[StudyId]) -> String {
    let ids: Vec<i64> = of.iter().map(|id| id.0).collect();
    serde_json::to_string(&ids).expect("numbers are JSON")
}

/// Returns words as a JSON array.
pub(crate) fn words(words: &[&str]) -> String {
    serde_json::to_string(words).expect("words are JSON")
}
