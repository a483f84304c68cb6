//! Each instruction set's syntax for the code around the instruction under test.

use emulator::Isa;

/// An instruction set with a wave size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) isa: Isa,
    pub(crate) wave32: bool,
}

impl Dialect {
    /// Returns all of them.
    pub(crate) fn all() -> Vec<Dialect> {
        let both = |isa: Isa| {
            let wave64 = Dialect { isa, wave32: false };
            let wave32 = Dialect { isa, wave32: true };
            let sizes = if isa < Isa::Gfx1030 {
                vec![wave64]
            } else {
                vec![wave32, wave64]
            };
            sizes.into_iter()
        };
        Isa::ALL.into_iter().flat_map(both).collect()
    }

    pub(crate) fn name(self) -> String {
        format!("{}_wave{}", self.isa, if self.wave32 { 32 } else { 64 })
    }

    /// Returns the features for llvm-mc's `-mattr`.
    pub(crate) fn features(self) -> &'static str {
        match (self.isa, self.wave32) {
            (isa, _) if isa < Isa::Gfx1030 => "",
            // LLVM's default for gfx12 has no high halves.
            (Isa::Gfx1201, true) => "+wavefrontsize32,+real-true16",
            (Isa::Gfx1201, false) => "+wavefrontsize64,+real-true16",
            (_, true) => "+wavefrontsize32",
            (_, false) => "+wavefrontsize64",
        }
    }

    /// Returns true if llvm-mc reads the name as another instruction: an unsigned dot product, or
    /// a minimum or maximum of IEEE 754-2019.
    pub(crate) fn renames(self, name: &str) -> bool {
        const DOTS: [&str; 2] = ["v_dot4_i32_i8", "v_dot8_i32_i4"];
        let kind = |begin: &str| {
            let rest = name.strip_prefix(begin);
            rest.is_some_and(|rest| !rest.contains("_num") && rest.contains("_f"))
        };
        let extremes = [
            "v_min", "v_max", "v_med", "v_pk_min", "v_pk_max", "s_min", "s_max", "ds_min", "ds_max",
        ];
        match self.isa {
            Isa::Gfx1201 => {
                DOTS.contains(&name) || extremes.into_iter().any(kind) && !name.contains("imum")
            }
            _ => self.isa >= Isa::Gfx1100 && DOTS.contains(&name),
        }
    }

    fn new_names(self) -> bool {
        self.isa >= Isa::Gfx1100
    }

    /// Returns the lane mask register of the instruction's width.
    pub(crate) fn vcc(self) -> &'static str {
        if self.wave32 { "vcc_lo" } else { "vcc" }
    }

    pub(crate) fn exec(self) -> &'static str {
        if self.wave32 { "exec_lo" } else { "exec" }
    }

    /// Returns the width of scalar instructions on lane masks.
    pub(crate) fn mask_bits(self) -> &'static str {
        if self.wave32 { "b32" } else { "b64" }
    }

    /// Returns `count` scalar registers from `first` on.
    pub(crate) fn scalars(first: u32, count: u32) -> String {
        if count == 1 {
            format!("s{first}")
        } else {
            format!("s[{first}:{}]", first + count - 1)
        }
    }

    /// Returns a lane mask from scalar register `first` on.
    pub(crate) fn mask(self, first: u32) -> String {
        Dialect::scalars(first, if self.wave32 { 1 } else { 2 })
    }

    /// Loads two dwords of global memory.
    pub(crate) fn load_two(self, to: u32, address: u32, base: u32, offset: u32) -> String {
        let name = if self.new_names() {
            "global_load_b64"
        } else {
            "global_load_dwordx2"
        };
        format!(
            "{name} v[{to}:{}], v{address}, s[{base}:{}] offset:{offset}\n",
            to + 1,
            base + 1
        )
    }

    /// Stores `dwords` dwords (1 or 2) to global memory.
    pub(crate) fn store(
        self,
        dwords: u32,
        from: u32,
        address: u32,
        base: u32,
        offset: u32,
    ) -> String {
        let name = match (self.new_names(), dwords) {
            (true, 1) => "global_store_b32",
            (true, _) => "global_store_b64",
            (false, 1) => "global_store_dword",
            (false, _) => "global_store_dwordx2",
        };
        let data = if dwords == 1 {
            format!("v{from}")
        } else {
            format!("v[{from}:{}]", from + 1)
        };
        format!(
            "{name} v{address}, {data}, s[{base}:{}] offset:{offset}\n",
            base + 1
        )
    }

    /// Loads `dwords` dwords through the scalar cache.
    pub(crate) fn scalar_load(self, dwords: u32, to: u32, base: u32, offset: u32) -> String {
        let name = match (self.new_names(), dwords) {
            (true, 2) => "s_load_b64",
            (true, _) => "s_load_b128",
            (false, 2) => "s_load_dwordx2",
            (false, _) => "s_load_dwordx4",
        };
        format!(
            "{name} {}, s[{base}:{}], {offset:#x}\n",
            Dialect::scalars(to, dwords),
            base + 1
        )
    }

    /// Returns a wait for everything.
    pub(crate) fn wait(self) -> &'static str {
        if self.isa == Isa::Gfx1201 {
            "s_wait_loadcnt 0\ns_wait_kmcnt 0\ns_wait_dscnt 0\ns_wait_storecnt 0\n"
        } else {
            "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
        }
    }

    /// Adds a 32-bit value to scalar registers `to` and the next.
    pub(crate) fn advance(self, to: u32, by: &str) -> String {
        let [add, carry] = if self.isa == Isa::Gfx1201 {
            ["s_add_co_u32", "s_add_co_ci_u32"]
        } else {
            ["s_add_u32", "s_addc_u32"]
        };
        format!("{add} s{to}, s{to}, {by}\n{carry} s{0}, s{0}, 0\n", to + 1)
    }

    /// Returns the assembly file of a kernel `test`, for workgroups of 64 items. Its two
    /// arguments are the addresses of inputs and outputs, with `input` and `output` bytes per
    /// workgroup. `body` finds its own addresses in s[4:5] and s[6:7], and 8 times the item's
    /// number in v1.
    pub(crate) fn kernel(self, input: usize, output: usize, lds: usize, body: &str) -> String {
        let workgroup = if self.isa == Isa::Gfx1201 {
            "ttmp9"
        } else {
            "s2"
        };
        let mut text = self.scalar_load(4, 4, 0, 0) + self.wait();
        for (base, bytes) in [(4, input), (6, output)] {
            text += &format!("s_mul_i32 s8, {workgroup}, {bytes:#x}\n");
            text += &self.advance(base, "s8");
        }
        text += "v_and_b32 v1, 0x3ff, v0\nv_lshlrev_b32 v1, 3, v1\n";
        text += body;
        let mut directives = String::new();
        let mut registers = 64;
        if matches!(self.isa, Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950) {
            // Accumulation registers follow the others.
            registers += 8;
            directives += ".amdhsa_accum_offset 64\n";
        }
        if self.isa >= Isa::Gfx1030 {
            directives += &format!(".amdhsa_wavefront_size32 {}\n", u32::from(self.wave32));
        }
        let size = if self.wave32 { 32 } else { 64 };
        format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{isa}\"
.text
.globl test
.p2align 8
.type test,@function
test:
{text}s_endpgm
.Lend:
.size test, .Lend-test
.rodata
.p2align 6
.amdhsa_kernel test
.amdhsa_group_segment_fixed_size {lds}
.amdhsa_kernarg_size 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_next_free_vgpr {registers}
.amdhsa_next_free_sgpr 96
.amdhsa_float_denorm_mode_32 3
.amdhsa_float_denorm_mode_16_64 3
{directives}.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{isa}
amdhsa.kernels:
  - .name: test
    .symbol: test.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: {size}
    .sgpr_count: 96
    .vgpr_count: 64
    .max_flat_workgroup_size: 64
    .args:
      - {{.address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}}
      - {{.address_space: global, .offset: 8, .size: 8, .value_kind: global_buffer}}
.end_amdgpu_metadata
",
            isa = self.isa,
        )
    }
}
