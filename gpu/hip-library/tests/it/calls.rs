//! The library as a harness uses it: loaded by its path, with a module from memory and times by
//! events.

use std::ffi::{CStr, c_char};

use emulator::model::{CacheState, estimate};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch, profile};
use testing::hip::{Hip, LaunchKernel, Pointer};

const FIXTURE: &[u8] = include_bytes!("../../../emulator/fixtures/argmax_f32x4.hsaco");
const ROWS: u32 = 24;
const COLUMNS: u32 = 8192;

fn elements() -> Vec<u8> {
    let element = |number: u32| (number.wrapping_mul(2_654_435_761) >> 8) as f32;
    (0..ROWS * COLUMNS)
        .flat_map(|number| element(number).to_le_bytes())
        .collect()
}

/// Returns the times of the launch by the emulator itself with cold and with warm caches, in
/// milliseconds, and the indices that it stores.
fn directly(elements: &[u8]) -> ([f32; 2], Vec<u8>) {
    let code = CodeObject::load(FIXTURE).unwrap();
    let mut memory = EmulatedMemory::new();
    let bytes = [
        elements.len() as u64,
        4 * u64::from(ROWS),
        4 * u64::from(ROWS),
    ];
    let buffers = bytes.map(|bytes| memory.allocate(bytes).unwrap());
    memory.write(buffers[0], 0, elements);
    let mut kernarg: Vec<u8> = buffers
        .iter()
        .flat_map(|it| it.get().to_le_bytes())
        .collect();
    kernarg.extend((COLUMNS / 4).to_le_bytes());
    let launch = KernelLaunch {
        kernel: code.kernel("argmax_f32x4").unwrap(),
        workgroups: [ROWS, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1 << 32,
        resident_workgroups: 0,
        threads: 1,
    };
    let sample = bench_harness::PROFILED_WORKGROUPS;
    let profile = profile(&code, &mut memory, &launch, sample).unwrap();
    emulator::run(&code, &mut memory, &launch).unwrap();
    let machine = bench_harness::machine(configgen::Device::named("mi300x").unwrap());
    let times = [CacheState::Cold, CacheState::Warm].map(|caches| {
        let time_us = estimate(&profile, &machine, caches).time_us;
        (time_us * 1e-3) as f32
    });
    (times, memory.bytes(buffers[2]).to_vec())
}

#[test]
fn results_and_times_are_those_of_the_emulator() {
    let hip = Hip::load();
    assert_eq!(hip.one("hipInit", 0u32), 0);
    let elements = elements();
    let rows = hip.allocate(elements.len());
    let (values, indices) = (
        hip.allocate(4 * ROWS as usize),
        hip.allocate(4 * ROWS as usize),
    );
    hip.copy(rows.cast(), elements.as_ptr(), elements.len());
    let module = hip.load_module(FIXTURE.as_ptr());
    assert_eq!(hip.function(module, c"no_such_kernel"), Err(500));
    let function = hip.function(module, c"argmax_f32x4").unwrap();
    let events = [0; 4].map(|_| hip.created("hipEventCreate"));
    let stream = hip.created("hipStreamCreate");
    let launch = hip.call::<LaunchKernel>("hipModuleLaunchKernel");

    // Once with an address for each argument, once with all of them in one block.
    let mut columns = COLUMNS / 4;
    let mut arguments = [rows, values, indices];
    let [a, b, c] = &mut arguments;
    let addresses: [Pointer; 4] = [
        (a as *mut Pointer).cast(),
        (b as *mut Pointer).cast(),
        (c as *mut Pointer).cast(),
        (&raw mut columns).cast(),
    ];
    let null = std::ptr::null();
    let run = |addresses, list| launch(function, ROWS, 1, 1, 64, 1, 1, 0, stream, addresses, list);
    hip.two("hipEventRecord", events[0], stream);
    assert_eq!(run(addresses.as_ptr(), null), 0);
    hip.two("hipEventRecord", events[1], stream);
    let mut first = vec![0u8; 4 * ROWS as usize];
    hip.copy(first.as_mut_ptr(), indices.cast(), first.len());
    let mut block: Vec<u8> = arguments
        .iter()
        .flat_map(|it| (*it as u64).to_le_bytes())
        .collect();
    block.extend(columns.to_le_bytes());
    let mut bytes = block.len();
    let list: [Pointer; 5] = [
        1 as Pointer,
        block.as_mut_ptr().cast(),
        2 as Pointer,
        (&raw mut bytes).cast(),
        3 as Pointer,
    ];
    hip.two("hipEventRecord", events[2], stream);
    assert_eq!(run(null, list.as_ptr()), 0);
    hip.two("hipEventRecord", events[3], stream);
    assert_eq!(hip.one("hipEventSynchronize", events[3]), 0);

    // The first launch leaves its lines for the second one.
    let (times, expected) = directly(&elements);
    assert!(times[1] < times[0], "{times:?}");
    assert_eq!(first, expected);
    let elapsed =
        hip.call::<extern "C" fn(&mut f32, Pointer, Pointer) -> i32>("hipEventElapsedTime");
    for (pair, time) in events.chunks(2).zip(times) {
        let mut milliseconds = 0.0;
        assert_eq!(elapsed(&mut milliseconds, pair[0], pair[1]), 0);
        assert!(
            (milliseconds / time - 1.0).abs() < 1e-5,
            "{milliseconds} for {time}"
        );
    }
    // Both at once, or neither.
    assert_eq!(run(addresses.as_ptr(), list.as_ptr()), 1);
    assert_eq!(run(null, null), 1);
    assert_eq!(hip.one("hipModuleUnload", module), 0);
    assert_eq!(run(addresses.as_ptr(), null), 400);
}

fn text(bytes: &[u8], at: usize) -> &str {
    CStr::from_bytes_until_nul(&bytes[at..])
        .unwrap()
        .to_str()
        .unwrap()
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn int(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Checks offsets: `offsetof` of ROCm's headers, compiled.
#[test]
fn properties_are_the_same_in_both_layouts_and_as_attributes() {
    let hip = Hip::load();
    // A caller's structure is as large as it is and no larger.
    let (mut new, mut old) = ([0xaau8; 1472 + 8], [0xaau8; 792 + 8]);
    assert_eq!(
        hip.two("hipGetDevicePropertiesR0600", new.as_mut_ptr(), 0),
        0
    );
    assert_eq!(hip.two("hipGetDeviceProperties", old.as_mut_ptr(), 0), 0);
    assert_eq!([&new[1472..], &old[792..]], [[0xaa; 8]; 2]);
    for (name, arch) in [
        (text(&new, 0), text(&new, 1160)),
        (text(&old, 0), text(&old, 396)),
    ] {
        assert_eq!(
            (name, arch),
            ("EMULATED AMD Instinct MI300X", "gfx942:sramecc+:xnack-")
        );
    }
    assert_eq!(
        (number(&new, 288), number(&old, 256)),
        (192 << 30, 192 << 30)
    );
    let attribute = |attribute: i32| {
        let mut value = 0;
        let call = hip.call::<extern "C" fn(&mut i32, i32, i32) -> i32>("hipDeviceGetAttribute");
        assert_eq!(call(&mut value, attribute, 0), 0);
        value
    };
    // Warp size, processors, threads of a processor, clock, L2: an MI300X.
    let known = [
        (87, 308, 276, 64),
        (63, 388, 336, 304),
        (57, 624, 344, 2048),
        (5, 348, 308, 2_100_000),
        (19, 616, 340, 4 << 20),
        (56, 320, 280, 1024),
        (23, 360, 328, 9),
        (61, 364, 332, 4),
    ];
    for (name, in_new, in_old, expected) in known {
        let found = [attribute(name), int(&new, in_new), int(&old, in_old)];
        assert_eq!(found, [expected; 3], "attribute {name}");
    }
    assert_eq!(attribute(74), 65_536);
    let none = hip.two("hipGetDevicePropertiesR0600", std::ptr::null_mut::<u8>(), 0);
    assert_eq!(
        (none, hip.two("hipGetDeviceProperties", old.as_mut_ptr(), 1)),
        (1, 101)
    );
}

#[test]
fn errors_have_names() {
    let hip = Hip::load();
    let name = hip.call::<extern "C" fn(i32) -> *const c_char>("hipGetErrorName");
    let check = |number: i32, expected: &str| {
        // SAFETY: the library's names are constants.
        let found = unsafe { CStr::from_ptr(name(number)) };
        assert_eq!(found.to_str(), Ok(expected));
    };
    check(0, "hipSuccess");
    check(719, "hipErrorLaunchFailure");
    check(304, "hipErrorOperatingSystem");
    check(12_345, "hipErrorUnknown");
}
