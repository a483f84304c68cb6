// Definitions for one source that is kernels on a device, and a program on the host (with HOST).
//
// A kernel is written once, with the names below for what differs. On the device they are clang's builtins; on the
// host an item is a fiber that runs to its next barrier or wave operation (host.h).
#pragma once

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;

#ifdef HOST
#include "host.h"
#else
#include "device.h"
#endif

// The bits of a number; those of a NaN are everywhere the same, since their payload is not.
static u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
static u64 bits(f64 x) { return x != x ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, x); }
static u16 bits(f16 x) { return x != x ? (u16)0x7e00 : __builtin_bit_cast(u16, x); }

// The smaller and the larger of two numbers: which zero they return is nobody's promise.
static f32 least(f32 x, f32 y) { return __builtin_fminf(x, y) + 0.0f; }
static f32 most(f32 x, f32 y) { return __builtin_fmaxf(x, y) + 0.0f; }
static f64 least(f64 x, f64 y) { return __builtin_fmin(x, y) + 0.0; }
static f64 most(f64 x, f64 y) { return __builtin_fmax(x, y) + 0.0; }

// The number of the item in its workgroup, and that of the workgroup.
static u32 item() { return item_x() + size_x() * (item_y() + size_y() * item_z()); }
static u32 group() { return group_x() + groups_x() * (group_y() + groups_y() * group_z()); }

template <class T> static T add(T *place, T value) {
  return __scoped_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
template <class T> static T add_shared(T *place, T value) {
  return __scoped_atomic_fetch_add(place, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}
template <class T> static bool swap_if(T *place, T *expected, T wanted) {
  return __scoped_atomic_compare_exchange_n(place, expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                            __MEMORY_SCOPE_DEVICE);
}
