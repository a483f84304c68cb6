//! Sums and maxima of functions that have a name.

use super::{Combining, Fold};
use crate::ElementType;
use crate::comparator::{Opcode, Region, ScalarType, Value};

/// A reduction of a function that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// The sum of products with an operand.
    Dot,
    /// The sum of squares.
    SquareSum,
    /// The greatest magnitude; NaN if an element is.
    AbsMax,
}

impl Named {
    /// Every one, in the order in which error messages list them.
    pub(crate) const ALL: [Named; 3] = [Self::Dot, Self::SquareSum, Self::AbsMax];

    /// The one with this name, and whether integers are read without a sign, as a `u` before it says.
    pub(crate) fn from_name(name: &str) -> Option<(Named, bool)> {
        let named = |name: &str| Self::ALL.into_iter().find(|it| it.name() == name);
        let signed = named(name).map(|it| (it, false));
        signed.or_else(|| Some((named(name.strip_prefix('u')?)?, true)))
    }

    /// The name of a reduction of a function, where it has one.
    pub(crate) fn name_of(fold: &Fold, region: &Region) -> Option<String> {
        let types: Vec<ElementType> = (region.types().iter())
            .filter_map(|scalar| ElementType::from_name(scalar.name()))
            .collect();
        let all = Self::ALL
            .into_iter()
            .filter(|it| it.combining() == fold.combining());
        let mut all = all.flat_map(|it| [(it, false), (it, true)]);
        let is_same = |unsigned| fold.is_unsigned() == unsigned || !fold.reads_sign();
        all.find_map(|(it, unsigned)| {
            let own = it.region(&types, unsigned).ok()?.canonical();
            let sign = if unsigned { "u" } else { "" };
            (own == *region && is_same(unsigned)).then(|| format!("{sign}{}", it.name()))
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::SquareSum => "square_sum",
            Self::AbsMax => "abs_max",
        }
    }

    /// What is made of the function's values.
    pub(crate) fn combining(self) -> Combining {
        match self {
            Self::Dot | Self::SquareSum => Combining::Sum,
            Self::AbsMax => Combining::Max,
        }
    }

    /// The function of inputs of these types.
    ///
    /// # Errors
    /// There is none: what it takes.
    pub(crate) fn region(self, types: &[ElementType], unsigned: bool) -> Result<Region, String> {
        let name = self.name();
        let inputs = if self == Self::Dot { 2 } else { 1 };
        if types.len() != inputs {
            let takes = match inputs {
                1 => "one input, and no operand".to_owned(),
                _ => format!(
                    "two inputs: an operand stands behind the elements, as in {name}:4x[32000]xf32,f32(1)"
                ),
            };
            return Err(format!("{name} takes {takes}"));
        }
        let is_float = types[0].is_float();
        if types.iter().any(|it| it.is_float() != is_float) {
            return Err(format!("{name} takes floats or integers, and not both"));
        }
        if is_float && unsigned {
            return Err(format!("floats have a sign: write \"{name}\""));
        }
        if self == Self::AbsMax && !is_float {
            return Err(format!("{name} takes floats"));
        }
        let mut region = Region::of(types.iter().map(|&it| ScalarType::from(it)));
        // In the type in which sums are usually accumulated.
        let wide = match (is_float, types.iter().any(|it| it.bits() == 64)) {
            (true, true) => ScalarType::F64,
            (true, false) => ScalarType::F32,
            (false, true) => ScalarType::I64,
            (false, false) => ScalarType::I32,
        };
        let values: Result<Vec<Value>, String> = (types.iter().zip(0..))
            .map(|(&element, number)| {
                let scalar = ScalarType::from(element);
                let cast = match is_float {
                    true => Opcode::Extf,
                    false if unsigned || scalar == ScalarType::I1 => Opcode::Extui,
                    false => Opcode::Extsi,
                };
                match scalar == wide || self == Self::AbsMax {
                    true => Ok(Value(number)),
                    false => region.append(cast, [Value(number)].into_iter().collect(), wide),
                }
            })
            .collect();
        let values = values?;
        let (opcode, operands, result) = match self {
            Self::Dot | Self::SquareSum => {
                let product = if is_float { Opcode::Mulf } else { Opcode::Muli };
                (product, vec![values[0], values[inputs - 1]], wide)
            }
            Self::AbsMax => (Opcode::Absf, vec![values[0]], types[0].into()),
        };
        let result = region.append(opcode, operands.into_iter().collect(), result)?;
        region.set_result(result);
        Ok(region)
    }
}
