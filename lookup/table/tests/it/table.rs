//! A table returns its entries, and has the same bytes in any order of insertion. A damaged table
//! is refused with the reason.

use testing_tables as support;

use std::fs;

use expect_test::{Expect, expect, expect_file};
use lookup_table::{Table, TableWriter, WriteError};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use testing_tables::damage::DAMAGE;
use testing_tables::samples::{Sample, small, writer};
use testing_tables::{Random, mutation, transcript};

/// Returns entries with different keys, in two families.
fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let time = || 1e-9..1e9;
    let entry = (
        ["\\PC{0,9}", "\\PC{0,3}", "[ab]?", "\\PC{0,2}"],
        (
            any::<bool>(),
            time(),
            option::of(time()),
            option::of(time()),
        ),
        (any::<i64>(), any::<u32>()),
        vec(0..3_u64, 4),
        0..3_usize,
    );
    btree_map("\\PC{0,40}", entry, 0..40).prop_map(|entries| {
        let entries = entries.into_iter();
        let samples = entries.map(
            |(key, (texts, (is_tie, time, default, bound), trial, mut sizes, family))| {
                let (family, dimensions) = [("", 0), ("▲", 2), ("argmax", 4)][family];
                sizes.truncate(dimensions);
                Sample {
                    key,
                    texts,
                    family: family.to_owned(),
                    is_tie,
                    times: (time, default, bound),
                    trial,
                    sizes,
                }
            },
        );
        samples.collect()
    })
}

/// Returns the entry of a key, in the form of the samples.
fn read(table: &Table, key: &str) -> Option<Sample> {
    let entry = table.lookup(key)?;
    Some(Sample {
        key: entry.key().to_owned(),
        texts: [
            entry.configuration(),
            entry.attributes(),
            entry.generator(),
            entry.provenance(),
        ]
        .map(str::to_owned),
        family: entry.family().text().to_owned(),
        is_tie: entry.status().name() == "tie",
        times: (entry.time_us(), entry.default_time_us(), entry.bound_us()),
        trial: (entry.study(), entry.ordinal()),
        sizes: entry.sizes().to_vec(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_tables_are_read(samples in samples()) {
        let table = Table::read(writer(&[("target", "gfx942")], &samples).to_bytes()?)?;
        prop_assert_eq!(table.len(), samples.len());
        prop_assert_eq!(table.metadatum("target"), Some("gfx942"));
        for sample in &samples {
            prop_assert_eq!(read(&table, &sample.key), Some(sample.clone()));
            let other = format!("{}.", sample.key);
            prop_assert_eq!(read(&table, &other).is_some(), samples.iter().any(|it| it.key == other));
        }
    }

    #[test]
    fn any_order_gives_the_same_bytes((samples, shuffled) in samples().prop_flat_map(|samples| {
        (Just(samples.clone()), Just(samples).prop_shuffle())
    })) {
        let metadata = [("a", "1"), ("b", "2")];
        let turned = [metadata[1], metadata[0]];
        let (one, other) = (writer(&metadata, &samples), writer(&turned, &shuffled));
        prop_assert_eq!(one.to_bytes()?, other.to_bytes()?);
    }

    #[test]
    fn a_family_has_its_entries_in_order(samples in samples(), wanted in vec(0..4_u64, 2)) {
        let table = Table::read(writer(&[], &samples).to_bytes()?)?;
        let mut these: Vec<&Sample> = samples.iter().filter(|it| it.family == "▲").collect();
        these.sort_by_key(|it| (it.sizes.clone(), it.key.clone()));
        let family = table.family("▲");
        let keys = family.iter().flat_map(|family| family.entries()).map(|entry| entry.key());
        prop_assert!(keys.eq(these.iter().map(|it| it.key.as_str())));
        if let Some(family) = family {
            let place = these.iter().position(|it| it.sizes >= wanted).unwrap_or(these.len());
            prop_assert_eq!(family.place_of(&wanted), place);
            prop_assert!(family.get(these.len()).is_none());
        }
        prop_assert!(table.family("argmax ").is_none());
    }
}

/// Checks each kind of damage and its reason.
#[test]
fn damage_is_refused_with_its_reason() {
    #[track_caller]
    fn check(what: &str, damage: fn(&mut Vec<u8>), verdict: &str) {
        let mut file = small();
        damage(&mut file);
        let said = transcript::transcript(&file);
        assert_eq!(said.split(' ').next(), Some(verdict), "{what}: {said}");
    }
    for (what, damage, verdict) in DAMAGE {
        check(what, *damage, verdict);
    }
}

#[test]
fn reasons() {
    #[track_caller]
    fn check(what: &str, expected: &Expect) {
        let (_, damage, _) = DAMAGE.iter().find(|(name, ..)| *name == what).unwrap();
        let mut file = small();
        damage(&mut file);
        expected.assert_eq(&Table::read(file).unwrap_err().to_string());
    }
    check(
        "half a header",
        &expect![
            "table memory: is truncated: it has 127 bytes, and a header alone has 128. Copy or export it again"
        ],
    );
    check(
        "another magic",
        &expect![
            "table memory: is not a table: its first bytes are wrong. Give a .wtab file, copied in binary mode"
        ],
    );
    check(
        "of a newer format",
        &expect![
            "table memory: has format 2, and this program reads 1; use a newer program, or export the table with one of this version"
        ],
    );
    check(
        "of no format",
        &expect!["table memory: has format 0, and this program reads 1; export the table again"],
    );
    check(
        "cut off",
        &expect![
            "table memory: has the wrong length: 1188 bytes, and its header says 1189. Copy or export it again"
        ],
    );
    check(
        "a bit of a record",
        &expect!["table memory: is damaged: its checksum does not match. Copy or export it again"],
    );
    check(
        "the sum of the lengths",
        &expect![
            "table memory: is invalid: a length in the header does not match the rest, at byte 32. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "no text in the pool",
        &expect![
            "table memory: is invalid: a text is not UTF-8, at byte 1040. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "a name that is no string",
        &expect![
            "table memory: is invalid: a reference has no target, at byte 800. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "another tag",
        &expect![
            "table memory: is invalid: a slot does not refer to its key, at byte 192. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "a time that is none",
        &expect![
            "table memory: is invalid: a record has an invalid number, at byte 256. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "sizes out of order",
        &expect![
            "table memory: is invalid: the entries of a family are out of order, at byte 256. Export it again, and report the program that wrote it"
        ],
    );
    check(
        "metadata out of order",
        &expect![
            "table memory: is invalid: the metadata are out of order, at byte 808. Export it again, and report the program that wrote it"
        ],
    );
}

/// Checks that a change of any byte without a new checksum is noticed.
#[test]
fn no_byte_goes_unnoticed() {
    let file = small();
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 0x10;
        assert!(Table::read(changed).is_err(), "byte {at}");
    }
    for length in 0..file.len() {
        assert!(Table::read(&file[..length]).is_err(), "{length} bytes");
    }
}

/// Checks mutated files without a compiler for the other reader: no panic, and consistent
/// content.
#[test]
fn mutated_files_are_refused_or_read() {
    for seed in 0..6_000 {
        let file = mutation::mutated(&mut Random::new(seed + (1 << 48)));
        assert!(!transcript::transcript(&file).is_empty());
    }
}

#[test]
#[ignore = "full: 1,000,000 mutated tables"]
fn many_mutated_files_are_refused_or_read() {
    for seed in 0..1_000_000 {
        let file = mutation::mutated(&mut Random::new(seed + (2 << 48)));
        assert!(!transcript::transcript(&file).is_empty());
    }
}

/// Checks the bytes of docs/table.md. A change of them is a new version of the format.
#[test]
fn golden_bytes() {
    let hex = |(line, bytes): (usize, &[u8])| {
        let bytes = bytes.iter().map(|byte| format!(" {byte:02x}"));
        format!("{:04x}{}\n", 16 * line, bytes.collect::<String>())
    };
    let file = small();
    let text: String = file.chunks(16).enumerate().map(hex).collect();
    expect_file!["small.hex"].assert_eq(&text);
}

#[test]
fn errors_of_writing() {
    #[track_caller]
    fn check(change: impl Fn(&mut Vec<Sample>), expected: &Expect) {
        let table = Table::read(small()).unwrap();
        let keys: Vec<String> = table
            .entries()
            .map(|entry| entry.key().to_owned())
            .collect();
        let mut samples: Vec<Sample> = keys.iter().filter_map(|key| read(&table, key)).collect();
        change(&mut samples);
        let mut writer = TableWriter::new();
        let added = samples
            .iter()
            .try_for_each(|sample| writer.add(&sample.entry()));
        let error = added
            .and_then(|()| writer.to_bytes().map(drop))
            .unwrap_err();
        expected.assert_eq(&error.to_string());
    }
    check(
        |samples| samples[0].times.0 = f64::NAN,
        &expect![[
            r#"entry "absmax:16x[64]xf16:i64\0gfx942": time_us is NaN; a time must be finite and more than 0 µs"#
        ]],
    );
    check(
        |samples| samples[0].times.0 = 0.0,
        &expect![[
            r#"entry "absmax:16x[64]xf16:i64\0gfx942": time_us is 0; a time must be finite and more than 0 µs"#
        ]],
    );
    check(
        |samples| samples[0].times.1 = Some(-1.0),
        &expect![[
            r#"entry "absmax:16x[64]xf16:i64\0gfx942": default_time_us is -1; a time must be finite and more than 0 µs"#
        ]],
    );
    check(
        |samples| samples[0].times.2 = Some(f64::INFINITY),
        &expect![[
            r#"entry "absmax:16x[64]xf16:i64\0gfx942": bound_us is inf; a time must be finite and more than 0 µs"#
        ]],
    );
    check(
        |samples| samples[0].sizes = vec![1; 5],
        &expect![[
            r#"entry "absmax:16x[64]xf16:i64\0gfx942": it has 5 sizes; a table has room for 4"#
        ]],
    );
    check(
        |samples| samples[3].sizes.truncate(1),
        &expect![[
            r#"entry "argmax:4x[32000]xf32:i32\0gfx942": it has 1 sizes, and others of its family "argmax f32 gfx942" have 2"#
        ]],
    );
    check(
        |samples| samples[1].key = samples[2].key.clone(),
        &expect![[
            r#"the key "argmax:4x[4096]xf32:i32\0gfx942" was added twice; add the better entry alone"#
        ]],
    );
}

#[test]
fn a_metadatum_is_given_once() {
    let mut writer = TableWriter::new();
    writer.metadatum("target", "gfx942").unwrap();
    let error = writer.metadatum("target", "gfx950").unwrap_err();
    assert!(matches!(error, WriteError::Metadatum { name } if name == "target"));
}

/// Checks that the path has the old table or the new one, and that the folder has no other file.
#[test]
fn a_table_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wtab");
    writer(&[("made", "first")], &[]).write(&path).unwrap();
    let first = Table::open(&path).unwrap();
    writer(&[("made", "second")], &[]).write(&path).unwrap();
    assert_eq!(first.metadatum("made"), Some("first"));
    let second = Table::open(&path).unwrap();
    assert_eq!(second.metadatum("made"), Some("second"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("none/a.wtab");
    let error = TableWriter::new().write(&nowhere).unwrap_err().to_string();
    assert!(error.contains("check that its folder exists"), "{error}");
    assert!(!error.contains(".wtab-"), "{error}");
    let error = TableWriter::new()
        .write(folder.path())
        .unwrap_err()
        .to_string();
    assert!(error.contains("name a file in it"), "{error}");
}

/// Checks that only the header of a large file is read if it is no table. Reading a sparse file
/// of this size would take minutes.
#[test]
#[cfg(unix)]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wtab");
    let bytes = TableWriter::new().to_bytes().unwrap();
    let mut newer = bytes.clone();
    newer[8] += 1;
    for (first, expected) in [
        (&b"a model"[..], "foreign"),
        (&newer, "version"),
        (&bytes, "length"),
    ] {
        fs::write(&path, first).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = Table::open(&path).unwrap_err();
        assert_eq!(error.fault.name(), expected);
    }
}

/// Checks that a link keeps its target, and that a pipe stays a pipe.
#[test]
fn directories_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let table = || writer(&[("made", "now")], &[]);
    fs::create_dir(at("other")).unwrap();
    fs::write(at("other/old.wtab"), "old").unwrap();
    for (link, to) in [
        ("old", "other/old.wtab"),
        ("new", "other/new.wtab"),
        ("far", "new"),
    ] {
        std::os::unix::fs::symlink(to, at(link)).unwrap();
        table().write(at(link)).unwrap();
        assert_eq!(fs::read_link(at(link)).unwrap().to_str(), Some(to));
        let written = Table::open(at(link)).unwrap();
        assert_eq!(written.metadatum("made"), Some("now"), "{link}");
    }
    std::os::unix::fs::symlink("self", at("self")).unwrap();
    assert!(table().write(at("self")).is_err());
    assert!(table().write(at("other")).is_err());

    support::pipe(&at("pipe")).unwrap();
    let reader = std::thread::spawn({
        let pipe = at("pipe");
        move || fs::read(pipe).unwrap()
    });
    table().write(at("pipe")).unwrap();
    assert_eq!(reader.join().unwrap(), table().to_bytes().unwrap());
    use std::os::unix::fs::FileTypeExt as _;
    assert!(fs::metadata(at("pipe")).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
}

#[test]
fn errors_of_opening() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty.wtab"), "").unwrap();
    let said = |name: &str| {
        let error = Table::open(folder.path().join(name)).unwrap_err();
        error.fault.to_string()
    };
    assert!(said("nowhere.wtab").starts_with("cannot be read: "));
    assert!(said("empty.wtab").starts_with("is truncated: it has 0 bytes"));
    // Opening does not wait for a writer of the pipe.
    support::pipe(&folder.path().join("pipe")).unwrap();
    for name in ["pipe", ""] {
        let said = said(name);
        assert!(
            said.starts_with("cannot be read: it is a folder, a pipe"),
            "{said}"
        );
    }
}

/// Checks that threads can share a table.
#[test]
fn threads_share_a_table() {
    fn shared<T: Send + Sync>() {}
    shared::<Table>();
    shared::<lookup_table::EntryRef<'_>>();
    shared::<lookup_table::FamilyRef<'_>>();
}
