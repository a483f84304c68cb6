//! Tests of concatenations: tensors that slices are put into.

use std::collections::HashSet;
use std::fmt::Write;

use expect_test::{Expect, expect};

use super::{COUNTS, operations, said};
use crate::comparator::ScalarType;
use crate::seeded_random::{Random, below, generator};
use crate::view::ViewSource;
use crate::{Problem, View};

/// The halves of a tensor, and tensors to insert into.
const HALVES: &str =
    "%lo = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
%hi = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
%half = tensor.empty() : tensor<4x4xf32>
%all = tensor.empty() : tensor<4x8xf32>
";

const CONCAT: &str =
    "%r = tensor.concat dim(1) %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
return %r : tensor<4x8xf32>";

/// JAX's form.
const INSERT: &str = "%one = tensor.insert_slice %a into %all[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
%r = tensor.insert_slice %b into %one[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
return %r : tensor<4x8xf32>";

/// Returns a module with these operations on an `%x` of 4 x 8 and a `%t` of 4 x 4.
fn module(operations: &str) -> String {
    format!("func.func @f(%x: tensor<4x8xf32>, %t: tensor<4x4xf32>) {{\n{HALVES}{operations}\n}}\n")
}

/// Returns `name = operation a, b` as a `linalg.generic`.
fn generic(name: &str, operation: &str, [a, b]: [&str; 2]) -> String {
    let map = "affine_map<(d0, d1) -> (d0, d1)>";
    let kind = "tensor<4x4xf32>";
    format!(
        "{name} = linalg.generic {{indexing_maps = [{map}, {map}, {map}], iterator_types = [\"parallel\", \"parallel\"]}} \
         ins({a}, {b} : {kind}, {kind}) outs(%half : {kind}) {{
^bb0(%in: f32, %other: f32, %out: f32):
  %y = {operation} : f32
  linalg.yield %y : f32
}} -> {kind}
"
    )
}

/// Returns the halves of a rotary embedding, `%a` and `%b`.
fn rotated() -> String {
    generic("%a", "arith.subf %in, %other", ["%lo", "%t"])
        + &generic("%b", "arith.addf %in, %other", ["%hi", "%t"])
}

/// Returns a rotary embedding in each form that frontends write.
pub(super) fn rotations() -> [String; 2] {
    [CONCAT, INSERT].map(|joins| module(&(rotated() + joins)))
}

/// Checks the problems of a module with these operations.
#[track_caller]
fn check(operations: &str, expected: &Expect) {
    expected.assert_eq(&said(&module(operations)).join("\n"));
}

const ROTATED: &str = "map(4=arith.constant(i32,4);5=arith.cmpi(ult,3,4);6=arith.subf(0,2);7=arith.addf(0,1);\
                       arith.select(5,6,7)):4x8xf32,f32(0,1-4:4),f32(0,1:4),index(1) chain";

#[test]
fn a_rotary_embedding_is_a_map() {
    for text in rotations() {
        assert_eq!(said(&text), [ROTATED], "{text}");
    }
    let exponential = generic("%a", "math.exp %in", ["%lo", "%t"]);
    // Only exact operations are computed twice, so this piece is an input.
    check(
        &format!("{exponential}{}", CONCAT.replace("%b", "%hi")),
        &expect![[r#"
            rows(exp(x)):4x4xf32(0,1:8) chain
            map(3=arith.constant(i32,4);4=arith.cmpi(ult,2,3);arith.select(4,1,0)):4x8xf32,f32(0,1:4),index(1) chain"#]],
    );
}

#[test]
fn a_piece_with_another_user_is_an_input() {
    check(
        &format!("{}{CONCAT}, %a : tensor<4x4xf32>", rotated()),
        &expect![
            "map(4=arith.constant(i32,4);5=arith.cmpi(ult,3,4);6=arith.addf(0,1);arith.select(5,2,6)):4x8xf32,f32(0,1-4:4),f32(0,1:4),index(1) chain"
        ],
    );
    check(
        &format!("{}{INSERT}, %one : tensor<4x8xf32>", rotated()),
        &expect![
            "map(4=arith.constant(i32,4);5=arith.cmpi(ult,3,4);6=arith.addf(0,2);arith.select(5,1,6)):4x8xf32,f32,f32(0,1-4:4),index(1) chain"
        ],
    );
}

#[test]
fn pointwise_operations_behind_a_concatenation_belong_to_it() {
    let square = CONCAT
        .replace("return %r", "return %s")
        .replace("%r = tensor.concat dim(1)", "%r = tensor.concat dim(0)")
        .replace("tensor<4x8xf32>", "tensor<8x4xf32>");
    let (concat, end) = square.split_once('\n').unwrap();
    let user = generic("%s", "arith.mulf %in, %other", ["%r", "%r"]).replace("4x4", "8x4");
    check(
        &format!("{}{concat}\n{user}{end}", rotated()),
        &expect![
            "map(5=arith.constant(i32,4);6=arith.cmpi(ult,4,5);7=arith.subf(2,3);8=arith.addf(0,1);9=arith.select(6,7,8);arith.mulf(9,9)):8x4xf32(0-4:4,1+4:8),f32(0-4:4,1),f32(0:4,1:8),f32(0:4,1),index(0) chain"
        ],
    );
}

#[test]
fn an_operation_before_a_reduction_belongs_to_that() {
    let (concat, _) = CONCAT.split_once('\n').unwrap();
    let square = generic("%s", "arith.mulf %in, %other", ["%r", "%r"]).replace("4x4", "4x8");
    let sum = "%zero = arith.constant 0.0 : f32
%rows = tensor.empty() : tensor<4xf32>
%begin = linalg.fill ins(%zero : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
%sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], \
               iterator_types = [\"parallel\", \"reduction\"]} ins(%s : tensor<4x8xf32>) outs(%begin : tensor<4xf32>) {
^bb0(%in: f32, %acc: f32):
  %y = arith.addf %in, %acc : f32
  linalg.yield %y : f32
} -> tensor<4xf32>
return %sum : tensor<4xf32>";
    check(
        &format!("{}{concat}\n{square}{sum}", rotated()),
        &expect![[r#"
            map(4=arith.constant(i32,4);5=arith.cmpi(ult,3,4);6=arith.subf(0,2);7=arith.addf(0,1);arith.select(5,6,7)):4x8xf32,f32(0,1-4:4),f32(0,1:4),index(1) chain
            square_sum:4x[8]xf32 chain"#]],
    );
}

/// IREE makes one operation of halves that are swapped, one of them negated, and their users.
#[test]
fn a_rotation_that_iree_fuses_is_left_to_it() {
    let negated = generic("%a", "arith.negf %in", ["%hi", "%hi"]);
    let concat = CONCAT.replace("%b", "%lo");
    let (concat, _) = concat.split_once('\n').unwrap();
    let user = generic("%s", "arith.mulf %in, %other", ["%r", "%x"]).replace("4x4", "4x8");
    check(
        &format!("{negated}{concat}\n{user}return %s : tensor<4x8xf32>"),
        &expect![""],
    );
    check(
        &format!("{negated}{concat}\nreturn %r : tensor<4x8xf32>"),
        &expect![
            "map(3=arith.constant(i32,4);4=arith.cmpi(ult,2,3);5=arith.negf(1);arith.select(4,5,0)):4x8xf32(0,1-4),f32(0,1+4),index(1) chain"
        ],
    );
}

#[test]
fn a_concatenation_of_too_many_inputs_takes_in_less() {
    let wide = "%wide = tensor.concat dim(0) %r, %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
%wider = tensor.concat dim(1) %wide, %u, %v : (tensor<12x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>) -> tensor<12x24xf32>
return %wider : tensor<12x24xf32>";
    let (concat, _) = CONCAT.split_once('\n').unwrap();
    check(
        &format!("{}{concat}\n{wide}", rotated()),
        &expect![[r#"
        map(7=arith.constant(i32,4);8=arith.cmpi(ult,5,7);9=arith.cmpi(ult,6,7);10=arith.subf(2,4);11=arith.addf(2,3);12=arith.select(9,10,11);13=arith.constant(i32,8);14=arith.cmpi(ult,5,13);15=arith.select(14,1,0);arith.select(8,12,15)):12x8xf32(0-8:4,1),f32(0-4:4,1),f32(0:4,1),f32(0:4,1-4:4),f32(0:4,1:4),index(0),index(1) chain
        map(4=arith.constant(i32,8);5=arith.cmpi(ult,3,4);6=arith.constant(i32,10);7=arith.cmpi(ult,3,6);8=arith.select(7,1,0);arith.select(5,2,8)):12x24xf32(0,1-16:8),f32(0,1-8:8),f32(0,1:8),index(1) chain"#]],
    );
}

#[test]
fn a_broadcast_of_others_is_read_where_it_is_narrow() {
    let broadcast = "%t = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], \
                     iterator_types = [\"parallel\", \"parallel\"]} ins(%row : tensor<4xf32>) outs(%half : tensor<4x4xf32>) {
^bb0(%in: f32, %out: f32):
  linalg.yield %in : f32
} -> tensor<4x4xf32>
";
    let text = format!("{broadcast}{}{CONCAT}, %t : tensor<4x4xf32>", rotated());
    let text = module(&text).replace(", %t: tensor<4x4xf32>)", ", %row: tensor<4xf32>)");
    let expected = expect![
        "map(4=arith.constant(i32,4);5=arith.cmpi(ult,3,4);6=arith.subf(0,2);7=arith.addf(0,1);arith.select(5,6,7)):4x8xf32,f32(1-4:4),f32(1:4),index(1) chain"
    ];
    expected.assert_eq(&said(&text).join("\n"));
}

/// JAX writes a concatenation as insertions, which stay together.
#[test]
fn insertions_into_one_tensor_are_one_concatenation() {
    let (joins, _) = INSERT.rsplit_once('\n').unwrap();
    let wide = "%empty = tensor.empty() : tensor<12x24xf32>
%above = tensor.insert_slice %u into %empty[0, 0] [12, 8] [1, 1] : tensor<12x8xf32> into tensor<12x24xf32>
%more = tensor.insert_slice %v into %above[0, 8] [12, 8] [1, 1] : tensor<12x8xf32> into tensor<12x24xf32>
%three = tensor.concat dim(0) %r, %y, %z : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
%end = tensor.insert_slice %three into %more[0, 16] [12, 8] [1, 1] : tensor<12x8xf32> into tensor<12x24xf32>
return %end : tensor<12x24xf32>";
    check(
        &format!("{}{joins}\n{wide}", rotated()),
        &expect![[r#"
        map(7=arith.constant(i32,4);8=arith.cmpi(ult,5,7);9=arith.cmpi(ult,6,7);10=arith.subf(2,4);11=arith.addf(2,3);12=arith.select(9,10,11);13=arith.constant(i32,8);14=arith.cmpi(ult,5,13);15=arith.select(14,1,0);arith.select(8,12,15)):12x8xf32(0-8:4,1),f32(0-4:4,1),f32(0:4,1),f32(0:4,1-4:4),f32(0:4,1:4),index(0),index(1) chain
        map(4=arith.constant(i32,10);5=arith.cmpi(ult,3,4);6=arith.constant(i32,8);7=arith.cmpi(ult,3,6);8=arith.select(7,2,1);arith.select(5,8,0)):12x24xf32(0,1-16:8),f32(0,1-8:8),f32(0,1:8),index(1) chain"#]],
    );
}

#[test]
fn inserted_pieces_cover_what_nothing_has_written() {
    let piece = |name: &str, at: u64, size: u64, into: &str| {
        format!(
            "%{name} = tensor.insert_slice %t{size} into %{into}[0, {at}] [4, {size}] [1, 1] : tensor<4x{size}xf32> into tensor<4x8xf32>\n"
        )
    };
    let end = "return %z : tensor<4x8xf32>";
    let three = piece("p", 0, 2, "all") + &piece("q", 2, 3, "p") + &piece("z", 5, 3, "q") + end;
    check(
        &three,
        &expect![
            "map(4=arith.constant(i32,5);5=arith.cmpi(ult,3,4);6=arith.constant(i32,2);7=arith.cmpi(ult,3,6);8=arith.select(7,2,1);arith.select(5,8,0)):4x8xf32(0,1-5:3),f32(0,1-2:3),f32(0,1:2),index(1) chain"
        ],
    );
    // The middle of a tensor with elements leaves those on both sides.
    check(&(piece("z", 2, 3, "x") + end), &expect![""]);
    check(
        &(piece("z", 0, 3, "x") + end),
        &expect![
            "map(3=arith.constant(i32,3);4=arith.cmpi(ult,2,3);arith.select(4,1,0)):4x8xf32,f32(0,1:3),index(1) chain"
        ],
    );
    check(
        &(piece("z", 6, 2, "x") + end),
        &expect![
            "map(3=arith.constant(i32,6);4=arith.cmpi(ult,2,3);arith.select(4,0,1)):4x8xf32,f32(0,1-6:2),index(1) chain"
        ],
    );
    // A piece in the middle of another one leaves that on both sides, too.
    check(
        &(piece("p", 0, 6, "all") + &piece("z", 2, 2, "p") + end),
        &expect![""],
    );
    // A hole has no elements.
    check(
        &(piece("p", 1, 2, "all") + &piece("z", 4, 2, "p") + end),
        &expect![""],
    );
}

#[test]
fn other_slices_are_not_read() {
    for (from, to) in [
        ("[4, 4] [1, 1]", "[4, 4] [1, 2]"),
        ("%x[0, 4]", "%x[0, %c4]"),
        ("%x[0, 4]", "%x[0, 5]"),
        ("dim(1)", "dim(2)"),
        ("dim(1)", "dim(0)"),
        ("-> tensor<4x8xf32>", "-> tensor<4x9xf32>"),
        ("-> tensor<4x8xf32>", "-> tensor<4x?xf32>"),
        ("-> tensor<4x8xf32>", "-> tensor<4x8xf16>"),
    ] {
        let text = module(&(rotated() + CONCAT)).replace(from, to);
        assert!(!said(&text).contains(&ROTATED.to_owned()), "{text}");
    }
    // Three tensors that need each other are no MLIR.
    let circle = ["p", "q", "r", "p"].windows(2).map(|it| {
        let [name, into] = it else { unreachable!() };
        format!("%{name} = tensor.insert_slice %t into %{into}[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>\n")
    });
    let circle: String = circle.collect();
    said(&module(&format!("{circle}return %r : tensor<4x8xf32>")));
}

/// The tensor of random concatenations.
const SIZES: [usize; 2] = [6, 9];

/// A tensor: its rows of numbers of elements of `%x`.
type Numbers = Vec<Vec<usize>>;

/// The text of random slices, with the number of named tensors.
struct SliceText {
    text: String,
    names: usize,
}

impl SliceText {
    /// Makes a tensor of this size from slices, and returns its name and elements.
    fn tensor(
        &mut self,
        random: &mut Random,
        rows: usize,
        columns: usize,
        depth: usize,
    ) -> (String, Numbers) {
        let kind = format!("tensor<{rows}x{columns}xf32>");
        self.names += 1;
        let name = format!("%v{}", self.names);
        let cuts = [rows, columns];
        let along = below(random, 2) as usize;
        if depth == 0 || cuts[along] < 2 {
            let [row, column] = [SIZES[0] - rows, SIZES[1] - columns]
                .map(|it| below(random, it as u64 + 1) as usize);
            writeln!(
                self.text,
                "{name} = tensor.extract_slice %x[{row}, {column}] [{rows}, {columns}] [1, 1] : tensor<6x9xf32> to {kind}"
            )
            .unwrap();
            let number = |r: usize| {
                (column..column + columns)
                    .map(|c| (row + r) * SIZES[1] + c)
                    .collect()
            };
            return (name, (0..rows).map(number).collect());
        }
        let first = 1 + below(random, cuts[along] as u64 - 1) as usize;
        let sizes = |size: usize| {
            if along == 0 {
                [size, columns]
            } else {
                [rows, size]
            }
        };
        let parts = [first, cuts[along] - first].map(sizes);
        let made = parts.map(|[rows, columns]| self.tensor(random, rows, columns, depth - 1));
        let kinds = parts.map(|[rows, columns]| format!("tensor<{rows}x{columns}xf32>"));
        let [(one, one_numbers), (other, other_numbers)] = made;
        match below(random, 2) {
            0 => writeln!(
                self.text,
                "{name} = tensor.concat dim({along}) {one}, {other} : ({}, {}) -> {kind}",
                kinds[0], kinds[1]
            )
            .unwrap(),
            _ => {
                let place = if along == 0 { [first, 0] } else { [0, first] };
                writeln!(self.text, "%e{0} = tensor.empty() : {kind}", self.names).unwrap();
                let inserts = [
                    (
                        format!("%i{}", name.trim_start_matches('%')),
                        &one,
                        [0, 0],
                        parts[0],
                        &kinds[0],
                    ),
                    (name.clone(), &other, place, parts[1], &kinds[1]),
                ];
                let mut into = format!("%e{}", self.names);
                for (result, part, [row, column], [rows, columns], of) in inserts {
                    writeln!(
                        self.text,
                        "{result} = tensor.insert_slice {part} into {into}[{row}, {column}] [{rows}, {columns}] [1, 1] : {of} into {kind}"
                    )
                    .unwrap();
                    into = result;
                }
            }
        }
        let numbers = match along {
            0 => one_numbers.into_iter().chain(other_numbers).collect(),
            _ => {
                let rows = one_numbers.into_iter().zip(other_numbers);
                rows.map(|(one, other)| [one, other].concat()).collect()
            }
        };
        (name, numbers)
    }
}

/// Returns the result of a map at an index, if all its inputs are views of `%x`. An element of
/// `%x` has its number as its value.
fn result(problem: &Problem, at: [usize; 2]) -> f64 {
    let number = |view: Option<&View>| {
        let Some(view) = view else {
            return at[0] * SIZES[1] + at[1];
        };
        let along = view.along().iter().zip(SIZES);
        let number = along.map(|(along, size)| {
            let ViewSource::Dimension(dimension) = along.by else {
                panic!("{along:?}")
            };
            (along.place(at[dimension] as u64), size)
        });
        number.fold(0, |number, (place, size)| match usize::try_from(place) {
            Ok(place) if place < size => number * size + place,
            // An element outside of the tensor must not be selected.
            _ => 1000,
        })
    };
    let function = problem.function.as_ref().unwrap();
    let bits = |number: usize| ScalarType::F32.round(number as f64);
    let mut arguments = vec![bits(number(function.view()))];
    arguments.extend(function.operands().iter().map(|operand| {
        let mut dimensions = operand.map.dimensions();
        match operand.is_place {
            true => at[dimensions.next().unwrap()] as u64,
            false => bits(number(operand.view.as_ref())),
        }
    }));
    ScalarType::F32.to_f64(function.evaluator().result(&arguments))
}

#[test]
fn random_concatenations_have_the_elements_of_their_pieces() {
    let mut random = generator(1, 0);
    let mut read = 0;
    for _ in 0..300 {
        let mut made = SliceText {
            text: String::new(),
            names: 0,
        };
        let [rows, columns] = [5, 8].map(|it| 2 + below(&mut random, it - 2) as usize);
        let (name, numbers) = made.tensor(&mut random, rows, columns, 3);
        let text = format!(
            "func.func @f(%x: tensor<6x9xf32>) {{\n{}return {name} : tensor<{rows}x{columns}xf32>\n}}\n",
            made.text
        );
        let found = operations(&text, &COUNTS).unwrap();
        let [found] = &found[..] else {
            continue;
        };
        // A kernel has eight inputs at most, so another one may compute some of them.
        let inputs = found.form.as_ref().unwrap().inputs();
        if inputs.map(|it| it.0).collect::<HashSet<_>>().len() > 1 {
            continue;
        }
        let problem = found.problem.as_ref().unwrap();
        read += 1;
        for (row, numbers) in numbers.iter().enumerate() {
            for (column, number) in numbers.iter().enumerate() {
                assert_eq!(
                    result(problem, [row, column]),
                    *number as f64,
                    "{problem} at [{row}, {column}] of\n{text}"
                );
            }
        }
    }
    assert!(read > 150, "{read}");
}
