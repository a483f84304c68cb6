//! Small tables.

use lookup_table::{NewEntry, Status, TableWriter};

use super::Random;

/// The parts of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub key: String,
    pub texts: [String; 4],
    pub family: String,
    pub is_tie: bool,
    pub times: (f64, Option<f64>, Option<f64>),
    pub trial: (i64, u32),
    pub sizes: Vec<u64>,
}

impl Sample {
    pub fn entry(&self) -> NewEntry<'_> {
        let [configuration, attributes, generator, provenance] = &self.texts;
        NewEntry {
            key: &self.key,
            configuration,
            attributes,
            generator,
            status: if self.is_tie {
                Status::Tie
            } else {
                Status::Right
            },
            time_us: self.times.0,
            default_time_us: self.times.1,
            bound_us: self.times.2,
            study: self.trial.0,
            ordinal: self.trial.1,
            provenance,
            family: &self.family,
            sizes: &self.sizes,
        }
    }
}

pub fn writer(metadata: &[(&str, &str)], samples: &[Sample]) -> TableWriter {
    let mut writer = TableWriter::new();
    for (name, value) in metadata {
        writer.metadatum(name, value).unwrap();
    }
    for sample in samples {
        writer.add(&sample.entry()).unwrap();
    }
    writer
}

/// Returns the table of the golden bytes and of the planted damage: five entries, two families.
pub fn small() -> Vec<u8> {
    let sample = |key: &str, rows: u64, columns: u64| Sample {
        key: format!("{key}\0gfx942"),
        texts: [
            format!("{{\"workgroup\":[{rows},0]}}"),
            String::new(),
            "native".to_owned(),
            // Not ASCII, so that a string can be cut within a character.
            "{\"device\":\"größe\"}".to_owned(),
        ],
        family: "argmax f32 gfx942".to_owned(),
        is_tie: false,
        times: (6.5, Some(9.25), None),
        trial: (7, 12),
        sizes: vec![rows, columns],
    };
    let mut samples = vec![
        sample("argmax:4x[32000]xf32:i32", 4, 32000),
        sample("argmax:4x[4096]xf32:i32", 4, 4096),
        sample("argmax:1x[32000]xf32:i32", 1, 32000),
        sample("argmax:[4]x32000xf32:i32", 4, 32000),
        sample("absmax:16x[64]xf16:i64", 16, 64),
    ];
    samples[4].family = "absmax f16 gfx942".to_owned();
    samples[4].is_tie = true;
    samples[4].times = (1.5, None, Some(0.75));
    samples[4].trial = (-1, 0);
    let metadata = [("target", "gfx942"), ("compiler", "LLVM 22.1.8")];
    writer(&metadata, &samples).to_bytes().unwrap()
}

/// Returns a table of a few entries with texts of all kinds.
pub fn random(random: &mut Random) -> Vec<u8> {
    const TEXTS: [&str; 8] = [
        "",
        "a",
        "{}",
        "größe",
        "\0",
        "▲€",
        "𝄞",
        "{\"workgroup\":[1,0]}",
    ];
    const FAMILIES: [(&str, usize); 4] = [("", 0), ("argmax f32", 2), ("argmax ▲", 1), ("b", 4)];
    let mut samples = Vec::new();
    for index in 0..random.below(9) {
        let (family, dimensions) = random.of(&FAMILIES);
        let text = |random: &mut Random| random.of(&TEXTS).repeat(1 + random.below(3));
        samples.push(Sample {
            // The index makes each key unique.
            key: format!("{}{index}{}", text(random), text(random)),
            texts: [0; 4].map(|_| text(random)),
            family: family.to_owned(),
            is_tie: random.below(2) == 1,
            times: (
                1.0 + random.below(9) as f64 / 4.0,
                (random.below(2) == 1).then_some(3.5),
                (random.below(2) == 1).then_some(0.5),
            ),
            trial: (random.next().cast_signed(), random.next() as u32),
            // Few values, so that several entries have equal sizes.
            sizes: (0..dimensions).map(|_| random.next() % 3).collect(),
        });
    }
    let metadata = [("target", "gfx942"), ("b", ""), ("", "größe")];
    let count = random.below(4);
    writer(&metadata[..count], &samples).to_bytes().unwrap()
}
