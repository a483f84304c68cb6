//! Random damage: to a file's bytes, and to the values of its fields.

use super::{
    KEYS, POOL, RECORDS, Random, Section, put, seal, seal_as_long, sections, u32_at, u64_at,
};

/// Returns a table with random damage. Most have a correct checksum, so that the reader reaches
/// the later checks.
pub fn mutated(random: &mut Random) -> Vec<u8> {
    let mut file = super::samples::random(random);
    let all = sections(&file);
    for _ in 0..=random.below(3) {
        mutate(&mut file, &all, random);
    }
    // One in 16 keeps the old checksum, and one in 16 the old length.
    match random.below(16) {
        0 => {}
        1 if file.len() >= 32 => seal_as_long(&mut file),
        _ if file.len() >= 40 => seal(&mut file),
        _ => {}
    }
    file
}

fn mutate(file: &mut Vec<u8>, all: &[Section], random: &mut Random) {
    // A truncated file has lost its sections.
    if file.len() < all[POOL].range.end {
        return;
    }
    let section = &all[random.below(all.len())];
    let row = (section.rows() > 0).then(|| section.at(random.below(section.rows())));
    match (random.below(13), row) {
        (0, _) => {
            let at = random.below(file.len());
            file[at] ^= 1 << random.below(8);
        }
        (1, _) => {
            let at = random.below(file.len());
            file[at] = random.next() as u8;
        }
        (2, _) => resize(file, random),
        (3, _) => {
            let count = random.of(&[40, 48, 56, 64, 72, 80, 88]);
            let value = near(u64_at(file, count), random);
            put(file, count, &value.to_le_bytes());
        }
        (4, Some(row)) => swap(file, section, row, random),
        (5, Some(row)) => {
            let other = section.at(random.below(section.rows()));
            file.copy_within(other..other + section.row, row);
        }
        (6 | 7, Some(row)) if section.row >= 4 => {
            let at = row + 4 * random.below(section.row / 4);
            let value = near(u64::from(u32_at(file, at)), random) as u32;
            put(file, at, &value.to_le_bytes());
        }
        (8, Some(row)) if section.row >= 8 => {
            let at = row + 8 * random.below(section.row / 8);
            let value = near(u64_at(file, at), random);
            put(file, at, &value.to_le_bytes());
        }
        (9, Some(row)) if section.row >= 8 => {
            file[row..row + section.row].fill(random.of(&[0, 255]))
        }
        (10 | 11, _) => text(file, all, random),
        (12, _) if all[RECORDS].rows() > 0 => {
            let record = all[RECORDS].at(random.below(all[RECORDS].rows()));
            let length = all[KEYS].range.start + u32_at(file, record) as usize;
            // An earlier mutation may have changed the key's place.
            if length + 4 <= file.len() {
                let value = near(u64::from(u32_at(file, length)), random) as u32;
                put(file, length, &value.to_le_bytes());
            }
        }
        _ => {}
    }
}

/// Returns a value near a bound.
fn near(value: u64, random: &mut Random) -> u64 {
    const VALUES: [u64; 9] = [
        0,
        1,
        0x7fff_ffff,
        0xffff_ffff,
        u64::MAX,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0x8000_0000_0000_0000,
        1 << 28,
    ];
    match random.below(5) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        2 => random.next() % 12,
        3 => random.of(&VALUES),
        _ => value ^ 1 << random.below(64),
    }
}

/// Truncates the file, or appends zeros.
fn resize(file: &mut Vec<u8>, random: &mut Random) {
    match random.below(3) {
        0 => file.truncate(random.below(file.len())),
        1 => file.truncate(file.len() - 1 - random.below(16)),
        _ => file.extend([0; 16].iter().take(1 + random.below(16))),
    }
}

fn swap(file: &mut [u8], section: &Section, row: usize, random: &mut Random) {
    let other = section.at(random.below(section.rows()));
    // The whole row, or a field of it.
    let (begin, length) = match section.row >= 8 && random.below(2) == 0 {
        true => (4 * random.below(section.row / 4), 4),
        false => (0, section.row),
    };
    for byte in begin..begin + length {
        file.swap(row + byte, other + byte);
    }
}

/// Puts bytes into a text that begin, continue or break UTF-8 sequences.
fn text(file: &mut [u8], all: &[Section], random: &mut Random) {
    const BYTES: [u8; 14] = [
        0x00, 0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc3, 0xe0, 0xed, 0xf0, 0xf4,
    ];
    let section = &all[random.of(&[KEYS, POOL])];
    for _ in 0..=random.below(3) {
        if section.rows() > 0 {
            let at = section.at(random.below(section.rows()));
            file[at] = random.of(&BYTES);
        }
    }
}
