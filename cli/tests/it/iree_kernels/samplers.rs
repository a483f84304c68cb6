//! A sampler's choice, the greatest of scaled logits with noise, in the forms of models. One
//! kernel replaces all its operations, and chooses as the host does. IREE computes a value that
//! has another use, and a kernel compares it.

use testing::Failed;

use crate::iree_kernels::linalg::{export_with, module_of, replaced};
use crate::iree_kernels::tools::Tools;
use crate::iree_kernels::vectors::{bytes, drawn};

const ROWS: usize = 6;
const COLUMNS: usize = 200;

/// A choice from `%x` over `%t`, plus `%n`.
struct Sampler {
    /// The comparison of `%z`, with the initial values `%v` and `%p`.
    choice: &'static str,
    /// True if the compared values are returned, too.
    returns_compared: bool,
}

const ARG_COMPARE: &str = "iree_linalg_ext.arg_compare dimension(1) ins(%z : tensor<6x200xf32>) outs(%v, %p : tensor<6xf32>, tensor<6xi64>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %0 : i1
  } -> tensor<6xf32>, tensor<6xi64>";

const LOOP: &str = "linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%z : tensor<6x200xf32>) outs(%v, %p : tensor<6xf32>, tensor<6xi64>) {
  ^bb0(%a: f32, %b: f32, %at: i64):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.cmpf ogt, %a, %b : f32
    %3 = arith.select %2, %a, %b : f32
    %4 = arith.select %2, %1, %at : i64
    linalg.yield %3, %4 : f32, i64
  } -> (tensor<6xf32>, tensor<6xi64>)";

const SAMPLERS: [Sampler; 3] = [
    Sampler {
        choice: ARG_COMPARE,
        returns_compared: false,
    },
    Sampler {
        choice: LOOP,
        returns_compared: false,
    },
    Sampler {
        choice: ARG_COMPARE,
        returns_compared: true,
    },
];

const CHOICE: &str =
    "argmax(3=arith.extf(0,f32);4=arith.divf(3,1);arith.addf(2,4)):6x[200]xf16,f32(0),f32:i64";

impl Sampler {
    fn mlir(&self) -> String {
        let (names, kinds) = match self.returns_compared {
            false => ("%r#1", "tensor<6xi64>"),
            true => ("%r#1, %z", "tensor<6xi64>, tensor<6x200xf32>"),
        };
        let choice = self.choice;
        format!(
            "func.func @main(%x: tensor<6x200xf16>, %t: tensor<6x1xf32>, %n: tensor<6x200xf32>) -> ({kinds}) {{
  %worst = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %no_v = tensor.empty() : tensor<6xf32>
  %no_p = tensor.empty() : tensor<6xi64>
  %whole = tensor.empty() : tensor<6x200xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x, %t : tensor<6x200xf16>, tensor<6x1xf32>) outs(%whole : tensor<6x200xf32>) {{
  ^bb0(%a: f16, %b: f32, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.divf %0, %b : f32
    linalg.yield %1 : f32
  }} -> tensor<6x200xf32>
  %z = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%y, %n : tensor<6x200xf32>, tensor<6x200xf32>) outs(%whole : tensor<6x200xf32>) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }} -> tensor<6x200xf32>
  %v = linalg.fill ins(%worst : f32) outs(%no_v : tensor<6xf32>) -> tensor<6xf32>
  %p = linalg.fill ins(%first : i64) outs(%no_p : tensor<6xi64>) -> tensor<6xi64>
  %r:2 = {choice}
  return {names} : {kinds}
}}
"
        )
    }
}

/// Returns the first index of the greatest element of each row, as i64.
fn expected(x: &[f32], t: &[f32], n: &[f32]) -> Vec<u8> {
    let of_row = |row: usize| {
        let value = |k: usize| x[row * COLUMNS + k] / t[row] + n[row * COLUMNS + k];
        let better = |best: usize, k: usize| if value(k) > value(best) { k } else { best };
        (1..COLUMNS).fold(0, better) as i64
    };
    (0..ROWS)
        .flat_map(|row| of_row(row).to_le_bytes())
        .collect()
}

pub(crate) fn samplers_are_one_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let texts: Vec<String> = SAMPLERS.iter().map(Sampler::mlir).collect();
    let mlir = module_of(&texts);
    let answer = export_with(tools, folder, &mlir, "gfx942", &[])?;
    let kernels = answer["kernels"].as_array().into_iter().flatten();
    let problems: Vec<&str> = kernels.filter_map(|it| it["problem"].as_str()).collect();
    // The comparison of the quotients alone stands nowhere: the kernel takes all of them in.
    let left_out = answer["left_out"].as_array().into_iter().flatten();
    let left_out: Vec<&str> = left_out.filter_map(|it| it["problem"].as_str()).collect();
    if left_out != ["argmax:6x[200]xf32:i64"] || problems != [CHOICE] {
        return Err(format!("{answer}").into());
    }
    let count = replaced(tools, folder, &mlir, "gfx942")?;
    if count != SAMPLERS.len() {
        return Err(format!("{count} are replaced").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    let (x, n) = (drawn(ROWS * COLUMNS, 1), drawn(ROWS * COLUMNS, 2));
    let t: Vec<f32> = (0..ROWS).map(|row| 0.5 + row as f32).collect();
    let halves: Vec<u8> = x
        .iter()
        .flat_map(|it| half::f16::from_f32(*it).to_le_bytes())
        .collect();
    let given = [
        ("6x200xf16".to_owned(), halves),
        ("6x1xf32".to_owned(), bytes(&t)),
        ("6x200xf32".to_owned(), bytes(&n)),
    ];
    let expected = expected(&x, &t, &n);
    for (number, sampler) in SAMPLERS.iter().enumerate() {
        let results = 1 + usize::from(sampler.returns_compared);
        let found = tools.run(folder, &module, &format!("f{number}"), &given, results)?;
        if found[0] != expected {
            return Err(format!("it is wrong: {}", sampler.mlir()).into());
        }
    }
    Ok(())
}

const TORCH: &str = "func.func @main(%x: !torch.vtensor<[6,200],f32>, %n: !torch.vtensor<[6,200],f32>) -> !torch.vtensor<[6],si64> {
  %temperature = torch.constant.float 0.7
  %one = torch.constant.int 1
  %false = torch.constant.bool false
  %0 = torch.aten.div.Scalar %x, %temperature : !torch.vtensor<[6,200],f32>, !torch.float -> !torch.vtensor<[6,200],f32>
  %1 = torch.aten.add.Tensor %0, %n, %one : !torch.vtensor<[6,200],f32>, !torch.vtensor<[6,200],f32>, !torch.int -> !torch.vtensor<[6,200],f32>
  %2 = torch.aten.argmax %1, %one, %false : !torch.vtensor<[6,200],f32>, !torch.int, !torch.bool -> !torch.vtensor<[6],si64>
  return %2 : !torch.vtensor<[6],si64>
}
";

/// Checks torch's form of a sampler, with a temperature that the module knows.
pub(crate) fn samplers_of_torch_are_one_kernel(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let answer = export_with(tools, folder, TORCH, "gfx942", &[])?;
    let choice = "argmax(2=arith.constant(f32,3f333333);3=arith.divf(0,2);arith.addf(1,3)):6x[200]xf32,f32:i64";
    let count = replaced(tools, folder, TORCH, "gfx942")?;
    if answer["kernels"][0]["problem"] != choice || count != 1 {
        return Err(format!("{count} are replaced: {answer}").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(TORCH, "gfx942", Some(&folder.join("kernels")), &module)?;
    let (x, n) = (drawn(ROWS * COLUMNS, 1), drawn(ROWS * COLUMNS, 2));
    let given = [&x, &n].map(|it| ("6x200xf32".to_owned(), bytes(it)));
    let found = tools.run(folder, &module, "main", &given, 1)?;
    match found[0] == expected(&x, &[0.7; ROWS], &n) {
        true => Ok(()),
        false => Err("it is wrong".into()),
    }
}
