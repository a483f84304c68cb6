//! The dispatches of an outlined module: the operations and bytes of each kernel.

use std::collections::HashMap;

/// Returns the first symbol of a text, without its sign.
pub(crate) fn symbol(text: &str) -> Option<&str> {
    let (_, name) = text.split_once('@')?;
    name.split(['(', ' ', '{', ',', ':']).next()
}

/// The operations of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelContent {
    /// Their hash, without numbers of dispatches.
    pub(crate) content: String,
    /// True if it may read less than it loads.
    pub(crate) gathers: bool,
}

/// Returns the operations of each kernel by its name.
pub(crate) fn contents(dispatches: &str) -> HashMap<String, KernelContent> {
    let mut found = HashMap::new();
    let mut current: Option<(&str, String)> = None;
    let mut names: Vec<&str> = Vec::new();
    for line in dispatches.lines() {
        if line.starts_with("  flow.executable ") {
            current = symbol(line).map(|name| (name, String::new()));
            names.clear();
            continue;
        }
        let Some((executable, text)) = &mut current else {
            continue;
        };
        if line == "  }" {
            let content = KernelContent {
                content: blake3::hash(text.as_bytes()).to_hex().to_string(),
                gathers: text.contains("tensor.extract ") || text.contains("gather"),
            };
            found.extend(names.drain(..).map(|it| (it.to_owned(), content.clone())));
            current = None;
            continue;
        }
        if line.trim_start().starts_with("flow.executable.export ") {
            names.extend(symbol(line));
        }
        *text += &line.replace(*executable, "");
        text.push('\n');
    }
    found
}

/// Returns the known facts about sizes in each kernel, by its name: their ranges and divisors. The
/// compiler finds them at the calls of a dispatch, and generates other code by them. Offsets of
/// buffers have no range.
pub(crate) fn size_facts(executables: &str) -> HashMap<&str, String> {
    let mut found: HashMap<&str, String> = HashMap::new();
    let mut current = None;
    for line in executables.lines() {
        if line.trim_start().starts_with("func.func @") {
            current = symbol(line);
        } else if line == "  }" {
            current = None;
        }
        let Some(name) = current else { continue };
        for fact in line.split("<umin = ").skip(1) {
            let facts = found.entry(name).or_default();
            *facts += fact.split('>').next().unwrap_or_default();
            facts.push(';');
        }
    }
    found
}

/// Returns the bytes that each dispatch moves between static tensors, by the name of its kernel.
pub(crate) fn extern_bytes(dispatches: &str) -> HashMap<String, (u64, u64)> {
    let mut found = HashMap::new();
    for line in dispatches.lines() {
        let Some((_, rest)) = line.split_once("flow.dispatch @") else {
            continue;
        };
        let moved = || {
            let path = rest.split(['(', '[', ' ']).next()?;
            let (_, types) = rest.split_once(" : ")?;
            let (operands, results) = types.split_once(" -> ")?;
            let name = path.rsplit_once('@')?.1;
            Some((name.to_owned(), (all_bytes(operands)?, all_bytes(results)?)))
        };
        found.extend(moved());
    }
    found
}

/// Returns the least bytes of all tensors in a text. `None` if a size is dynamic.
fn all_bytes(text: &str) -> Option<u64> {
    let tensors = text.split("tensor<").skip(1);
    let bytes = tensors.map(|tensor| {
        let mut sizes = tensor.split(['>', ',']).next()?.split('x');
        let element = sizes.next_back()?;
        let bits = element.trim_start_matches(|it: char| it.is_ascii_alphabetic());
        let bits: u64 = bits.parse().ok()?;
        let mut sizes = sizes.map(|size| size.parse().ok());
        let count = sizes.try_fold(1u64, |all, size: Option<u64>| all.checked_mul(size?));
        Some(count?.checked_mul(bits)?.div_ceil(8))
    });
    bytes.sum()
}

/// Two kernels of IREE's and of an export.
#[cfg(test)]
pub(crate) const DISPATCHES: &str = "
  flow.executable private @main$async_dispatch_10 {
    flow.executable.export public @main$async_dispatch_10_sum workgroups() -> (index, index, index) {
    }
    builtin.module {
      func.func @main$async_dispatch_10_sum(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>) {
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>> -> tensor<4xf32>
        return
      }
    }
  }
  util.func public @main$async(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %0 = flow.dispatch @main$async_dispatch_10::@main$async_dispatch_10_sum(%1) : (tensor<4xf32>) -> tensor<f32>
    %2:2 = flow.dispatch @extern_dispatch_0::@rocm::@wavetune_sum(%1, %1) : (tensor<4x2xf32>, tensor<i64>) -> (tensor<4xi1>, tensor<3xf16>)
    %3 = flow.dispatch @extern_dispatch_1::@rocm::@wavetune_max(%1, %1) : (tensor<?x2xf32>{%4}) -> tensor<4xf32>
  }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_kernel_have_facts() {
        const EXECUTABLES: &str = "
  hal.executable private @main_dispatch_0 {
        func.func @main_dispatch_0_matmul() attributes {translation_info = #a<b>} {
          %21:2 = util.assume.int
              %10<udiv = 12288>,
              %20<umin = 0, umax = 9007, udiv = 16>
            : index, index
          %22 = util.assume.int %21[<umin = 1, umax = 1>, <umin = 2, umax = 2>] : index
          return
        }
  }
  util.func public @main(%arg0: !hal.buffer_view) {
    %0 = util.assume.int %1<umin = 7, umax = 7> : index
  }
";
        let facts = size_facts(EXECUTABLES);
        let expected = "0, umax = 9007, udiv = 16;1, umax = 1;2, umax = 2;";
        assert_eq!(
            facts.get("main_dispatch_0_matmul").map(String::as_str),
            Some(expected)
        );
        assert_eq!(facts.len(), 1);
    }

    #[test]
    fn numbers_of_dispatches_do_not_count() {
        let content = |dispatches: &str, name: &str| contents(dispatches)[name].clone();
        let other = DISPATCHES.replace("dispatch_10", "dispatch_7");
        let [one, same] = [
            content(DISPATCHES, "main$async_dispatch_10_sum"),
            content(&other, "main$async_dispatch_7_sum"),
        ];
        assert_eq!(one, same);
        let other = DISPATCHES.replace("sizes = [4]", "sizes = [8]");
        assert_ne!(one, content(&other, "main$async_dispatch_10_sum"));
    }
}
