//! Random problems, as text: random functions of random inputs, and random row programs.

mod program;

pub use program::any_program;

use configgen::ElementType;

use testing::Random;

/// Returns the text of a random problem with a random function of its inputs.
pub fn any_text(random: &mut Random) -> String {
    let mut below = |limit: usize| random.below(limit as u64) as usize;
    // Smaller dimensions at a higher rank keep the number of elements small.
    let rank = 1 + below(4);
    let reduced = below(rank);
    // Only an outermost dimension that is not reduced may have an unknown count.
    let counted = rank > 1 && reduced > 0 && below(6) == 0;
    let mut sizes = Vec::new();
    let dimensions: Vec<String> = (0..rank)
        .map(|d| {
            let mut size = 1 + below([4000, 300, 60, 20][rank - 1]) / (1 + below(4));
            if below(4) == 0 {
                // Such sizes allow whole vectors.
                size = size.next_multiple_of(8);
            }
            sizes.push(size);
            match (d == reduced || d > 0 && below(6) == 0, counted && d == 0) {
                (true, _) => format!("[{size}]"),
                (false, true) => "?".to_owned(),
                (false, false) => size.to_string(),
            }
        })
        .collect();
    let is_float = below(3) > 0;
    let types = |is_float: bool| {
        let all = ElementType::ALL.into_iter();
        all.filter(move |it| it.is_float() == is_float)
            .collect::<Vec<ElementType>>()
    };
    // Integer inputs can be converted to floats.
    let mut inputs: Vec<ElementType> = (0..1 + below(4))
        .map(|_| {
            let own = types(is_float && below(4) > 0);
            own[below(own.len())]
        })
        .collect();
    let places: Vec<Option<usize>> = (0..inputs.len())
        .map(|number| (number > 0 && below(8) == 0).then(|| below(rank)))
        .collect();
    for (element, place) in inputs.iter_mut().zip(&places) {
        if place.is_some() {
            *element = ElementType::I32;
        }
    }
    // Some integer inputs hold indices by which others are gathered.
    let holds = |number: &usize| {
        let element = inputs[*number];
        places[*number].is_none() && !element.is_float() && element != ElementType::I1
    };
    let holding: Vec<usize> = (0..inputs.len()).filter(holds).collect();
    let holding = (!holding.is_empty() && below(2) == 0).then(|| holding[below(holding.len())]);
    let computed: &[ElementType] = match is_float {
        true => &[
            // Twice, as the most common type.
            ElementType::F32,
            ElementType::F32,
            ElementType::F64,
            ElementType::F16,
            ElementType::Bf16,
        ],
        false => &[
            ElementType::I32,
            ElementType::I64,
            ElementType::I16,
            ElementType::I8,
        ],
    };
    let computed = computed[below(computed.len())];
    let function = any_function(&inputs, computed, &mut below);
    let compares = below(3) == 0;
    let name = match is_float {
        true if compares => ["argmax", "argmin", "argmax_nan", "argmin_last"][below(4)],
        false if compares => ["argmax", "argmin_last", "argmax.ugt"][below(3)],
        true => ["sum", "sum", "max", "min", "maxnum", "minnum"][below(6)],
        false => ["sum", "usum", "product", "max", "umin", "and", "or", "xor"][below(8)],
    };
    let texts: Vec<String> = (0..inputs.len())
        .map(|number| {
            let is_own = number == 0 && below(3) > 0;
            let held = holding.filter(|it| *it != number && below(2) == 0);
            match places[number] {
                Some(dimension) => format!("index({dimension})"),
                None if is_own => inputs[number].to_string(),
                None => {
                    let map = any_map(rank, counted, &mut below);
                    let view = any_view(map, (inputs[number], held), &sizes, counted, &mut below);
                    format!("{}{view}", inputs[number])
                }
            }
        })
        .collect();
    let is_own = texts[0] == inputs[0].to_string();
    let options = match (below(4), counted) {
        // A prime pitch: rows do not begin at a vector's boundary.
        (0, _) if rank > 1 && is_own => ":pitch=307",
        (_, true) => ":count=1..9",
        _ => "",
    };
    let initial = match compares {
        true => [
            ":i32",
            ":i64",
            ":i64:index_base",
            ":i32:explicit_index",
            ":i32:initial=1@7",
        ][below(5)],
        false => ["", ":initial=1"][below(2)],
    };
    let (shape, inputs) = (dimensions.join("x"), texts.join(","));
    let options = match counted && !options.contains("count") {
        true => format!("{initial}{options}:count=1..9"),
        false => format!("{initial}{options}"),
    };
    format!("{name}({function}):{shape}x{inputs}{options}")
}

/// Returns the dimensions of an operand: all, or some in any order.
fn any_map(rank: usize, counted: bool, below: &mut impl FnMut(usize) -> usize) -> Vec<usize> {
    if below(3) == 0 {
        return (0..rank).collect();
    }
    let mut left: Vec<usize> = (0..rank).collect();
    let mut map = Vec::new();
    for _ in 0..below(rank + 1) {
        map.push(left.swap_remove(below(left.len())));
    }
    // An unknown count must be the outermost dimension.
    if counted && let Some(place) = map.iter().position(|d| *d == 0) {
        map.swap(0, place);
    }
    map
}

/// Returns the suffix of an input's type: its dimensions as they are, or a view, which another
/// input may gather.
fn any_view(
    map: Vec<usize>,
    (element, held): (ElementType, Option<usize>),
    sizes: &[usize],
    counted: bool,
    below: &mut impl FnMut(usize) -> usize,
) -> String {
    let is_plain = below(2) == 0;
    // Multiples of a vector's width: an edge then cuts between vectors, not through one.
    let unit = [1, 1, 4, 8][below(4)];
    let mut along: Vec<String> = (map.iter())
        .map(|&d| {
            let size = sizes[d];
            if is_plain || counted && d == 0 || below(3) == 0 {
                return d.to_string();
            }
            let mut some = |limit: usize| below(limit.div_ceil(unit)) * unit;
            let before = some(size);
            match some(4 * unit) / unit {
                0 => format!("{d}+{}:{}", before, size + before + some(9)),
                1 => format!("{d}-{before}:{}", 1 + some(size)),
                2 => format!("-{d}+{}", size - 1),
                _ => format!("-{d}+{}:{}", before + some(9), 1 + some(size + 3)),
            }
        })
        .collect();
    if let Some(held) = held {
        let (place, size) = (below(along.len() + 1), 1 + below(12));
        let by = match below(4) {
            0 => format!("-@{held}+{}:{size}", below(9)),
            1 => format!("@{held}-{}:{size}", 1 + below(9)),
            _ => format!("@{held}:{size}"),
        };
        // An unknown count must be the outermost dimension.
        let is_first = counted && map.first() == Some(&0);
        along.insert(place.max(is_first.into()), by);
    }
    let outside = match (below(3), element.is_float()) {
        (0, true) => ["=1", "=nan", "=-0.0"][below(3)],
        (0, false) => "=1",
        _ => "",
    };
    format!("({}{outside})", along.join(","))
}

/// Returns a function of all inputs in type `computed`. It converts the inputs and combines them
/// one by one, with some unary operations between.
fn any_function(
    inputs: &[ElementType],
    computed: ElementType,
    below: &mut impl FnMut(usize) -> usize,
) -> String {
    let mut next = inputs.len();
    let mut statements: Vec<String> = Vec::new();
    let mut push = |operation: String| {
        statements.push(operation);
        next += 1;
        next - 1
    };
    let is_float = computed.is_float();
    let mut made: Option<usize> = None;
    for (input, &element) in inputs.iter().enumerate() {
        let is_wider = element.bits() < computed.bits();
        let is_same_size = element.bits() == computed.bits();
        let mut value = match (element.is_float(), is_float) {
            _ if element == computed => input,
            (false, true) => push(format!("arith.sitofp({input},{computed})")),
            (true, _) if is_wider => push(format!("arith.extf({input},{computed})")),
            // f16 and bf16 convert to each other only through f32.
            (true, _) if is_same_size => {
                let wide = push(format!("arith.extf({input},f32)"));
                push(format!("arith.truncf({wide},{computed})"))
            }
            (true, _) => push(format!("arith.truncf({input},{computed})")),
            (false, false) if is_wider => push(format!("arith.extsi({input},{computed})")),
            (false, false) => push(format!("arith.trunci({input},{computed})")),
        };
        if below(3) == 0 {
            let alone = match is_float {
                true => ["math.absf", "arith.negf"][below(2)],
                false => "math.absi",
            };
            value = push(format!("{alone}({value})"));
        }
        let both = match is_float {
            true => [
                "arith.mulf",
                "arith.mulf",
                "arith.addf",
                "arith.subf",
                "arith.maximumf",
            ][below(5)],
            false => [
                "arith.muli",
                "arith.addi",
                "arith.xori",
                "arith.minsi",
                "arith.subi",
            ][below(5)],
        };
        made = Some(match made {
            Some(made) => push(format!("{both}({made},{value})")),
            None if inputs.len() == 1 => push(format!("{both}({value},{value})")),
            None => value,
        });
    }
    let first = inputs.len();
    let last = statements.len() - 1;
    let numbered = statements.iter().enumerate().map(|(place, operation)| {
        let number = first + place;
        match place == last {
            true => operation.clone(),
            false => format!("{number}={operation};"),
        }
    });
    numbered.collect()
}
