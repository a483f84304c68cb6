//! Test of the book's page of all operations: a row per name that the parser accepts.

use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;

use crate::comparator::Comparator;
use crate::reduction::{Combining, NamedFold, POINTWISE, RowOperation};
use crate::{ElementType, Generator, Problem, TARGETS, check_problem};

const HEAD: &str = "\
# Problems

`UPDATE_EXPECT=1 cargo nextest run -p configgen reference` writes this page from the operations that the parser takes.

A problem is a line of text: `OPERATION:DIMENSIONSxTYPE[:OPTION]...`. Brackets enclose the reduced dimensions.
`argmax:4x[32000]xf32` is the argmax of each of 4 rows of 32000 floats.

The column *generators* names the generators that take the example on at least one target.
`wavetune space PROBLEM --count` counts the configurations for a target, or names the rule that refuses the problem.
";

/// Texts that show the rest of the grammar, with their meanings.
const FORMS: [(&str, &str); 16] = [
    (
        "sum(math.absf(0)):64x[768]xf16",
        "A function of each element: the sum of magnitudes. Numbers below the count of inputs name inputs",
    ),
    (
        "argmax(3=arith.mulf(0,1);arith.addf(2,3)):64x[32000]xf32,f32(),f32",
        "A function of three inputs: logits times one number, plus noise",
    ),
    (
        "dot:4096x[11008]xbf16,bf16(1)",
        "An operand that has dimension 1 alone: a matrix by a vector",
    ),
    (
        "sum:64x[768]xf32(0,1-2:764)",
        "A view: rows of 764 elements with a pad of two zeros on each side",
    ),
    (
        "max:64x[768]xf32(0,1-2:764=-inf)",
        "A view with another pad",
    ),
    (
        "sum:64x[768]xf32(0,-1+767)",
        "A view that takes each row from its end",
    ),
    (
        "sum:64x[10]x768xf32(@1:50000,2),i32(0,1)",
        "A gather: input 1 names rows of a table of 50000",
    ),
    (
        "rows(r1=sum(x)/768;e1=x-r1;r1,sum(e1*e1)/768):64x[768]xf32",
        "A row program: the mean and the variance of each row",
    ),
    (
        "rows(e1=select(index(1)<=index(0),x,-1e9);e2=exp(e1-max(e1));e2/sum(e2)):64x[64]xf32",
        "A row program: a softmax with a causal mask",
    ),
    (
        "rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/768+1e-6))*x1):64x[768]xf16,f16(1)",
        "A row program: an RMS norm that rounds before the weight",
    ),
    (
        "argmax(arith.addf(0,1)):64x[768]xf32,f32(1)",
        "A comparator of computed values",
    ),
    (
        "arg_compare{arith.cmpf(ogt,0,1)}:4x[8]xf32",
        "A comparator in braces",
    ),
    (
        "unordered{arith.cmpf(une,0,1)}:4x[8]xf32:i32:initial",
        "A comparator that orders nothing: one lane goes through each row",
    ),
    (
        "argmax:?x[32000]xf32:i32:count=1..64",
        "An outermost size that is known at launch only, from 1 to 64",
    ),
    (
        "argmax:4x[8]xui8",
        "Integers without a sign; the same as `argmax.ugt:4x[8]xi8`",
    ),
    ("argmax:[2]x3x[4]xi8", "Two reduced dimensions"),
];

/// Options, each with an example and its meaning.
const OPTIONS: [(&str, &str, &str); 10] = [
    (
        "`i32`, `i64`, `index`",
        "argmax:4x[8]xf32:i64",
        "The type of the indices of a comparator; i32 if absent",
    ),
    (
        "`f32`, `f64`, `i32`, `i64`",
        "sum:4x[8]xf16:f64",
        "The accumulator of a sum, a product or a dot product",
    ),
    (
        "`index_base`",
        "argmax:4x[8]xf32:i32:index_base",
        "A number by value that the kernel adds to each index",
    ),
    (
        "`explicit_index`",
        "argmax:4x[8]xf32:i32:explicit_index",
        "A second input with the index of each element",
    ),
    (
        "`initial`",
        "argmax:4x[8]xf32:i32:initial",
        "The fold begins at the pair in the outputs",
    ),
    (
        "`initial=VALUE@INDEX`",
        "argmax:4x[8]xf32:i32:initial=0.0@-1",
        "The fold begins at this pair",
    ),
    (
        "`initial=VALUE`",
        "sum:4x[8]xf32:initial=1.0",
        "A plain reduction begins at this value",
    ),
    (
        "`epsilon=VALUE`",
        "rms_norm:4x[8]xf32:epsilon=1e-5",
        "The term below the root of a norm",
    ),
    (
        "`pitch=SIZE`",
        "argmax:4x[8]xf32:i32:pitch=9",
        "Elements between the begins of two rows",
    ),
    (
        "`count=LEAST..LARGEST`",
        "argmax:?x[8]xf32:i32:count=1..64",
        "The range of an outermost size `?`; 1..512 if absent",
    ),
];

/// Returns the page; the parser has accepted all of its problems.
fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut add = |title: &str, names: &[&str], texts: &[&str]| {
        writeln!(page, "\n## {title}\n\n| name | example | operands | results | elements | generators |\n|---|---|---|---|---|---|").unwrap();
        for name in names {
            page.push_str(&row(name, texts));
        }
    };
    let mut comparators: Vec<&str> = Vec::new();
    for name in ElementType::ALL.into_iter().flat_map(Comparator::names) {
        if !comparators.contains(&name) {
            comparators.push(name);
        }
    }
    add("Comparators", &comparators, &["NAME:4x[32000]xTYPE"]);
    add(
        "Plain reductions",
        &Combining::ALL.map(Combining::name),
        &["NAME:4x[32000]xTYPE"],
    );
    let named = NamedFold::ALL.map(NamedFold::name);
    add(
        "Reductions of a named function",
        &named,
        &["NAME:64x[4096]xTYPE", "NAME:64x[4096]xTYPE,TYPE(1)"],
    );
    add(
        "Row operations",
        &RowOperation::ALL.map(RowOperation::name),
        &["NAME:64x[768]xTYPE"],
    );
    let maps = [
        "NAME(arith.addf(0,1)):64x768xTYPE,TYPE",
        "NAME:768x64xTYPE(1,0)",
    ];
    add("Maps", &POINTWISE, &maps);
    page.push_str("\n## Forms\n\n| problem | meaning | generators |\n|---|---|---|\n");
    for (text, meaning) in FORMS {
        let problem = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        writeln!(page, "| `{text}` | {meaning} | {} |", generators(&problem)).unwrap();
    }
    page.push_str("\n## Options\n\n| option | example | meaning |\n|---|---|---|\n");
    for (option, text, meaning) in OPTIONS {
        let parsed: Result<Problem, _> = text.parse();
        assert!(parsed.is_ok(), "{text}: {parsed:?}");
        writeln!(page, "| {option} | `{text}` | {meaning} |").unwrap();
    }
    let types = ElementType::ALL.map(|it| format!("`{}`", it.name()));
    writeln!(
        page,
        "\n## Element types\n\n{}. A truth value, `i1`, has a byte.",
        types.join(", ")
    )
    .unwrap();
    page
}

/// Returns the row of an operation, with the first text that it accepts.
fn row(name: &str, texts: &[&str]) -> String {
    let parsed = |element: ElementType, text: &&str| {
        let text = text.replace("NAME", name).replace("TYPE", element.name());
        Some((text.parse::<Problem>().ok()?, text))
    };
    let all = ElementType::ALL.into_iter();
    let taken = all.filter_map(|element| {
        let (problem, text) = texts.iter().find_map(|text| parsed(element, text))?;
        Some((element, problem, text))
    });
    // Readers know these types best.
    let mut taken: Vec<_> = taken.collect();
    let elements: Vec<ElementType> = taken.iter().map(|it| it.0).collect();
    taken.sort_by_key(|it| (it.0.name() != "f32", it.0.name() != "i32"));
    let (_, problem, text) = taken
        .first()
        .unwrap_or_else(|| panic!("no example of {name} parses"));
    let operands = problem
        .operands()
        .into_iter()
        .map(|it| it.name.into_owned());
    let results = problem.results().into_iter().map(|it| it.name.to_owned());
    let [operands, results] =
        [operands.collect::<Vec<_>>(), results.collect()].map(|it| it.join(", "));
    let (elements, generators) = (summary(&elements), generators(problem));
    format!("| `{name}` | `{text}` | {operands} | {results} | {elements} | {generators} |\n")
}

/// Returns the types in a few words.
fn summary(elements: &[ElementType]) -> String {
    let all = |is_of: fn(&ElementType) -> bool| {
        ElementType::ALL
            .into_iter()
            .filter(is_of)
            .collect::<Vec<_>>()
    };
    if elements == all(|_| true) {
        "all".to_owned()
    } else if elements == all(|it| it.is_float()) {
        "floats".to_owned()
    } else if elements == all(|it| !it.is_float()) {
        "integers, i1".to_owned()
    } else if elements == all(|it| !it.is_float() && it.name() != "i1") {
        "integers".to_owned()
    } else if elements == all(|it| it.name() != "i1") {
        "all but i1".to_owned()
    } else {
        let names: Vec<&str> = elements.iter().map(|it| it.name()).collect();
        names.join(", ")
    }
}

fn generators(problem: &Problem) -> String {
    let takes = |generator: &Generator| {
        let mut targets = TARGETS.iter();
        targets.any(|target| check_problem(problem, target, *generator).is_ok())
    };
    let names: Vec<&str> = Generator::ALL
        .iter()
        .filter(|it| takes(it))
        .map(|it| it.name())
        .collect();
    names.join(", ")
}

#[test]
fn the_reference_has_each_operation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference-problems.md");
    expect_file![file].assert_eq(&page());
}
