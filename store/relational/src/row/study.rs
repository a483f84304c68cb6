//! Rows of studies, with their problems and provenances.

use std::collections::BTreeMap;

use configgen::Generator;
use store::{
    KnownStudy, Provenance, RuntimeDevice, StudyId, StudyRecord, UnreadableRow, check_bound,
};

use super::RowLocation;

/// A row of `study`, with those of its problem and its provenance.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct StudyRow {
    pub id: i64,
    pub text: String,
    pub target: String,
    pub device: String,
    pub part_name: String,
    pub part_isa: String,
    pub multiprocessors: i64,
    pub clock_mhz: i64,
    pub memory_mib: i64,
    pub memory_clock_mhz: i64,
    pub memory_bits: i64,
    pub driver: String,
    pub driver_version: String,
    pub runtime_version: String,
    pub kernel_driver_version: String,
    pub model: String,
    pub compiler: String,
    pub compiler_version: String,
    pub linker: String,
    pub generator: String,
    pub generator_version: String,
    pub compile_limit_s: i64,
    pub clock: String,
    pub mode: String,
    pub protocol: i64,
    pub inputs: i64,
    pub bound_us: Option<f64>,
    pub opened: i64,
    pub strategy: String,
    pub space: String,
    pub ties: String,
    pub seed: i64,
    pub created_ms: i64,
    pub opened_ms: i64,
}

impl StudyRow {
    /// Returns the study, if its generator is among these.
    pub fn study(self, generators: &[Generator]) -> Result<KnownStudy, UnreadableRow> {
        let place = RowLocation {
            table: "study",
            id: self.id,
        };
        place.guard(|| self.study_at(place, generators))
    }

    fn study_at(
        self,
        place: RowLocation,
        generators: &[Generator],
    ) -> Result<KnownStudy, UnreadableRow> {
        // A device without a name reported no properties.
        let part = (!self.part_name.is_empty()).then(|| -> Result<RuntimeDevice, UnreadableRow> {
            Ok(RuntimeDevice {
                name: self.part_name,
                isa: self.part_isa,
                multiprocessors: place.number("multiprocessors", self.multiprocessors)?,
                clock_mhz: place.number("clock_mhz", self.clock_mhz)?,
                memory_mib: place.number("memory_mib", self.memory_mib)?,
                memory_clock_mhz: place.number("memory_clock_mhz", self.memory_clock_mhz)?,
                memory_bits: place.number("memory_bits", self.memory_bits)?,
            })
        });
        place.checked(check_bound(self.bound_us))?;
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

    /// Returns the study with its other columns. `complete` adds the rows of other tables.
    pub fn record(self, generators: &[Generator]) -> Result<StudyRecord, UnreadableRow> {
        let place = RowLocation {
            table: "study",
            id: self.id,
        };
        let ties = Some(self.ties.as_str()).filter(|name| !name.is_empty());
        let ties = ties.map(|name| place.parse("ties", name));
        Ok(StudyRecord {
            strategy: self.strategy.clone(),
            space: self.space.clone(),
            ties: ties.transpose()?,
            // SQL has no unsigned 64-bit column, so a seed keeps its bits as a signed number.
            seed: self.seed.cast_unsigned(),
            first_opened: place.time("created", self.created_ms)?,
            last_opened: place.time("opened", self.opened_ms)?,
            trials: BTreeMap::new(),
            finals: None,
            workers: Vec::new(),
            known: self.study(generators)?,
        })
    }
}

/// The columns of a [`RuntimeDevice`]; empty texts and zeros for none.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct PartColumns<'a> {
    pub name: &'a str,
    pub isa: &'a str,
    pub multiprocessors: i64,
    pub clock_mhz: i64,
    pub memory_mib: i64,
    pub memory_clock_mhz: i64,
    pub memory_bits: i64,
}

impl<'a> PartColumns<'a> {
    /// Returns the columns of a device.
    pub fn of(part: Option<&'a RuntimeDevice>) -> Self {
        PartColumns {
            name: part.map_or("", |part| &part.name),
            isa: part.map_or("", |part| &part.isa),
            multiprocessors: part.map_or(0, |part| i64::from(part.multiprocessors)),
            clock_mhz: part.map_or(0, |part| i64::from(part.clock_mhz)),
            memory_mib: part.map_or(0, |part| i64::try_from(part.memory_mib).unwrap_or(i64::MAX)),
            memory_clock_mhz: part.map_or(0, |part| i64::from(part.memory_clock_mhz)),
            memory_bits: part.map_or(0, |part| i64::from(part.memory_bits)),
        }
    }
}
