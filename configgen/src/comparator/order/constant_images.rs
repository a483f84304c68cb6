//! Constant images: the elements at which a comparator's constants matter.
//!
//! An element may be shifted, scaled or converted before it meets a constant. The constant's
//! image is the element that then equals it. For `(a >> 3) > (b >> 3) + 4` the images are 32 and
//! its neighbours. For `b * 5 == 99` it is the one number with that product. An operation without
//! an inverse has no image, or one of many.

use super::super::opcode::Opcode;
use super::super::region::{Region, RegionOperation, Value};
use super::super::scalar::ScalarType;
use super::super::semantics::apply;

/// The largest number of images of one value of the region.
const MAX_IMAGES: usize = 32;

/// Returns the images of all constants, as bits of elements.
pub(super) fn of(region: &Region) -> Vec<u64> {
    let mut images = Images {
        region,
        lists: vec![Vec::new(); region.values()],
    };
    let definitions: Vec<_> = region.definitions().collect();
    // Backwards, so that an image passes through every operation on its way to the arguments.
    for (value, operation) in definitions.into_iter().rev() {
        images.met(operation);
        for image in images.lists[value.index()].clone() {
            images.back(operation, image);
        }
    }
    let mut elements = Vec::new();
    for list in images.lists.drain(..region.arguments() as usize) {
        for bits in list {
            if !elements.contains(&bits) {
                elements.push(bits);
            }
        }
    }
    elements
}

struct Images<'a> {
    region: &'a Region,
    /// The interesting bits of each value.
    lists: Vec<Vec<u64>>,
}

impl Images<'_> {
    fn add(&mut self, value: Value, bits: u64) {
        let bits = bits & self.region.type_of(value).mask();
        let list = &mut self.lists[value.index()];
        if list.len() < MAX_IMAGES && !list.contains(&bits) {
            list.push(bits);
        }
    }

    /// Adds a constant operand, its double and its negation as images of the other operand.
    fn met(&mut self, operation: &RegionOperation) {
        let [x, y] = operation.operands[..] else {
            return;
        };
        let (value, bits) = match (self.region.constant(x), self.region.constant(y)) {
            (None, Some(bits)) => (x, bits),
            (Some(bits), None) => (y, bits),
            _ => return,
        };
        let ty = self.region.type_of(value);
        self.add(value, bits);
        let (sum, negation) = match ty.is_float() {
            true => (Opcode::Addf, apply(Opcode::Negf, ty, ty, [bits, 0, 0])),
            false => (Opcode::Addi, bits.wrapping_neg()),
        };
        self.add(value, negation);
        let double = apply(sum, ty, ty, [bits, bits, 0]);
        self.add(value, double);
    }

    /// Adds the operands that give these bits, as far as the operation has an inverse.
    fn back(&mut self, operation: &RegionOperation, bits: u64) {
        let constant = |place: usize| {
            let operand = operation.operands.get(place)?;
            self.region.constant(*operand)
        };
        let constants = [constant(0), constant(1)];
        for (place, &value) in operation.operands.iter().enumerate() {
            let from = self.region.type_of(value);
            let other = constants[usize::from(place == 0)];
            for image in undone(operation, place, from, bits, other) {
                self.add(value, image);
            }
        }
    }
}

/// Returns the bits of an operand with which an operation gives `bits`.
///
/// `place` is the operand's index and `from` its type. `other` is the other operand if that is
/// constant.
fn undone(
    operation: &RegionOperation,
    place: usize,
    from: ScalarType,
    bits: u64,
    other: Option<u64>,
) -> Vec<u64> {
    use Opcode::*;
    let (opcode, to) = (operation.opcode, operation.result);
    let is_square = operation.operands.len() == 2 && operation.operands[0] == operation.operands[1];
    let number = |value: f64| vec![from.round(value)];
    match (opcode, other) {
        (Cmpf(_) | Cmpi(_) | Constant(_), _) => Vec::new(),
        (Select, _) if place == 0 => Vec::new(),
        (Muli, None) if is_square => {
            let root = (bits as f64).sqrt() as u64;
            vec![root, root + 1, root.wrapping_neg()]
        }
        (Mulf, None) if is_square => {
            let root = to.to_f64(bits).abs().sqrt();
            vec![from.round(root), from.round(-root)]
        }
        (Addi, Some(other)) => vec![bits.wrapping_sub(other)],
        (Subi, Some(other)) if place == 1 => vec![other.wrapping_sub(bits)],
        (Subi, Some(other)) => vec![bits.wrapping_add(other)],
        (Xori, Some(other)) => vec![bits ^ other, bits],
        (Muli, Some(other)) if other & 1 == 1 => vec![bits.wrapping_mul(inverse(other))],
        (Muli, Some(other)) => {
            let signed = to.signed(bits).checked_div(to.signed(other));
            vec![
                bits.checked_div(other).unwrap_or(0),
                signed.unwrap_or(0) as u64,
            ]
        }
        (Divsi | Divui | Ceildivsi | Ceildivui | Floordivsi, Some(other)) if place == 0 => {
            vec![bits.wrapping_mul(other)]
        }
        (Remsi | Remui, Some(other)) => vec![bits, bits.wrapping_add(other)],
        (Shli, Some(by)) if place == 0 && by < 64 => {
            vec![bits >> by, (to.signed(bits) >> by) as u64]
        }
        (Shrsi | Shrui, Some(by)) if place == 0 && by < 64 => {
            let shifted = bits << by;
            vec![shifted, shifted | ((1 << by) - 1)]
        }
        (Absi, _) => vec![bits, bits.wrapping_neg()],
        (Absf | Negf, _) => vec![bits, bits ^ from.sign_bit()],
        (Addf, Some(other)) => number(to.to_f64(bits) - to.to_f64(other)),
        (Subf, Some(other)) if place == 1 => number(to.to_f64(other) - to.to_f64(bits)),
        (Subf, Some(other)) => number(to.to_f64(bits) + to.to_f64(other)),
        (Mulf, Some(other)) => number(to.to_f64(bits) / to.to_f64(other)),
        (Divf, Some(other)) if place == 1 => number(to.to_f64(other) / to.to_f64(bits)),
        (Divf, Some(other)) => number(to.to_f64(bits) * to.to_f64(other)),
        (Sqrt, _) => number(to.to_f64(bits) * to.to_f64(bits)),
        (Extf | Truncf, _) => number(to.to_f64(bits)),
        (Fptosi, _) => number(to.signed(bits) as f64),
        (Fptoui, _) => number(bits as f64),
        (Sitofp, _) => vec![to.to_f64(bits) as i64 as u64],
        (Uitofp, _) => vec![to.to_f64(bits) as u64],
        // The operation passes some operands on, or changes them by an unknown value.
        _ => vec![bits],
    }
}

/// Returns the inverse of an odd number modulo 2^64.
fn inverse(odd: u64) -> u64 {
    // Newton's iteration: each step doubles the number of correct bits. The first value has
    // three.
    (0..5).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}
