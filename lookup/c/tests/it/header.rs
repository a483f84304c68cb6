//! The committed files match the sources: the header, the versions, and the manual's examples.

use std::path::Path;

use expect_test::expect_file;

#[test]
fn the_header_is_that_of_the_sources() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let configuration = cbindgen::Config::from_file(package.join("cbindgen.toml")).unwrap();
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_config(configuration)
        .with_src(package.join("src/types.rs"))
        .with_src(package.join("src/calls.rs"))
        .generate()
        .unwrap()
        .write(&mut header);
    // The heading of rustdoc, in the words of a header.
    let header = String::from_utf8(header).unwrap();
    let header = header.replace("# Safety", "The caller promises:");
    expect_file!["../../include/wavetune_lookup.h"].assert_eq(&header);
    // A function that is missing in the header cannot be called.
    let calls = include_str!("../../src/calls.rs");
    for call in calls.split("extern \"C\" fn ").skip(1) {
        let name = call.split('(').next().unwrap();
        assert!(header.contains(&format!("{name}(")), "{name}");
    }
}

/// Checks that the installed files have the version of the crate.
#[test]
fn installed_files_have_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let pkg_config = include_str!("../../install/wavetune-lookup.pc");
    assert!(pkg_config.contains(&format!("\nVersion: {version}\n")));
    let cmake = include_str!("../../install/wavetune-lookup-config-version.cmake");
    assert!(cmake.contains(&format!("set(PACKAGE_VERSION {version})")));
}

/// Checks that the manual has the examples that tests compile.
#[test]
fn the_manual_has_the_examples() {
    let manual = include_str!("../../../../docs/bindings.md");
    for example in [
        include_str!("../../examples/ask.c"),
        include_str!("../../examples/find.cpp"),
        include_str!("../../examples/CMakeLists.txt"),
    ] {
        assert!(manual.contains(&format!("\n{example}```\n")), "{example}");
    }
}
