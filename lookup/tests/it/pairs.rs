//! No neighbour's configuration is illegal for the requested problem: 20,000 random pairs of a
//! tuned and a requested shape, with both generators and all targets.

use testing_sqlite as support;

use configgen::{Configuration, Generator, Problem, Space, TARGETS, Target, check};
use lookup::{AnswerIndex, CachedAnswer, LookupAnswer, LookupRequest, Rung, look};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use store::Ledger as _;
use store_sqlite::Sqlite;
use support::{key, right, trial};

const PAIRS: usize = 20_000;
const TUNED: usize = 150;

/// The forms of problems; `#` is a random size.
const FORMS: [&str; 9] = [
    "argmax:#x[#]xf32",
    "argmin:#x[#]xbf16",
    "argmax:[#]xi8",
    "argmax:#x[#]x#xf32:i64",
    "argmax_last:#x#x[#]xf16",
    "argmax:[#]x#x[#]xf64",
    "argmax_nan:[#]x#xf32",
    "argmax:#x[#]xf32:index_base",
    "unordered{arith.cmpi(ne,0,1)}:#x[#]xi32:initial",
];

/// Returns a random size of a tensor: small, a power of two, or any.
fn size(rng: &mut StdRng) -> u32 {
    let bits = rng.random_range(1..13);
    let any = rng.random_range(1..1 << bits);
    match rng.random_range(0..3) {
        0 => 1 << rng.random_range(0..13),
        1 => 32 * rng.random_range(1..200),
        _ => any,
    }
}

/// Returns a random size from half to twice of `size`.
fn near(rng: &mut StdRng, size: u32) -> u32 {
    match rng.random_range(0..4) {
        0 => size,
        1 => size * 2,
        2 => size.div_ceil(2),
        _ => rng.random_range(size.div_ceil(2)..=size * 2),
    }
}

fn problem(form: &str, mut size: impl FnMut() -> u32) -> Option<Problem> {
    let mut parts = form.split('#').peekable();
    let mut text = String::new();
    while let Some(part) = parts.next() {
        text.push_str(part);
        if parts.peek().is_some() {
            text.push_str(&size().to_string());
        }
    }
    text.parse().ok()
}

#[test]
async fn neighbours_are_legal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    let rng = &mut StdRng::seed_from_u64(17);
    let mut tuned: Vec<(&str, Problem, &'static Target, Generator)> = Vec::new();
    while tuned.len() < TUNED {
        let (form, generator) = (
            *FORMS.choose(rng).unwrap(),
            *Generator::ALL.choose(rng).unwrap(),
        );
        let target = TARGETS.choose(rng).unwrap();
        let Some(problem) = problem(form, || size(rng)) else {
            continue;
        };
        let space = Space::new(&problem, target, generator);
        let Some(configuration) = space.sample(1, rng.random()).pop() else {
            continue;
        };
        let mut key = key();
        key.problem = problem.clone();
        (key.provenance.target, key.provenance.generator) = (target, generator);
        let study = store.open_study(&key, None).await.unwrap();
        let mut trial = trial(0, 1, right(8.0));
        trial.configuration = Some(configuration);
        store.record_trial(&study, &trial).await.unwrap();
        tuned.push((form, problem, target, generator));
    }
    let known = AnswerIndex::default();
    known.refresh(&store).await.unwrap();
    let (mut served, mut fitted) = ([0; Generator::ALL.len()], 0);
    for _ in 0..PAIRS {
        let (form, tuned, target, generator) = tuned.choose(rng).unwrap();
        let mut sizes = tuned.shape.sizes().iter();
        let Some(asked) = problem(form, || near(rng, *sizes.next().unwrap())) else {
            continue;
        };
        let request = LookupRequest {
            generator: Some(*generator),
            at_least: Rung::Neighbour,
            ..LookupRequest::new(asked.clone(), target)
        };
        // Memory leaves problems with trials on the target to the database.
        let told = match known.answer(&request, &asked.to_string()) {
            Some(told) => told,
            None => CachedAnswer::from(look(&store, &request).await.unwrap()),
        };
        let CachedAnswer::Other(LookupAnswer::Neighbour(answer)) = told else {
            continue;
        };
        assert_eq!(answer.generator, *generator);
        let verdict = check(&asked, target, *generator, &answer.configuration);
        assert_eq!(verdict, Ok(()), "{asked} {target} {answer:?}");
        assert_eq!(answer.configuration, answer.configuration.canonical(&asked));
        served[usize::from(*generator == Generator::IREE)] += 1;
        let from = answer.tuned.unwrap().extract().unwrap();
        let from: Configuration = serde_json::from_str(from.configuration()).unwrap();
        fitted += usize::from(from != answer.configuration);
    }
    println!("served: {served:?}, fitted: {fitted}");
    assert!(served[0] > PAIRS / 3 && served[1] > PAIRS / 6, "{served:?}");
    assert!(fitted > PAIRS / 10, "{fitted}");
}
