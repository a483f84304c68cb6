//! The option that makes iree-compile read a tuning spec before it compiles anything.
//!
//! iree-compile 3.13.0 reads the file when the first dispatch needs it, under a lock. Its
//! verification then waits for other threads, and a waiting thread takes up other work. If that
//! is another dispatch, the thread needs the file too and waits for its own lock. About one in
//! some hundred compilations of a module with two dispatches, on two processors, never ended. The
//! ROCm dialect had a similar lock (<https://github.com/iree-org/iree/issues/22842>). A pass over
//! the whole module reads the file before there is other work; iree-compile then reads it only
//! once.

/// The option with this pass, without hyphens. iree-compile accepts it once.
pub const PASS_PIPELINE: &str = "iree-preprocessing-pass-pipeline";

/// Returns the option that makes iree-compile read a spec early.
///
/// It accompanies `--iree-codegen-tuning-spec-path` of the same file. It is none for a path with
/// braces or a quote, which a pass option cannot contain.
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
