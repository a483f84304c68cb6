//! IREE's attributes of a configuration, as text.
//!
//! ```text
//! #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 1280],
//!     thread = [0, 4], lane_basis = [[1, 64], [0, 1]],
//!     subgroup_basis = [[1, 1], [0, 1]]}>                            LoweringConfig
//! #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
//!     workgroup_size = [64, 1, 1] subgroup_size = 64>                TranslationInfo
//! #iree_codegen.compilation_info<lowering_config = ...,
//!     translation_info = <...>>                                      Configuration
//! ```
//!
//! Each of the three types prints this form on one line and parses it. The parser accepts any
//! white space between tokens and any order of keys, since MLIR prints them sorted. It refuses a
//! missing, repeated or unknown key. It does not check that the configuration is legal.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, Knobs, LoweringConfig, MAX_RANK, Tiles};

/// The part of a configuration that `#iree_codegen.translation_info` holds.
///
/// The pipeline is always VectorDistribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TranslationInfo {
    /// The threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// The lanes of a subgroup.
    pub subgroup_size: u32,
}

impl From<&Configuration> for TranslationInfo {
    fn from(configuration: &Configuration) -> Self {
        TranslationInfo {
            workgroup_size: configuration.workgroup_size,
            subgroup_size: configuration.subgroup_size,
        }
    }
}

/// A fault in the text of an attribute, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("attribute, character {}, at {near:?}: {message}", .position + 1)]
pub struct AttributeError {
    /// The index of the first wrong character, counted from 0 in characters.
    pub position: usize,
    /// Up to 20 characters of the text from there on.
    pub near: String,
    /// The fault there, and the expected text.
    pub message: String,
}

const LOWERING_CONFIG: &str = "#iree_gpu.lowering_config";
const TRANSLATION_INFO: &str = "#iree_codegen.translation_info";
const COMPILATION_INFO: &str = "#iree_codegen.compilation_info";
const PIPELINE: [&str; 4] = ["#iree_gpu.pipeline", "<", "VectorDistribute", ">"];

impl fmt::Display for LoweringConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoweringConfig {
            workgroup,
            partial_reduction,
            thread,
            lane_basis,
            subgroup_basis,
        } = self;
        write!(
            f,
            "{LOWERING_CONFIG}<{{workgroup = {workgroup:?}, partial_reduction = {partial_reduction:?}, thread = {thread:?}, \
             lane_basis = [{:?}, {:?}], subgroup_basis = [{:?}, {:?}]}}>",
            lane_basis.counts, lane_basis.mapping, subgroup_basis.counts, subgroup_basis.mapping
        )
    }
}

impl LoweringConfig {
    /// Returns the attribute for another operation in the kernel, without the workgroup tile.
    ///
    /// Only one operation of a kernel carries the workgroup tile. The others have the same
    /// distribution and give their step the name `step`.
    pub fn without_tile(&self, step: &str) -> impl fmt::Display {
        let LoweringConfig {
            partial_reduction,
            thread,
            lane_basis,
            subgroup_basis,
            ..
        } = self;
        format!(
            "{LOWERING_CONFIG}<{{{step} = {partial_reduction:?}, thread = {thread:?}, lane_basis = [{:?}, {:?}], \
             subgroup_basis = [{:?}, {:?}]}}>",
            lane_basis.counts, lane_basis.mapping, subgroup_basis.counts, subgroup_basis.mapping
        )
    }
}

impl TranslationInfo {
    /// Returns the attribute without its name, as it stands inside another attribute.
    fn parameters(&self) -> String {
        let TranslationInfo {
            workgroup_size,
            subgroup_size,
        } = self;
        let pipeline = PIPELINE.concat();
        format!(
            "<pipeline = {pipeline} workgroup_size = {workgroup_size:?} subgroup_size = {subgroup_size}>"
        )
    }
}

impl fmt::Display for TranslationInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TRANSLATION_INFO}{}", self.parameters())
    }
}

impl fmt::Display for Configuration {
    /// Prints `#iree_codegen.compilation_info<...>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let translation = TranslationInfo::from(self).parameters();
        let lowering = &self.lowering;
        write!(
            f,
            "{COMPILATION_INFO}<lowering_config = {lowering}, translation_info = {translation}>"
        )
    }
}

impl FromStr for LoweringConfig {
    type Err = AttributeError;

    fn from_str(text: &str) -> Result<Self, AttributeError> {
        Parser::whole(text, Parser::lowering_config)
    }
}

impl FromStr for TranslationInfo {
    type Err = AttributeError;

    fn from_str(text: &str) -> Result<Self, AttributeError> {
        Parser::whole(text, |parser| {
            parser.expect(TRANSLATION_INFO)?;
            parser.translation_info()
        })
    }
}

impl FromStr for Configuration {
    type Err = AttributeError;

    fn from_str(text: &str) -> Result<Self, AttributeError> {
        Parser::whole(text, Parser::compilation_info)
    }
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
}

/// A key of an attribute, with its value once that is parsed.
struct Field<T> {
    key: &'static str,
    value: Option<T>,
}

impl<T> Field<T> {
    fn new(key: &'static str) -> Self {
        Field { key, value: None }
    }
}

impl<'a> Parser<'a> {
    fn whole<T>(
        text: &'a str,
        parse: impl FnOnce(&mut Self) -> Result<T, AttributeError>,
    ) -> Result<T, AttributeError> {
        let mut parser = Parser { text, rest: text };
        let value = parse(&mut parser)?;
        parser.skip_space();
        match parser.rest {
            "" => Ok(value),
            rest => Err(parser.error(rest, "the attribute should end here")),
        }
    }

    fn lowering_config(&mut self) -> Result<LoweringConfig, AttributeError> {
        let mut workgroup = Field::new("workgroup");
        let mut partial_reduction = Field::new("partial_reduction");
        let mut thread = Field::new("thread");
        let mut lane_basis = Field::new("lane_basis");
        let mut subgroup_basis = Field::new("subgroup_basis");
        let keys = "workgroup, partial_reduction, thread, lane_basis, subgroup_basis";
        self.expect(LOWERING_CONFIG)?;
        self.expect("<")?;
        self.expect("{")?;
        // MLIR allows no comma behind the last entry, so the comma belongs before each entry but
        // the first.
        let mut first = true;
        while !self.accept("}") {
            if !std::mem::take(&mut first) {
                self.expect(",")?;
            }
            let (start, key) = self.key()?;
            match key {
                "workgroup" => self.set(start, &mut workgroup, Self::tiles)?,
                "partial_reduction" => self.set(start, &mut partial_reduction, Self::tiles)?,
                "thread" => self.set(start, &mut thread, Self::tiles)?,
                "lane_basis" => self.set(start, &mut lane_basis, Self::basis)?,
                "subgroup_basis" => self.set(start, &mut subgroup_basis, Self::basis)?,
                _ => return Err(self.unknown(start, key, keys)),
            }
        }
        let end = self.rest;
        self.expect(">")?;
        Ok(LoweringConfig {
            workgroup: self.require(end, workgroup)?,
            partial_reduction: self.require(end, partial_reduction)?,
            thread: self.require(end, thread)?,
            lane_basis: self.require(end, lane_basis)?,
            subgroup_basis: self.require(end, subgroup_basis)?,
        })
    }

    /// Parses the parameters of a translation_info: `<pipeline = ...>`.
    fn translation_info(&mut self) -> Result<TranslationInfo, AttributeError> {
        let mut pipeline = Field::new("pipeline");
        let mut workgroup_size = Field::new("workgroup_size");
        let mut subgroup_size = Field::new("subgroup_size");
        let keys = "pipeline, workgroup_size, subgroup_size";
        // This attribute separates its parameters by spaces; the others use commas.
        self.expect("<")?;
        while !self.accept(">") {
            let (start, key) = self.key()?;
            match key {
                "pipeline" => self.set(start, &mut pipeline, |parser| {
                    PIPELINE
                        .into_iter()
                        .try_for_each(|token| parser.expect(token))
                })?,
                "workgroup_size" => self.set(start, &mut workgroup_size, Self::threads)?,
                "subgroup_size" => self.set(start, &mut subgroup_size, Self::number)?,
                _ => return Err(self.unknown(start, key, keys)),
            }
        }
        let end = self.rest;
        self.require(end, pipeline)?;
        Ok(TranslationInfo {
            workgroup_size: self.require(end, workgroup_size)?,
            subgroup_size: self.require(end, subgroup_size)?,
        })
    }

    fn compilation_info(&mut self) -> Result<Configuration, AttributeError> {
        let mut lowering = Field::new("lowering_config");
        let mut translation = Field::new("translation_info");
        self.expect(COMPILATION_INFO)?;
        self.expect("<")?;
        let mut first = true;
        while !self.accept(">") {
            if !std::mem::take(&mut first) {
                self.expect(",")?;
            }
            let (start, key) = self.key()?;
            match key {
                "lowering_config" => self.set(start, &mut lowering, Self::lowering_config)?,
                "translation_info" => self.set(start, &mut translation, |parser| {
                    // MLIR prints the type's name only if the context does not imply it.
                    parser.accept(TRANSLATION_INFO);
                    parser.translation_info()
                })?,
                _ => return Err(self.unknown(start, key, "lowering_config, translation_info")),
            }
        }
        let end = self.rest;
        let lowering = self.require(end, lowering)?;
        let translation = self.require(end, translation)?;
        // The attribute cannot express the knobs, so a parsed configuration has the default ones.
        Ok(Configuration {
            lowering,
            subgroup_size: translation.subgroup_size,
            workgroup_size: translation.workgroup_size,
            knobs: Knobs::DEFAULT,
        })
    }

    /// Parses `key =`, and returns the text from the key on, and the key.
    fn key(&mut self) -> Result<(&'a str, &'a str), AttributeError> {
        self.skip_space();
        let start = self.rest;
        let key = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if key.is_empty() {
            return Err(self.error(start, "a key is expected here"));
        }
        self.expect("=")?;
        Ok((start, key))
    }

    /// Parses the value of `field`. Its key starts at `start`, for the error.
    fn set<T>(
        &mut self,
        start: &str,
        field: &mut Field<T>,
        parse: impl FnOnce(&mut Self) -> Result<T, AttributeError>,
    ) -> Result<(), AttributeError> {
        if field.value.is_some() {
            return Err(self.error(start, format!("{} is given twice", field.key)));
        }
        field.value = Some(parse(self)?);
        Ok(())
    }

    fn require<T>(&self, end: &str, field: Field<T>) -> Result<T, AttributeError> {
        let missing = || self.error(end, format!("{} is missing", field.key));
        field.value.ok_or_else(missing)
    }

    fn unknown(&self, start: &str, key: &str, keys: &str) -> AttributeError {
        // A longer key would fill the message.
        let key: String = key.chars().take(40).collect();
        self.error(start, format!("unknown key {key:?}; one of {keys}"))
    }

    /// Parses `[[counts], [mapping]]`.
    fn basis(&mut self) -> Result<Basis, AttributeError> {
        self.expect("[")?;
        let counts = self.tiles()?;
        self.expect(",")?;
        let mapping = self.list(|parser| {
            parser.skip_space();
            let start = parser.rest;
            let digit = parser.number()?;
            // A mapping is an array of `MAX_RANK` digits; the rules for configurations check the
            // rest.
            let digit = u8::try_from(digit)
                .ok()
                .filter(|&d| usize::from(d) < MAX_RANK);
            digit.ok_or_else(|| {
                let most = MAX_RANK - 1;
                parser.error(start, format!("an entry of a mapping is at most {most}"))
            })
        })?;
        self.expect("]")?;
        Ok(Basis { counts, mapping })
    }

    fn tiles(&mut self) -> Result<Tiles, AttributeError> {
        self.list(Self::number)
    }

    /// Parses one to three numbers. IREE reads an absent one as 1.
    fn threads(&mut self) -> Result<[u32; 3], AttributeError> {
        self.skip_space();
        let start = self.rest;
        let given: ArrayVec<u32, 3> = self.list(Self::number)?;
        if given.is_empty() {
            return Err(self.error(start, "workgroup_size has one to three numbers"));
        }
        let mut threads = [1; 3];
        threads[..given.len()].copy_from_slice(&given);
        Ok(threads)
    }

    /// Parses `[a, b, ...]` with at most `CAPACITY` entries, possibly none.
    fn list<T, const CAPACITY: usize>(
        &mut self,
        entry: impl Fn(&mut Self) -> Result<T, AttributeError>,
    ) -> Result<ArrayVec<T, CAPACITY>, AttributeError> {
        let mut list = ArrayVec::new();
        self.expect("[")?;
        while !self.accept("]") {
            if !list.is_empty() {
                self.expect(",")?;
            }
            self.skip_space();
            let start = self.rest;
            let value = entry(self)?;
            if list.try_push(value).is_err() {
                let message = format!("the list has more than {CAPACITY} entries");
                return Err(self.error(start, message));
            }
        }
        Ok(list)
    }

    fn number(&mut self) -> Result<u32, AttributeError> {
        self.skip_space();
        let start = self.rest;
        let digits = self.take_while(|c| c.is_ascii_digit());
        let number = digits.parse();
        number.map_err(|_| {
            self.error(
                start,
                "a whole number from 0 to 4294967295 is expected here",
            )
        })
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), AttributeError> {
        match self.accept(token) {
            true => Ok(()),
            false => Err(self.error(self.rest, format!("{token:?} is expected here"))),
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn error(&self, at: &str, message: impl Into<String>) -> AttributeError {
        // `at` is the end of `text`, so its length gives its position.
        let before = &self.text[..self.text.len() - at.len()];
        AttributeError {
            position: before.chars().count(),
            near: at.chars().take(20).collect(),
            message: message.into(),
        }
    }
}
