//! How iree-compile is made to read a tuning spec before it compiles anything.
//!
//! iree-compile 3.13.0 reads the file when the first dispatch asks for it, and has a lock while it does. To verify what it read it
//! waits for other threads, and a thread that waits takes up what else is to be done: if that is another dispatch, it asks for the
//! file, too, and waits for the lock that it has itself. Of a module of two dispatches, on two processors, about one compilation in
//! some hundred thus never ended. (The ROCm dialect had another lock of this kind: <https://github.com/iree-org/iree/issues/22842>.)
//! A pass over the whole module reads the file while there is nothing else to do; it is read once.

/// The option that has this pass, without hyphens; iree-compile takes it once.
pub const PASS_PIPELINE: &str = "iree-preprocessing-pass-pipeline";

/// The option by which a spec is read early, beside `--iree-codegen-tuning-spec-path` of the same file. There is none for a path
/// with braces or a quote, which a pass's option cannot have.
pub fn preload_spec(spec: &str) -> Option<String> {
    if spec.contains(['{', '}', '"']) {
        return None;
    }
    Some(format!(
        "--{PASS_PIPELINE}=builtin.module(iree-codegen-materialize-tuning-specs{{tuning-spec-path=\"{spec}\"}})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_or_has_no_option() {
        let expected = "--iree-preprocessing-pass-pipeline=builtin.module(\
                        iree-codegen-materialize-tuning-specs{tuning-spec-path=\"a b,c.mlir\"})";
        assert_eq!(preload_spec("a b,c.mlir").as_deref(), Some(expected));
        // The guide's command.
        let option = preload_spec("spec.mlir").unwrap();
        let guide = include_str!("../../../docs/guide-iree.md");
        assert!(guide.contains(&format!("'{option}'")));
        for path in ["a}.mlir", "{a.mlir", "a\".mlir"] {
            assert_eq!(preload_spec(path), None);
        }
    }
}
