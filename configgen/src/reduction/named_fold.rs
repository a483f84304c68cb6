//! Folds of named functions, such as `dot`.

use super::{Combining, Fold};
use crate::ElementType;
use crate::comparator::{Opcode, Region, ScalarType, Value};

/// A fold of a function, with a name for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedFold {
    /// The sum of products with an operand.
    Dot,
    /// The sum of squares.
    SquareSum,
    /// The greatest magnitude; NaN if an element is.
    AbsMax,
}

impl NamedFold {
    /// Every named fold, in the order in which error messages list them.
    pub(crate) const ALL: [NamedFold; 3] = [Self::Dot, Self::SquareSum, Self::AbsMax];

    /// Returns the named fold of this name; the flag is set for a `u` before it (unsigned
    /// integers).
    pub(crate) fn from_name(name: &str) -> Option<(NamedFold, bool)> {
        let named = |name: &str| Self::ALL.into_iter().find(|it| it.name() == name);
        let signed = named(name).map(|it| (it, false));
        signed.or_else(|| Some((named(name.strip_prefix('u')?)?, true)))
    }

    /// Returns the name of a fold of a function, if it has one, and the accumulator behind the
    /// name.
    pub(crate) fn name_of(fold: &Fold, region: &Region) -> Option<(String, Option<ElementType>)> {
        let types: Vec<ElementType> = (region.types().iter())
            .filter_map(|scalar| ElementType::from_name(scalar.name()))
            .collect();
        let all = Self::ALL
            .into_iter()
            .filter(|it| it.combining() == fold.combining());
        let mut all = all.flat_map(|it| [(it, false), (it, true)]);
        // Signedness distinguishes names only if the result depends on it.
        let is_same = |unsigned| fold.is_unsigned() == unsigned || !fold.reads_sign();
        let accumulator = fold.accumulator();
        all.find_map(|(it, unsigned)| {
            let is_region = |accumulator| {
                let own = it.region(&types, unsigned, accumulator);
                own.is_ok_and(|own| own.canonical() == *region)
            };
            let is_named = is_same(unsigned) && is_region(Some(accumulator));
            is_named.then(|| {
                let sign = if unsigned { "u" } else { "" };
                // A wider product has elements of the accumulator's type, so the fold prints no
                // accumulator. The text behind the name must state it.
                let wide = (!is_region(None)).then_some(accumulator);
                (format!("{sign}{}", it.name()), wide)
            })
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::SquareSum => "square_sum",
            Self::AbsMax => "abs_max",
        }
    }

    /// Returns the operation that combines the function's values.
    pub(crate) fn combining(self) -> Combining {
        match self {
            Self::Dot | Self::SquareSum => Combining::Sum,
            Self::AbsMax => Combining::Max,
        }
    }

    /// Returns the function for inputs of these types and a sum in `accumulator`, or in the
    /// default type.
    ///
    /// It widens elements to the accumulator's type before the product, as BLAS's `dsdot` does. A
    /// product that is rounded first would lose the digits that the accumulator keeps. Products
    /// of integers of 16 bits or less fit 32.
    ///
    /// # Errors
    /// Returns a message if the operation does not take these inputs.
    pub(crate) fn region(
        self,
        types: &[ElementType],
        unsigned: bool,
        accumulator: Option<ElementType>,
    ) -> Result<Region, String> {
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
        let has_bits = |bits| types.iter().any(|it| it.bits() == bits);
        let wide = match (is_float, accumulator) {
            (true, Some(ElementType::F64)) => ScalarType::F64,
            (false, Some(ElementType::I64)) if has_bits(32) => ScalarType::I64,
            // The default accumulator of sums.
            (true, _) if has_bits(64) => ScalarType::F64,
            (true, _) => ScalarType::F32,
            (false, _) if has_bits(64) => ScalarType::I64,
            (false, _) => ScalarType::I32,
        };
        let values: Result<Vec<Value>, String> = (types.iter().zip(0..))
            .map(|(&element, number)| {
                let scalar = ScalarType::from(element);
                let cast = match is_float {
                    true => Opcode::Extf,
                    false if unsigned || scalar == ScalarType::I1 => Opcode::Extui,
                    false => Opcode::Extsi,
                };
                // A magnitude has the element's own type; only products need the wide one.
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
