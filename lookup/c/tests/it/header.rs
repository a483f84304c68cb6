//! What is committed beside the sources is what they say: the header, the versions, the examples of the manual.

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
    // The heading that rustdoc wants, in words for who reads a header.
    let header = String::from_utf8(header).unwrap();
    let header = header.replace("# Safety", "The caller promises:");
    expect_file!["../../include/wavetune_lookup.h"].assert_eq(&header);
    // What is not in the header nobody can call.
    let calls = include_str!("../../src/calls.rs");
    for call in calls.split("extern \"C\" fn ").skip(1) {
        let name = call.split('(').next().unwrap();
        assert!(header.contains(&format!("{name}(")), "{name}");
    }
}

/// The version of the crate is told where others look for it.
#[test]
fn what_is_installed_says_the_version() {
    let version = env!("CARGO_PKG_VERSION");
    let pkg_config = include_str!("../../install/wavetune-lookup.pc");
    assert!(pkg_config.contains(&format!("\nVersion: {version}\n")));
    let cmake = include_str!("../../install/wavetune-lookup-config-version.cmake");
    assert!(cmake.contains(&format!("set(PACKAGE_VERSION {version})")));
}

/// The manual shows the examples that tests compile.
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
