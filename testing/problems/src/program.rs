//! Random row programs, as text: up to four folds, expressions of up to eight levels, mixed types,
//! and one to four results.

use testing::Random;

/// The types of elements and of computations.
const FLOATS: [&str; 3] = ["f32", "f16", "bf16"];

/// Returns the text of a random row program. One in eight folds nothing.
///
/// The parser refuses some of the texts. They have an unused input, or fold a value that is the
/// same in the whole row.
pub fn any_program(random: &mut Random) -> String {
    let below = |limit: u64| random.below(limit);
    ProgramText {
        below,
        inputs: Vec::new(),
        rank: 1,
        columns: 0,
        rows: 0,
    }
    .text()
}

struct ProgramText<F> {
    below: F,
    /// The type of each input, with its name.
    inputs: Vec<(String, &'static str)>,
    /// The number of dimensions.
    rank: u64,
    /// The size of the only reduced dimension; 0 without one.
    columns: u64,
    /// The number of named values of the row.
    rows: u64,
}

impl<F: FnMut(u64) -> u64> ProgramText<F> {
    fn text(mut self) -> String {
        self.rank = 1 + (self.below)(3);
        let rank = self.rank as usize;
        let folds = match (self.below)(8) {
            0 => 0,
            _ => 1 + (self.below)(4),
        };
        let reduced = (self.below)(rank as u64) as usize;
        let is_counted = rank > 1 && (folds == 0 || reduced > 0) && (self.below)(5) == 0;
        let sizes: Vec<String> = (0..rank)
            .map(|d| {
                let mut size = 1 + (self.below)([900, 60, 12][rank - 1]);
                if (self.below)(3) == 0 {
                    size = size.next_multiple_of(8);
                }
                match folds > 0 && (d == reduced || d > 0 && (self.below)(6) == 0) {
                    true => format!("[{size}]"),
                    false if is_counted && d == 0 => "?".to_owned(),
                    false => size.to_string(),
                }
            })
            .collect();
        let reduced_sizes = sizes.iter().filter_map(|it| it.strip_prefix('['));
        if let [size] = reduced_sizes.collect::<Vec<_>>()[..] {
            self.columns = size.trim_end_matches(']').parse().unwrap_or_default();
        }
        let own = FLOATS[(self.below)(3) as usize];
        self.inputs.push(("x".to_owned(), own));
        let mut tensors = own.to_owned() + &self.view(&sizes);
        for number in 1..=(self.below)(3) {
            let all = ["f32", "f32", "f16", "bf16", "i1", "i32"];
            let element = all[(self.below)(6) as usize];
            self.inputs.push((format!("x{number}"), element));
            tensors += &format!(",{element}");
            if (self.below)(3) > 0 {
                let some: Vec<String> = (0..rank)
                    .filter(|_| (self.below)(2) == 0)
                    .map(|d| d.to_string())
                    .collect();
                tensors += &format!("({})", some.join(","));
            }
        }
        let mut statements = String::new();
        for fold in 1..=folds {
            let name = ["sum", "sum", "max", "min", "maxnum", "minnum"][(self.below)(6) as usize];
            let element = self.expression("f32", 5, true);
            let folded = format!("{name}({element})");
            // Sums of many terms are made small again, so that products of them stay finite.
            let value = match (self.below)(3) {
                0 => folded,
                1 => format!("{folded}*0.015625"),
                _ => format!("{}({folded})", self.function()),
            };
            statements += &format!("r{fold}={value};");
            self.rows = fold;
        }
        let results = 1 + (self.below)(4);
        let results: Vec<String> = (0..results)
            .map(|_| {
                let is_of_elements = self.rows == 0 || (self.below)(3) > 0;
                let element = FLOATS[(self.below)(3) as usize];
                let levels = 1 + (self.below)(7);
                let value = self.expression(element, levels, is_of_elements);
                match (self.below)(8) {
                    0 => format!("i8({value})"),
                    1 if element != "f32" => format!("f8E4M3FNUZ({value})"),
                    _ => value,
                }
            })
            .collect();
        let counts = if is_counted { ":count=1..9" } else { "" };
        format!(
            "rows({statements}{}):{}x{tensors}{counts}",
            results.join(","),
            sizes.join("x")
        )
    }

    /// Returns the suffix of the first input's type: nothing, or a slice, a pad or a reversal along
    /// some dimensions.
    fn view(&mut self, sizes: &[String]) -> String {
        if (self.below)(6) > 0 {
            return String::new();
        }
        let along = sizes.iter().enumerate().map(|(d, size)| {
            let size: u64 = match size.trim_matches(['[', ']']).parse() {
                Ok(size) if (self.below)(2) == 0 => size,
                _ => return d.to_string(),
            };
            let offset = (self.below)(9);
            match (self.below)(4) {
                0 => format!("{d}-{offset}:{}", 1 + (self.below)(size)),
                1 => format!("-{d}+{}", size - 1),
                _ => format!("{d}+{offset}:{}", size + offset + (self.below)(9)),
            }
        });
        format!("({})", along.collect::<Vec<_>>().join(","))
    }

    /// Returns a function from a float to a float of the same type.
    fn function(&mut self) -> &'static str {
        let all = [
            "abs",
            "-",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "roundeven",
            "rsqrt",
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log1p",
            "tanh",
            "erf",
            "sin",
            "cos",
        ];
        all[(self.below)(all.len() as u64) as usize]
    }

    /// Returns an expression of this type with at most so many levels. It may have elements if
    /// `is_of_elements` is set, and then has at least one.
    fn expression(&mut self, of: &'static str, levels: u64, is_of_elements: bool) -> String {
        if levels <= 1 {
            return self.leaf(of, is_of_elements);
        }
        let levels = levels - 1;
        match (self.below)(10) {
            0..=3 => {
                let both = ["+", "-", "*", "*", "/"][(self.below)(5) as usize];
                let [one, other] = self.two(of, levels, is_of_elements);
                format!("({one}{both}{other})")
            }
            4 => {
                let name = ["max", "min", "maxnum", "minnum"][(self.below)(4) as usize];
                let [one, other] = self.two(of, levels, is_of_elements);
                format!("{name}({one},{other})")
            }
            5 => {
                let condition = self.condition(levels.min(2), is_of_elements);
                let [one, other] = self.two(of, levels, is_of_elements);
                format!("select({condition},{one},{other})")
            }
            6 | 7 => {
                let name = self.function();
                format!("{name}({})", self.expression(of, levels, is_of_elements))
            }
            _ => {
                let from = FLOATS[(self.below)(3) as usize];
                // f16 and bf16 convert to each other by way of f32.
                let inner = self.expression(from, levels, is_of_elements);
                match (from == of, from == "f32" || of == "f32") {
                    (true, _) => inner,
                    (_, true) => format!("{of}({inner})"),
                    _ => format!("{of}(f32({inner}))"),
                }
            }
        }
    }

    /// Returns two expressions of one type. At least one has an element if `is_of_elements` is set.
    fn two(&mut self, of: &'static str, levels: u64, is_of_elements: bool) -> [String; 2] {
        let is_of_rows = (self.below)(3) == 0;
        let one = self.expression(of, levels, is_of_elements);
        let is_small = (self.below)(2) == 0;
        let levels = if is_small { 1 } else { levels };
        let other = self.expression(of, levels, is_of_elements && !is_of_rows);
        match (self.below)(2) {
            0 => [one, other],
            _ => [other, one],
        }
    }

    fn condition(&mut self, levels: u64, is_of_elements: bool) -> String {
        let masks = self.inputs.iter().filter(|it| it.1 == "i1");
        let mask = masks.map(|it| it.0.clone()).next();
        if let Some(mask) = mask.filter(|_| is_of_elements && (self.below)(2) == 0) {
            return mask;
        }
        let by = ["<", "<=", ">", ">=", "==", "!="][(self.below)(6) as usize];
        let [one, other] = self.two("f32", levels, is_of_elements);
        format!("{one}{by}{other}")
    }

    /// Returns a position of the row. A label is one if it has an element for each row.
    fn position(&mut self) -> String {
        let labels = self.inputs.iter().filter(|it| it.1 == "i32");
        let label = labels.map(|it| it.0.clone()).next();
        let Some(label) = label.filter(|_| (self.below)(2) == 0) else {
            return (self.below)(self.columns).to_string();
        };
        let (label, columns) = (format!("at({label})"), self.columns);
        match (self.below)(4) {
            // A position before the first one counts from the end, as in Python.
            0 => format!("select({label}<0,{label}+{columns},{label})"),
            1 => format!("minsi(maxsi({label},0),{})", columns - 1),
            2 => format!("{label}-{}", 1 + (self.below)(columns)),
            _ => label,
        }
    }

    /// Returns an input, one at a position, a value of the row or a number.
    fn leaf(&mut self, of: &'static str, is_of_elements: bool) -> String {
        let converted = |(name, element): &(String, &'static str)| match *element {
            element if element == of => name.clone(),
            "i32" if name.ends_with('3') => format!("{of}(minsi({name}+{name},7)-{name})"),
            "f32" | "i1" | "i32" => format!("{of}({name})"),
            _ if of == "f32" => format!("f32({name})"),
            _ => format!("{of}(f32({name}))"),
        };
        if is_of_elements && (self.below)(8) == 0 {
            let [one, other] = [(); 2].map(|()| (self.below)(self.rank));
            return match (self.below)(3) {
                0 => format!("{of}(absi(index({one})-index({other})))"),
                _ => format!("{of}(index({one}))"),
            };
        }
        if is_of_elements {
            let place = (self.below)(self.inputs.len() as u64) as usize;
            return converted(&self.inputs[place]);
        }
        if self.columns > 0 && (self.below)(5) == 0 {
            let input = (self.below)(self.inputs.len() as u64) as usize;
            let value = converted(&self.inputs[input]);
            return format!("at({value},{})", self.position());
        }
        if self.rows > 0 && (self.below)(3) > 0 {
            let row = (format!("r{}", 1 + (self.below)(self.rows)), "f32");
            return converted(&row);
        }
        let number = ["0.5", "2", "-1", "0.25", "3", "1e-3"][(self.below)(6) as usize];
        format!("{of}({number})")
    }
}
