//! The options of iree-compile that a client may set. None reads or writes a file, runs a program,
//! or decides the device.

/// The longest value of an option, in characters.
const VALUE: usize = 64;

/// The most options of a model.
const COUNT: usize = 32;

/// The options.
const ALLOWED: [&str; 28] = [
    "--iree-codegen-llvmgpu-use-direct-convolution",
    "--iree-codegen-llvmgpu-use-igemm",
    "--iree-codegen-llvmgpu-use-reduction-vector-distribution",
    "--iree-codegen-llvmgpu-use-tile-and-fuse-convolution",
    "--iree-codegen-llvmgpu-use-tile-and-fuse-matmul",
    "--iree-codegen-llvmgpu-use-vector-distribution",
    "--iree-dispatch-creation-data-tiling",
    "--iree-dispatch-creation-element-wise-fuse-multi-reduction",
    "--iree-dispatch-creation-enable-aggressive-fusion",
    "--iree-dispatch-creation-enable-early-trunc-fusion",
    "--iree-dispatch-creation-enable-fuse-horizontal-contractions",
    "--iree-dispatch-creation-enable-split-reduction",
    "--iree-dispatch-creation-fuse-multi-use",
    "--iree-global-opt-data-tiling",
    "--iree-global-opt-propagate-transposes",
    "--iree-input-demote-f32-to-f16",
    "--iree-input-demote-f64-to-f32",
    "--iree-input-demote-i64-to-i32",
    "--iree-input-promote-bf16-to-f32",
    "--iree-input-promote-f16-to-f32",
    "--iree-input-type",
    "--iree-opt-aggressively-propagate-transposes",
    "--iree-opt-data-tiling",
    "--iree-opt-generalize-matmul",
    "--iree-opt-level",
    "--iree-opt-numeric-precision-reduction",
    "--iree-opt-outer-dim-concat",
    "--iree-opt-strip-assertions",
];

/// Checks a client's options.
///
/// # Errors
///
/// The first option that is not allowed, with the reason, for people.
pub(crate) fn check(options: &[String]) -> Result<(), String> {
    if options.len() > COUNT {
        let count = options.len();
        return Err(format!("{count} options; a model may have at most {COUNT}"));
    }
    options.iter().try_for_each(|option| check_one(option))
}

fn check_one(option: &str) -> Result<(), String> {
    let (name, value) = match option.split_once('=') {
        Some((name, value)) => (name, value),
        None => (option, ""),
    };
    // Names of safe options, not of harmful ones: a new compiler brings new options.
    // Options of LLVM begin with one hyphen as well, and none of those is here.
    if !ALLOWED.contains(&name) {
        let shown: String = name.chars().take(80).collect();
        let allowed = ALLOWED.join(", ");
        return Err(format!(
            "the service does not accept the option {shown:?}; it accepts {allowed}; \
             `wavetune profile MODEL -- OPTIONS` takes all options"
        ));
    }
    // A path or a list would need other characters.
    let is_word = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it);
    match value.len() <= VALUE && value.chars().all(is_word) {
        true => Ok(()),
        false => Err(format!(
            "the value of {name} must have at most {VALUE} letters, digits and signs of _.-"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_that(option: &str, is_allowed: bool) {
        let checked = check(&[option.to_owned()]);
        assert_eq!(checked.is_ok(), is_allowed, "{option}: {checked:?}");
    }

    #[test]
    fn options_that_change_the_code_are_allowed() {
        check_that("--iree-opt-level=O3", true);
        check_that("--iree-input-demote-f64-to-f32=false", true);
        check_that("--iree-opt-data-tiling", true);
        check_that("--iree-input-type=stablehlo", true);
        let many = vec!["--iree-opt-data-tiling".to_owned(); COUNT + 1];
        assert!(check(&many).is_err());
        assert!(check(&many[1..]).is_ok());
    }

    #[test]
    fn options_that_reach_files_and_programs_are_refused() {
        for option in [
            "",
            "-o",
            "/etc/passwd",
            "@/etc/passwd",
            "--iree-opt-level=/etc/passwd",
            "--iree-opt-level O3",
            "--iree-opt-level=O3\u{0}",
            "--iree-opt-level=O3 --iree-opt-data-tiling",
            "-iree-opt-level=O3",
            "--iree-hal-dump-executable-files-to=.",
            "--iree-hal-executable-object-search-path=.",
            "--iree-hal-target-device=local",
            "--iree-hal-preprocess-executables-with=sh",
            "--iree-preprocessing-transform-spec-filename=x",
            "--iree-rocm-bc-dir=x",
            "--iree-rocm-target=gfx90a",
            "--iree-plugin=x",
            "-mlir-print-ir-after-all",
            "-compile-to=input",
        ] {
            check_that(option, false);
        }
    }
}
