//! Parts of SQL that several files share, and lists as parameters of queries.

use store::StudyId;

/// Builds the query of the studies that meet a condition on `s`, `p` and `v`: study, problem,
/// provenance.
macro_rules! studies {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            store_relational::StudyRow,
            r#"SELECT s.id AS "id!", p.text, v.target, v.device, v.part_name, v.part_isa, v.multiprocessors,
                v.clock_mhz, v.memory_mib, v.memory_clock_mhz, v.memory_bits, v.driver, v.driver_version,
                v.runtime_version, v.kernel_driver_version, v.model, v.compiler, v.compiler_version, v.linker,
                v.generator, v.generator_version, v.compile_limit_s, v.clock, v.mode, v.protocol, v.inputs,
                s.bound_us, s.opened, s.strategy, s.space, s.ties, s.seed, millis(s.created_at) AS "created_ms!",
                millis(s.opened_at) AS "opened_ms!"
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id "#
                + $where,
            $($argument),+
        )
    };
}

pub(crate) use studies;

/// Returns the IDs of studies as one parameter.
pub(crate) fn list(of: &[StudyId]) -> Vec<i64> {
    of.iter().map(|id| id.0).collect()
}
