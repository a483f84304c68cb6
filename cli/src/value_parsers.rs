//! Parsers of closed sets of names, which the help and the shell's completion list.

use ::lookup::Rung;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use configgen::{ElementType, Generator, TARGETS, Target};
use store::{FailureKind, Role, Status, Ties, TokenScope};
use tuner::Strategy;

fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
    PossibleValuesParser::new(names).map(move |given| {
        let mut all = all.iter().copied();
        let found = all.find(|&one| name(one) == given);
        found.expect("clap lets nothing else through")
    })
}

pub(crate) fn generators() -> impl TypedValueParser<Value = Generator> {
    one_of(Generator::ALL, |generator| generator.name())
}

pub(crate) fn targets() -> impl TypedValueParser<Value = &'static Target> {
    one_of(&TARGETS, |target| target.name)
}

pub(crate) fn elements() -> impl TypedValueParser<Value = ElementType> {
    one_of(ElementType::ALL, |element| element.name())
}

pub(crate) fn strategies() -> impl TypedValueParser<Value = Strategy> {
    one_of(Strategy::ALL, Strategy::name)
}

pub(crate) fn ties() -> impl TypedValueParser<Value = Ties> {
    one_of(Ties::ALL, Ties::name)
}

pub(crate) fn rungs() -> impl TypedValueParser<Value = Rung> {
    one_of(Rung::ALL, Rung::name)
}

pub(crate) fn statuses() -> impl TypedValueParser<Value = Status> {
    one_of(Status::ALL, Status::name)
}

pub(crate) fn failures() -> impl TypedValueParser<Value = FailureKind> {
    one_of(FailureKind::ALL, FailureKind::name)
}

pub(crate) fn scopes() -> impl TypedValueParser<Value = TokenScope> {
    one_of(TokenScope::ALL, TokenScope::name)
}

pub(crate) fn roles() -> impl TypedValueParser<Value = Role> {
    one_of(Role::ALL, Role::name)
}
