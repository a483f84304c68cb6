//! Damaged files and random programs: an error or a result, never a panic.

use crate::support::try_out;

use emulator::{CodeObject, Instruction, Isa, code_objects, run};

const FIXTURE: &[u8] = include_bytes!("../../fixtures/argmax_f32x4.hsaco");

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Runs the kernels of a damaged file briefly; the fuzzer also uses the checker.
fn try_out(file: &[u8]) {
    try_out::try_out(file, |code, memory, launch| {
        // A fault is irrelevant here, but it must have a text.
        if let Err(fault) = run(code, memory, launch) {
            assert!(!fault.to_string().is_empty());
        }
    });
}

#[test]
fn damaged_headers_and_notes() {
    let mut random = Random(5);
    for _ in 0..3_000 {
        let mut file = FIXTURE.to_vec();
        for _ in 0..1 + random.next() % 4 {
            let place = random.next() as usize % file.len();
            file[place] = random.next() as u8;
        }
        try_out(&file);
    }
    for length in (0..FIXTURE.len()).step_by(37) {
        try_out(&FIXTURE[..length]);
    }
}

#[test]
fn fields_with_the_largest_value() {
    for place in (0..FIXTURE.len() - 8).step_by(4) {
        for bytes in [4, 8] {
            let mut file = FIXTURE.to_vec();
            file[place..place + bytes].fill(0xff);
            try_out(&file);
        }
    }
}

/// Returns the fixture as a file of another instruction set (`EF_AMDGPU_MACH`, the low byte of
/// `e_flags`).
fn fixture_for(machine: u8) -> Vec<u8> {
    let mut file = FIXTURE.to_vec();
    file[48] = machine;
    file
}

/// The machine numbers of the instruction sets, and the leading bits of their own formats.
const MACHINES: [(u8, &[u32]); 8] = [
    (0x2f, &GFX9),
    (0x3f, &GFX9),
    (0x4c, &GFX9),
    (0x4f, &GFX9),
    (0x36, &GFX10),
    (0x41, &GFX11),
    (0x4a, &GFX11),
    (0x4e, &GFX12),
];
const GFX9: [u32; 9] = [
    0xd000_0000,
    0xd100_0000,
    0xd380_0000,
    0xd800_0000,
    0xdc00_0000,
    0xdc00_4000,
    0xdc00_8000,
    0xe000_0000,
    0xc002_0000,
];
const GFX10: [u32; 8] = [
    0xd400_0000,
    0xd500_0000,
    0xcc00_0000,
    0xd800_0000,
    0xdc00_4000,
    0xdc00_8000,
    0xe000_0000,
    0xf400_0000,
];
const GFX11: [u32; 9] = [
    0xd400_0000,
    0xd500_0000,
    0xcc00_0000,
    0xc800_0000,
    0xd800_0000,
    0xdc01_0000,
    0xdc02_0000,
    0xe000_0000,
    0xf400_0000,
];
const GFX12: [u32; 9] = [
    0xd400_0000,
    0xd500_0000,
    0xcc00_0000,
    0xc800_0000,
    0xd800_0000,
    0xed00_0000,
    0xee00_0000,
    0xc400_0000,
    0xf400_0000,
];
/// The leading bits of the formats that all sets have.
const COMMON: [u32; 7] = [
    0x0000_0000,
    0x7e00_0000,
    0x7c00_0000,
    0x8000_0000,
    0xbe80_0000,
    0xbf00_0000,
    0xb000_0000,
];

/// Runs programs of random instructions, mostly with valid encodings, in place of the kernel's
/// code.
#[track_caller]
fn random_programs(count: u32) {
    let code = CodeObject::load(FIXTURE).unwrap();
    let kernel = &code.kernels()[0];
    let first = code.instructions(kernel).next().unwrap();
    assert_eq!(first.to_string(), "s_load_dword s18, s[0:1], 0x18");
    let bytes: Vec<u8> = [0xc002_0480u32, 0x18]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let start = FIXTURE
        .windows(8)
        .position(|window| window == bytes)
        .unwrap();
    let size: u64 = code.instructions(kernel).map(|one| one.bytes()).sum();
    let mut random = Random(11);
    for number in 0..count {
        let (machine, own) = MACHINES[number as usize % MACHINES.len()];
        let heads: Vec<u32> = COMMON.iter().chain(own).copied().collect();
        let mut file = fixture_for(machine);
        for word in file[start..start + size as usize].chunks_exact_mut(4) {
            let bits = random.next();
            let head = heads[(bits >> 32) as usize % heads.len()];
            let value = if bits >> 63 == 0 {
                head | (bits as u32 & 0x03ff_ffff)
            } else {
                bits as u32
            };
            word.copy_from_slice(&value.to_le_bytes());
        }
        try_out(&file);
    }
}

#[test]
fn random_instructions() {
    random_programs(4_000);
}

#[test]
#[ignore = "full: a minute of random programs"]
fn full_random_instructions() {
    random_programs(300_000);
}

/// Decodes random words and prints them.
fn random_words(count: u32) {
    let mut random = Random(17);
    for number in 0..count {
        let (low, high) = (random.next(), random.next());
        let isa = Isa::ALL[number as usize % Isa::ALL.len()];
        let words = [low as u32, (low >> 32) as u32, high as u32];
        let one = Instruction::decode(isa, u64::from(number), words);
        let (text, refusal) = (one.to_string(), one.refusal());
        assert!(
            !text.is_empty() && (4..=20).contains(&one.bytes()),
            "{words:x?}"
        );
        assert!(
            refusal.is_none_or(|reason| !reason.is_empty()),
            "{words:x?}"
        );
    }
}

#[test]
fn words_decode_to_something() {
    random_words(200_000);
}

#[test]
#[ignore = "full: ten million words"]
fn full_words_decode_to_something() {
    random_words(10_000_000);
}

#[test]
fn bundles_that_hold_damaged_files() {
    let mut random = Random(23);
    for _ in 0..2_000 {
        let mut file = FIXTURE.to_vec();
        // Machine, section headers and their strings: possibly a host program.
        for _ in 0..3 {
            let place = random.next() as usize % 64;
            file[place] = random.next() as u8;
        }
        if let Ok(all) = code_objects(&file) {
            for one in all {
                try_out(one.code_object());
            }
        }
    }
}
