//! The compiler reads printed comparators, and its own text of them is the same comparator.

use std::fmt::Write as _;
use std::path::Path;

use configgen::comparator::{Comparator, ScalarType, parse_operations};
use testing::Failed;

use crate::comparators::{CASTS, FLOAT_BINARY, FLOAT_UNARY, INTEGER_BINARY, run};

/// Returns the compact text of a comparison of two values of this type.
fn compared(scalar: ScalarType, x: u32, y: u32) -> String {
    match scalar.is_float() {
        true => format!("arith.cmpf(ugt,{x},{y})"),
        false => format!("arith.cmpi(ugt,{x},{y})"),
    }
}

/// Returns a comparator for every name, every operation and every pair of fitting types.
fn specimens() -> Vec<Comparator> {
    let mut specimens = Vec::new();
    for element in ScalarType::ALL {
        if element == ScalarType::I1 {
            continue;
        }
        specimens
            .extend(Comparator::names(element).filter_map(|name| Comparator::named(name, element)));
        let mut texts = Vec::new();
        for name in FLOAT_BINARY
            .iter()
            .chain(&INTEGER_BINARY)
            .chain(&["math.copysign"])
        {
            texts.push(format!("2={name}(0,1);{}", compared(element, 2, 1)));
        }
        for name in FLOAT_UNARY.iter().chain(&["math.absi"]) {
            texts.push(format!("2={name}(1);{}", compared(element, 0, 2)));
        }
        texts.push(format!("2=math.fma(0,1,0);{}", compared(element, 2, 1)));
        texts.push(format!(
            "2={};3=arith.select(2,0,1);4=math.copysign(3,1);arith.cmpf(ord,4,0)",
            compared(element, 0, 1)
        ));
        texts.push(format!(
            "2={};3={};4=arith.xori(2,3);arith.ori(4,2)",
            compared(element, 0, 1),
            compared(element, 0, 0)
        ));
        for bits in [
            0,
            1,
            2,
            0x3c,
            element.mask() >> 1,
            element.mask() / 3,
            element.mask(),
        ] {
            texts.push(format!(
                "2=arith.constant({element},{bits:x});3=arith.constant(i1,1);{}",
                compared(element, 0, 2)
            ));
        }
        for cast in CASTS {
            for result in ScalarType::ALL {
                texts.push(format!(
                    "2={cast}(0,{result});3={cast}(1,{result});{}",
                    compared(result, 2, 3)
                ));
                // A comparison that is not simplified, so that the conversion stays.
                let used = match result.is_float() {
                    true => format!("4=arith.addf(2,3);{}", compared(result, 4, 2)),
                    false => format!("4=arith.muli(2,3);{}", compared(result, 4, 2)),
                };
                texts.push(format!("2={cast}(0,{result});3={cast}(1,{result});{used}"));
            }
        }
        specimens.extend(
            texts
                .iter()
                .filter_map(|text| Comparator::from_compact(text, element).ok()),
        );
    }
    specimens.sort();
    specimens.dedup();
    specimens
}

/// Checks each comparator in an operation of its own, all in one run of the compiler. The
/// compiler's text is parsed again.
pub(crate) fn printed_blocks_are_read(compiler: &Path) -> Result<(), Failed> {
    let specimens = specimens();
    let mut module = String::new();
    for (place, comparator) in specimens.iter().enumerate() {
        let element = comparator.element();
        let block = comparator.block().indented(2);
        write!(
            module,
            "func.func @f{place}(%x: tensor<4x64x{element}>, %v: tensor<4x{element}>, %i: tensor<4xi32>) -> tensor<4xi32> {{
  %r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4x64x{element}>) \
   outs(%v, %i : tensor<4x{element}>, tensor<4xi32>) {{
{block}  }} -> tensor<4x{element}>, tensor<4xi32>
  return %r#1 : tensor<4xi32>
}}
"
        )?;
    }
    let device = [
        "--iree-hal-target-device=hip",
        "--iree-rocm-target=gfx942",
        "--compile-to=input",
        "--iree-input-demote-f64-to-f32=false",
    ];
    for form in [&[][..], &["--mlir-print-op-generic"]] {
        let text = run(compiler, &[&device[..], form].concat(), &module)?;
        let operations = parse_operations(&text)?;
        if operations.len() != specimens.len() {
            return Err(format!("{} of {} operations", operations.len(), specimens.len()).into());
        }
        for (operation, comparator) in operations.iter().zip(&specimens) {
            let read = Comparator::new(&operation.region)?;
            if read != *comparator {
                return Err(format!("{comparator:?} came back as {read:?}").into());
            }
        }
    }
    println!("{} comparators", specimens.len());
    Ok(())
}
