//! Damage of each kind, one at a time.

#![expect(
    clippy::ptr_arg,
    reason = "all of it stands in one table, and some changes the length"
)]

use super::{
    FAMILIES, KEYS, METADATA, POOL, RECORDS, SIZES, SLOTS, STRINGS, put, seal, seal_as_long,
    sections, u32_at, u64_at,
};

/// A description of the damage, the change of [`small`](super::samples::small), and the verdict
/// on it.
pub type Damage = (&'static str, fn(&mut Vec<u8>), &'static str);

/// All kinds of damage. The table has five entries in two families: `absmax` is record 0, then
/// `argmax` by sizes and keys; eight homes, nine slots.
#[rustfmt::skip] // a row for each
pub const DAMAGE: &[Damage] = &[
    ("nothing", |_| {}, "ok"),
    ("empty", Vec::clear, "short"),
    ("half a header", |file| file.truncate(127), "short"),
    ("another magic", |file| file[0] = 0x88, "foreign"),
    ("changed as a text", |file| file[5..7].fill(b'\n'), "foreign"),
    ("of a newer format", |file| file[8] = 2, "version"),
    ("of no format", |file| file[8] = 0, "version"),
    ("cut off", |file| file.truncate(file.len() - 1), "length"),
    ("followed by something", |file| file.push(0), "length"),
    ("a bit of the checksum", |file| file[16] ^= 1, "checksum"),
    ("the last bit of the checksum", |file| file[31] ^= 0x80, "checksum"),
    ("a bit of the header", |file| file[127] ^= 1, "checksum"),
    ("a bit of a record", |file| file[128] ^= 1, "checksum"),
    ("the last bit", |file| *file.last_mut().unwrap() ^= 1, "checksum"),
    ("another length of the header", |file| sealed(file, 12, &[127]), "header"),
    ("too many entries", |file| sealed(file, 40 + 7, &[1]), "header"),
    ("too many slots", |file| sealed(file, 48, &[255]), "header"),
    ("more families than entries", |file| sealed(file, 56, &[6]), "header"),
    ("too many metadata", |file| sealed(file, 64 + 3, &[1]), "header"),
    ("too many strings", |file| sealed(file, 72 + 4, &[1]), "header"),
    ("too many bytes of keys", |file| sealed(file, 80 + 4, &[1]), "header"),
    ("too large a pool", |file| sealed(file, 88 + 4, &[1]), "header"),
    ("the sum of the lengths", |file| sealed(file, 88, &[1]), "header"),
    ("something reserved", |file| sealed(file, 127, &[1]), "header"),
    ("a slot less than there must be", one_slot_less, "header"),
    ("a slot more than there must be", one_slot_more, "header"),
    ("a byte of no key", a_byte_behind_the_keys, "header"),
    ("no text in the pool", |file| in_section(file, POOL, 0, 0, &[0xff]), "text"),
    ("half a character at the end of the pool", half_a_character, "text"),
    ("a surrogate in a key", |file| in_section(file, KEYS, 4, 0, &[0xed, 0xa0, 0x80]), "text"),
    ("too long a form in a key", |file| in_section(file, KEYS, 4, 0, &[0xc0, 0x80]), "text"),
    ("strings that begin late", |file| in_section(file, STRINGS, 0, 0, &[1]), "reference"),
    ("strings that end early", strings_end_early, "reference"),
    ("a string that ends before it begins", |file| in_section(file, STRINGS, 2, 0, &[1]), "reference"),
    ("a string behind the pool", |file| in_section(file, STRINGS, 2, 2, &[1]), "reference"),
    ("a string that cuts a character", a_cut, "reference"),
    ("a name that is no string", |file| in_section(file, METADATA, 0, 0, &[200]), "reference"),
    ("a value that is no string", |file| in_section(file, METADATA, 1, 4, &[200]), "reference"),
    ("a family that is no string", |file| in_section(file, FAMILIES, 0, 0, &[200]), "reference"),
    ("one string too far", |file| one_too_far(file, 8), "reference"),
    ("attributes one string too far", |file| one_too_far(file, 12), "reference"),
    ("a generator one string too far", |file| one_too_far(file, 16), "reference"),
    ("a provenance one string too far", |file| one_too_far(file, 20), "reference"),
    ("a key that is elsewhere", |file| add(file, RECORDS, 1, 0, 1), "reference"),
    ("a key behind the keys", |file| in_section(file, KEYS, 0, 2, &[1]), "reference"),
    ("a last key that is a byte too long", |file| last_key(file, 1), "reference"),
    ("a last key that is a byte too short", |file| last_key(file, -1), "header"),
    ("no status", |file| in_section(file, RECORDS, 2, 28, &[2]), "record"),
    ("present, what is nothing", |file| in_section(file, RECORDS, 2, 29, &[5]), "record"),
    ("something reserved in a record", |file| in_section(file, RECORDS, 2, 31, &[1]), "record"),
    ("a time that is none", |file| time(file, 40, f64::NAN), "record"),
    ("a time of nothing", |file| time(file, 40, 0.0), "record"),
    ("a time without end", |file| time(file, 40, f64::INFINITY), "record"),
    ("a default before its begin", |file| time(file, 48, -1.0), "record"),
    ("a bound that is not there", |file| time(file, 56, 1.0), "record"),
    ("a bound of nothing", |file| in_section(file, RECORDS, 2, 29, &[3]), "record"),
    ("families out of order", |file| swap(file, FAMILIES, 0, 1), "family"),
    ("families of one text", |file| copy_field(file, FAMILIES, 0, 1, 0), "family"),
    ("a family that begins late", |file| in_section(file, FAMILIES, 0, 4, &[1]), "family"),
    ("a family of nobody", |file| in_section(file, FAMILIES, 0, 8, &[0]), "family"),
    ("a family of too many", |file| in_section(file, FAMILIES, 1, 8, &[5]), "family"),
    ("a family of too few", |file| in_section(file, FAMILIES, 1, 8, &[3]), "family"),
    ("a family of five sizes", |file| in_section(file, FAMILIES, 1, 12, &[5]), "family"),
    ("a family of fewer sizes", |file| in_section(file, FAMILIES, 1, 12, &[1]), "family"),
    ("an entry of another family", |file| in_section(file, RECORDS, 1, 4, &[0]), "family"),
    ("sizes out of order", |file| swap(file, SIZES, 1, 2), "family"),
    ("the last sizes out of order", |file| in_section(file, SIZES, 4, 8, &[0, 0]), "family"),
    ("a size that the family has not", |file| in_section(file, SIZES, 4, 16, &[1]), "family"),
    ("equal sizes, keys out of order", keys_out_of_order, "family"),
    ("metadata out of order", |file| swap(file, METADATA, 0, 1), "metadata"),
    ("a metadatum twice", |file| copy_field(file, METADATA, 0, 1, 0), "metadata"),
    ("tags out of order", swap_slots, "slot"),
    ("another tag", another_tag, "slot"),
    ("a slot of another entry", swap_entries_of_slots, "slot"),
    ("a slot of no entry", a_slot_of_no_entry, "slot"),
    ("an entry without a slot", without_a_slot, "slot"),
    ("a slot that is not at home", away_from_home, "slot"),
    ("a key of another slot", |file| in_section(file, KEYS, 4, 0, b"b"), "slot"),
];

fn sealed(file: &mut [u8], at: usize, bytes: &[u8]) {
    put(file, at, bytes);
    seal_as_long(file);
}

fn in_section(file: &mut [u8], section: usize, row: usize, at: usize, bytes: &[u8]) {
    let place = sections(file)[section].at(row) + at;
    sealed(file, place, bytes);
}

/// Adds to a field of 32 bits.
fn add(file: &mut [u8], section: usize, row: usize, at: usize, by: i32) {
    let place = sections(file)[section].at(row) + at;
    let value = u32_at(file, place).wrapping_add_signed(by);
    sealed(file, place, &value.to_le_bytes());
}

/// Changes the length of the last key, but not its bytes.
fn last_key(file: &mut [u8], by: i32) {
    let all = sections(file);
    let record = all[RECORDS].at(all[RECORDS].rows() - 1);
    let place = all[KEYS].range.start + u32_at(file, record) as usize;
    let length = u32_at(file, place).wrapping_add_signed(by);
    sealed(file, place, &length.to_le_bytes());
}

fn strings_end_early(file: &mut Vec<u8>) {
    let last = sections(file)[STRINGS].rows() - 1;
    add(file, STRINGS, last, 0, -1);
}

/// Returns the occupied slots.
fn taken(file: &[u8]) -> Vec<usize> {
    let slots = &sections(file)[SLOTS];
    let is_taken = |&row: &usize| u32_at(file, slots.at(row) + 12) != u32::MAX;
    (0..slots.rows()).filter(is_taken).collect()
}

fn swap(file: &mut [u8], section: usize, one: usize, other: usize) {
    let section = &sections(file)[section];
    for byte in 0..section.row {
        file.swap(section.at(one) + byte, section.at(other) + byte);
    }
    seal_as_long(file);
}

fn copy_field(file: &mut [u8], section: usize, from: usize, to: usize, at: usize) {
    let section = &sections(file)[section];
    let field = u32_at(file, section.at(from) + at).to_le_bytes();
    sealed(file, section.at(to) + at, &field);
}

fn one_too_far(file: &mut [u8], field: usize) {
    let strings = u64_at(file, 72) as u32;
    in_section(file, RECORDS, 2, field, &strings.to_le_bytes());
}

fn time(file: &mut [u8], field: usize, value: f64) {
    in_section(file, RECORDS, 2, field, &value.to_le_bytes());
}

/// Appends bytes to a section or removes some, and updates the header.
fn resize(file: &mut Vec<u8>, section: usize, count: usize, by: isize, fill: &[u8]) {
    let end = sections(file)[section].range.end;
    match by > 0 {
        true => drop(file.splice(end..end, fill.iter().copied())),
        false => drop(file.drain(end - fill.len()..end)),
    }
    let value = u64_at(file, count).wrapping_add_signed(by as i64);
    put(file, count, &value.to_le_bytes());
    seal(file);
}

fn one_slot_less(file: &mut Vec<u8>) {
    resize(file, SLOTS, 48, -1, &[0xff; 16]);
}

fn one_slot_more(file: &mut Vec<u8>) {
    resize(file, SLOTS, 48, 1, &[0xff; 16]);
}

fn a_byte_behind_the_keys(file: &mut Vec<u8>) {
    resize(file, KEYS, 80, 1, &[0]);
}

fn half_a_character(file: &mut Vec<u8>) {
    let end = file.len();
    sealed(file, end - 1, &[0xc3]);
}

fn a_cut(file: &mut Vec<u8>) {
    let all = sections(file);
    let pool = &file[all[POOL].range.clone()];
    let inside = pool.iter().position(|byte| byte & 0xc0 == 0x80).unwrap() as u32;
    let ends = |&row: &usize| u32_at(file, all[STRINGS].at(row)) > inside;
    let row = (0..all[STRINGS].rows()).find(ends).unwrap();
    in_section(file, STRINGS, row, 0, &inside.to_le_bytes());
}

/// Swaps the last two keys. They have equal lengths, and their entries equal sizes, so that only
/// the order is wrong.
fn keys_out_of_order(file: &mut Vec<u8>) {
    let all = sections(file);
    let key =
        |record: usize| all[KEYS].range.start + u32_at(file, all[RECORDS].at(record)) as usize + 4;
    let (one, other) = (key(3), key(4));
    for byte in 0..other - one - 4 {
        file.swap(one + byte, other + byte);
    }
    seal_as_long(file);
}

fn another_tag(file: &mut Vec<u8>) {
    let slot = taken(file)[0];
    add(file, SLOTS, slot, 8, 1);
}

fn a_slot_of_no_entry(file: &mut Vec<u8>) {
    let slot = taken(file)[0];
    add(file, SLOTS, slot, 12, 5);
}

fn without_a_slot(file: &mut Vec<u8>) {
    let slot = taken(file)[0];
    in_section(file, SLOTS, slot, 0, &[0xff; 16]);
}

fn swap_slots(file: &mut Vec<u8>) {
    let taken = taken(file);
    swap(file, SLOTS, taken[0], taken[1]);
}

fn swap_entries_of_slots(file: &mut Vec<u8>) {
    let (taken, slots) = (taken(file), sections(file)[SLOTS].clone());
    for byte in 12..16 {
        file.swap(slots.at(taken[0]) + byte, slots.at(taken[1]) + byte);
    }
    seal_as_long(file);
}

/// Moves the last occupied slot to the next one, which is empty.
fn away_from_home(file: &mut Vec<u8>) {
    let last = *taken(file).last().unwrap();
    swap(file, SLOTS, last, last + 1);
}
