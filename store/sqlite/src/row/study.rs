//! Rows of studies, with their problems and provenances.

use std::collections::BTreeMap;

use configgen::Generator;
use store::{KnownStudy, Part, Provenance, StudyId, StudyRecord, UnreadableRow};

use super::{Place, time_of};

/// The query of the studies for which this holds of `s`, `p` and `v`: study, problem, provenance.
macro_rules! studies {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            $crate::row::StudyRow,
            r#"SELECT s.id AS "id!", p.text, v.target, v.device, v.part_name, v.part_isa, v.multiprocessors,
                v.clock_mhz, v.memory_mib, v.memory_clock_mhz, v.memory_bits, v.driver, v.driver_version,
                v.runtime_version, v.kernel_driver_version, v.model, v.compiler, v.compiler_version, v.linker,
                v.generator, v.generator_version, v.compile_limit_s, v.clock, v.mode, v.protocol, v.inputs,
                s.bound_us, s.opened, s.strategy, s.space, s.ties, s.seed, s.created_ms, s.opened_ms
            FROM problem p JOIN study s ON s.problem_id = p.id JOIN provenance v ON v.id = s.provenance_id "#
                + $where,
            $($argument),+
        )
    };
}

pub(crate) use studies;

/// A row of `study`, with those of its problem and its provenance.
pub(crate) struct StudyRow {
    pub(crate) id: i64,
    pub(crate) text: String,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) part_name: String,
    pub(crate) part_isa: String,
    pub(crate) multiprocessors: i64,
    pub(crate) clock_mhz: i64,
    pub(crate) memory_mib: i64,
    pub(crate) memory_clock_mhz: i64,
    pub(crate) memory_bits: i64,
    pub(crate) driver: String,
    pub(crate) driver_version: String,
    pub(crate) runtime_version: String,
    pub(crate) kernel_driver_version: String,
    pub(crate) model: String,
    pub(crate) compiler: String,
    pub(crate) compiler_version: String,
    pub(crate) linker: String,
    pub(crate) generator: String,
    pub(crate) generator_version: String,
    pub(crate) compile_limit_s: i64,
    pub(crate) clock: String,
    pub(crate) mode: String,
    pub(crate) protocol: i64,
    pub(crate) inputs: i64,
    pub(crate) bound_us: Option<f64>,
    pub(crate) opened: i64,
    pub(crate) strategy: String,
    pub(crate) space: String,
    pub(crate) ties: String,
    pub(crate) seed: i64,
    pub(crate) created_ms: i64,
    pub(crate) opened_ms: i64,
}

impl StudyRow {
    pub(crate) fn study(self, generators: &[Generator]) -> Result<KnownStudy, UnreadableRow> {
        let place = Place {
            table: "study",
            id: self.id,
        };
        let part = (!self.part_name.is_empty()).then(|| -> Result<Part, UnreadableRow> {
            Ok(Part {
                name: self.part_name,
                isa: self.part_isa,
                multiprocessors: place.number("multiprocessors", self.multiprocessors)?,
                clock_mhz: place.number("clock_mhz", self.clock_mhz)?,
                memory_mib: place.number("memory_mib", self.memory_mib)?,
                memory_clock_mhz: place.number("memory_clock_mhz", self.memory_clock_mhz)?,
                memory_bits: place.number("memory_bits", self.memory_bits)?,
            })
        });
        Ok(KnownStudy {
            id: StudyId(self.id),
            problem: place.parse("problem", &self.text)?,
            provenance: Provenance {
                target: place.parse("target", &self.target)?,
                device: self.device,
                part: part.transpose()?,
                driver: self.driver,
                driver_version: self.driver_version,
                runtime_version: self.runtime_version,
                kernel_driver_version: self.kernel_driver_version,
                model: self.model,
                compiler: self.compiler,
                compiler_version: self.compiler_version,
                linker: self.linker,
                generator: place.generator(&self.generator, generators)?,
                generator_version: self.generator_version,
                compile_limit_s: place.number("compile_limit_s", self.compile_limit_s)?,
                clock: place.parse("clock", &self.clock)?,
                mode: self.mode,
                protocol: place.number("protocol", self.protocol)?,
                inputs: place.number("inputs", self.inputs)?,
            },
            bound_us: self.bound_us,
            opened: self.opened,
        })
    }

    /// The same with what people are told; what is in other tables is not there yet.
    pub(crate) fn record(self, generators: &[Generator]) -> Result<StudyRecord, UnreadableRow> {
        let place = Place {
            table: "study",
            id: self.id,
        };
        let ties = Some(self.ties.as_str()).filter(|name| !name.is_empty());
        let ties = ties.map(|name| place.parse("ties", name));
        Ok(StudyRecord {
            strategy: self.strategy.clone(),
            space: self.space.clone(),
            ties: ties.transpose()?,
            seed: self.seed.cast_unsigned(),
            first_opened: time_of(self.created_ms),
            last_opened: time_of(self.opened_ms),
            trials: BTreeMap::new(),
            finals: None,
            workers: Vec::new(),
            known: self.study(generators)?,
        })
    }
}

/// The columns of a [`Part`]; of none they are empty.
pub(crate) struct PartColumns<'a> {
    pub(crate) name: &'a str,
    pub(crate) isa: &'a str,
    pub(crate) multiprocessors: u32,
    pub(crate) clock_mhz: u32,
    pub(crate) memory_mib: i64,
    pub(crate) memory_clock_mhz: u32,
    pub(crate) memory_bits: u32,
}

impl<'a> PartColumns<'a> {
    pub(crate) fn of(part: Option<&'a Part>) -> Self {
        PartColumns {
            name: part.map_or("", |part| &part.name),
            isa: part.map_or("", |part| &part.isa),
            multiprocessors: part.map_or(0, |part| part.multiprocessors),
            clock_mhz: part.map_or(0, |part| part.clock_mhz),
            memory_mib: part.map_or(0, |part| i64::try_from(part.memory_mib).unwrap_or(i64::MAX)),
            memory_clock_mhz: part.map_or(0, |part| part.memory_clock_mhz),
            memory_bits: part.map_or(0, |part| part.memory_bits),
        }
    }
}
