//! `--generator`: one of the generators that wavetune has, of which the help lists the names.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use configgen::Generator;

pub(crate) fn generators() -> impl TypedValueParser<Value = Generator> {
    let names = Generator::ALL.map(|generator| generator.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Generator>())
}
