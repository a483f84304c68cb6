//! The time of a launch by the events of libwavetune_hip.so.

use codegen::Kernarg;

use crate::emulated::device::Timed;
use testing::hip::{Hip, LaunchKernel, Pointer};

/// Returns the microseconds between two events around the launch.
pub(crate) fn time_us(hip: &Hip, timed: &Timed) -> f64 {
    let kernel = &timed.kernel;
    let buffers: Vec<Pointer> = (timed.buffers.iter())
        .map(|held| {
            let buffer = hip.allocate(held.len());
            hip.copy(buffer.cast(), held.as_ptr(), held.len());
            buffer
        })
        .collect();
    let mut block: Vec<u8> = Vec::new();
    for argument in &kernel.arguments {
        let bits = match *argument {
            Kernarg::Buffer(number) => buffers[number] as u64,
            Kernarg::IndexBase(_) => timed.index_base as u64,
            Kernarg::Count(number) | Kernarg::Word(number) => number.into(),
        };
        block.resize(block.len().next_multiple_of(argument.bytes()), 0);
        block.extend_from_slice(&bits.to_le_bytes()[..argument.bytes()]);
    }
    let module = hip.load_module(kernel.code_object.as_ptr());
    let symbol = std::ffi::CString::new(kernel.symbol.as_str()).expect("no zero in it");
    let function = hip.function(module, &symbol).unwrap();
    let events = [0; 2].map(|_| hip.created("hipEventCreate"));
    let stream = hip.created("hipStreamCreate");
    let launch = hip.call::<LaunchKernel>("hipModuleLaunchKernel");
    let mut bytes = block.len();
    let list: [Pointer; 5] = [
        1 as Pointer,
        block.as_mut_ptr().cast(),
        2 as Pointer,
        (&raw mut bytes).cast(),
        3 as Pointer,
    ];
    let ([x, y, z], [a, b, c]) = (kernel.workgroups, kernel.workgroup_size);
    assert_eq!(hip.two("hipEventRecord", events[0], stream), 0);
    let none = std::ptr::null();
    assert_eq!(
        launch(function, x, y, z, a, b, c, 0, stream, none, list.as_ptr()),
        0
    );
    assert_eq!(hip.two("hipEventRecord", events[1], stream), 0);
    assert_eq!(hip.one("hipEventSynchronize", events[1]), 0);
    let mut milliseconds = 0.0f32;
    let elapsed =
        hip.call::<extern "C" fn(&mut f32, Pointer, Pointer) -> i32>("hipEventElapsedTime");
    assert_eq!(elapsed(&mut milliseconds, events[0], events[1]), 0);
    assert_eq!(hip.one("hipModuleUnload", module), 0);
    for buffer in buffers {
        assert_eq!(hip.one("hipFree", buffer), 0);
    }
    f64::from(milliseconds) * 1e3
}
