//! Upgrade from schema 7 to schema 8: composed texts become columns of the provenance.
//!
//! Migration 8 creates the tables and renames the old ones. This module parses the old texts,
//! which SQL does badly, and copies the rows. It runs in the transaction of that migration, right
//! after it. The compiler cannot check its queries, because the old tables are not in the schema
//! of the cache.

use sqlx::{AssertSqlSafe, FromRow, SqliteConnection};

use store_relational::features;

/// A row of `study` in schema 7.
#[derive(FromRow)]
struct OldStudy {
    id: i64,
    problem: String,
    target: String,
    device: String,
    generator: String,
    clock: String,
    timing: String,
    driver: String,
    compiler: String,
    compiler_version: String,
    generator_version: String,
    strategy: String,
}

/// Copies everything into the tables of schema 8, and drops the old ones.
pub(crate) async fn run(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let studies: Vec<OldStudy> = sqlx::query_as(
        "SELECT id, problem, target, device, generator, clock, timing, driver, compiler, compiler_version,
            generator_version, strategy
        FROM old_study ORDER BY opened_ms, id",
    )
    .fetch_all(&mut *connection)
    .await?;
    // The new number `opened` decides recency in place of the time.
    for (opened, study) in (1_i64..).zip(studies) {
        let problem = problem(connection, &study.problem).await?;
        let provenance = provenance(connection, &study).await?;
        let (strategy, space, ties) = search(&study.strategy);
        let copy = sqlx::query(
            "INSERT INTO study (id, problem_id, provenance_id, strategy, space, ties, seed, bound_us, opened, created_ms,
                opened_ms)
            SELECT id, ?2, ?3, ?4, ?5, ?6, seed, bound_us, ?7, created_ms, opened_ms FROM old_study WHERE id = ?1",
        );
        copy.bind(study.id)
            .bind(problem)
            .bind(provenance)
            .bind(strategy)
            .bind(space)
            .bind(ties)
            .bind(opened)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::raw_sql(AssertSqlSafe(REST.to_owned()))
        .execute(connection)
        .await
        .map(drop)
}

/// The statements that copy trials and finals.
///
/// Trials get new numbers in the order that decided recency before. Finals without their winning
/// trial are dropped, because no answer can contain them.
const REST: &str = "
    INSERT INTO trial (study_id, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
        samples_us, protocol, input_seed, compile_ms, started_ms, ended_ms)
    SELECT study_id, ordinal, role, configuration, configuration_hash, status, failure, message, time_us,
        samples_us, protocol, input_seed, compile_ms, started_ms, ended_ms
    FROM old_trial ORDER BY ended_ms, id;
    INSERT INTO final (study_id, trials, ties, winner, speedup, low, high, samples, held, ended_ms)
    SELECT study_id, trials, ties, winner, speedup, low, high, samples,
        row_number() OVER (ORDER BY ended_ms, study_id, trials, ties), ended_ms
    FROM old_final f
    WHERE EXISTS (SELECT 1 FROM trial t WHERE t.study_id = f.study_id AND t.ordinal = f.winner);
    DROP TABLE old_final;
    DROP TABLE old_trial;
    DROP TABLE old_study;";

async fn problem(connection: &mut SqliteConnection, text: &str) -> Result<i64, sqlx::Error> {
    let features = text.parse().ok().map(|problem| features(&problem));
    let insert = sqlx::query_scalar(
        "INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO UPDATE SET text = excluded.text
        RETURNING id",
    );
    let known = features.as_ref();
    insert
        .bind(text)
        .bind(known.map(|it| it.operation))
        .bind(known.and_then(|it| it.comparator))
        .bind(known.map(|it| it.element))
        .bind(known.map(|it| it.rank))
        .bind(known.map(|it| it.rows))
        .bind(known.map(|it| it.reduced))
        .fetch_one(connection)
        .await
}

async fn provenance(
    connection: &mut SqliteConnection,
    study: &OldStudy,
) -> Result<i64, sqlx::Error> {
    let driver = Driver::of(&study.driver);
    let part = driver.part;
    let timing = Timing::of(&study.timing);
    let (compiler_version, linker) = cut(&study.compiler_version, ", ");
    let (generator_version, limit) = cut(&study.generator_version, ", limit ");
    let limit = limit
        .strip_suffix(" s")
        .and_then(|seconds| seconds.parse().ok());
    // A limit that is no whole number stays in the text.
    let (generator_version, limit): (&str, u32) = match limit {
        Some(limit) => (generator_version, limit),
        None => (&study.generator_version, 0),
    };
    let insert = sqlx::query_scalar(
        "INSERT INTO provenance (target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib,
            memory_clock_mhz, memory_bits, driver, driver_version, runtime_version, kernel_driver_version, model,
            compiler, compiler_version, linker, generator, generator_version, compile_limit_s, clock, mode, protocol,
            inputs)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
            ?23, ?24)
        ON CONFLICT DO UPDATE SET target = excluded.target
        RETURNING id",
    );
    insert
        .bind(&study.target)
        .bind(&study.device)
        .bind(part.name)
        .bind(part.isa)
        .bind(part.numbers[0])
        .bind(part.numbers[1])
        .bind(part.numbers[2])
        .bind(part.numbers[3])
        .bind(part.numbers[4])
        .bind(driver.name)
        .bind(driver.version)
        .bind(driver.runtime)
        .bind(driver.kernel)
        .bind(driver.model)
        .bind(&study.compiler)
        .bind(compiler_version)
        .bind(linker)
        .bind(&study.generator)
        .bind(generator_version)
        .bind(limit)
        .bind(&study.clock)
        .bind(timing.mode)
        .bind(timing.protocol)
        .bind(timing.inputs)
        .fetch_one(connection)
        .await
}

/// Splits the text at the first `separator`; without one the second part is empty.
fn cut<'a>(text: &'a str, separator: &str) -> (&'a str, &'a str) {
    text.split_once(separator).unwrap_or((text, ""))
}

/// Parses `evolution of 10199-0693af14, ties any`: strategy, space and tie-break.
///
/// Schema 7 identified a space by a hash of text that Rust derives. The prefix `1-` marks such a
/// name, which no later version produces.
fn search(text: &str) -> (&str, String, &str) {
    let (strategy, space) = cut(text, " of ");
    let (space, ties) = cut(space, ", ties ");
    let space = match space {
        "" => String::new(),
        space => format!("1-{space}"),
    };
    (strategy, space, ties)
}

/// The parts of `warm, protocol 3, inputs 2`.
#[derive(Debug, Default, PartialEq)]
struct Timing<'a> {
    mode: &'a str,
    protocol: u32,
    inputs: u32,
}

impl Timing<'_> {
    fn of(text: &str) -> Timing<'_> {
        let mut pieces = text.split(", ");
        let mut timing = Timing {
            mode: pieces.next().unwrap_or_default(),
            ..Timing::default()
        };
        for piece in pieces {
            match piece.split_once(' ').map(|(name, n)| (name, n.parse())) {
                Some(("protocol", Ok(version))) => timing.protocol = version,
                Some(("inputs", Ok(version))) => timing.inputs = version,
                // No version of wavetune wrote such a text, so it stays whole.
                _ => {
                    return Timing {
                        mode: text,
                        ..Timing::default()
                    };
                }
            }
        }
        timing
    }
}

/// The parts of `NAME, ISA, 304 multiprocessors at 2100 MHz, 196608 MiB at 1300 MHz and 8192
/// bits`.
#[derive(Debug, Default, PartialEq)]
struct LegacyPart<'a> {
    name: &'a str,
    isa: &'a str,
    numbers: [u32; 5],
}

impl LegacyPart<'_> {
    fn of(text: &str) -> Option<LegacyPart<'_>> {
        let words = [
            " multiprocessors at ",
            " MHz, ",
            " MiB at ",
            " MHz and ",
            " bits",
        ];
        // The name comes first and may contain commas, so parsing starts at the fixed words.
        let (named, mut rest) = text.split_at(text.find(words[0])?);
        let (named, first) = named.rsplit_once(", ")?;
        let (name, isa) = named.rsplit_once(", ")?;
        let mut numbers = [first.parse().ok()?, 0, 0, 0, 0];
        for place in 1..5 {
            rest = rest.strip_prefix(words[place - 1])?;
            let end = rest.find(words[place])?;
            numbers[place] = rest[..end].parse().ok()?;
            rest = &rest[end..];
        }
        Some(LegacyPart { name, isa, numbers })
    }
}

/// The parts of `wavetune emulator 0.1.0-2e4e, model cdee4463`, or of `PART; HIP runtime 6.3.1,
/// driver 6.3.1, amdgpu 6.10.5, library 0123`.
#[derive(Debug, Default, PartialEq)]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    runtime: &'a str,
    kernel: &'a str,
    model: &'a str,
    part: LegacyPart<'a>,
}

impl Driver<'_> {
    fn of(text: &str) -> Driver<'_> {
        const EMULATOR: &str = "wavetune emulator";
        let emulated = text
            .strip_prefix(EMULATOR)
            .and_then(|rest| rest.strip_prefix(' '));
        if let Some((version, model)) = emulated.and_then(|rest| rest.split_once(", model ")) {
            return Driver {
                name: EMULATOR,
                version,
                model,
                ..Driver::default()
            };
        }
        // A text of no known form stays whole as the driver's name.
        Self::hip(text).unwrap_or(Driver {
            name: text,
            ..Driver::default()
        })
    }

    fn hip(text: &str) -> Option<Driver<'_>> {
        let (part, rest) = text.split_once("; HIP runtime ")?;
        let (runtime, rest) = rest.split_once(", driver ")?;
        let (rest, model) = cut(rest, ", library ");
        let (version, kernel) = cut(rest, ", amdgpu ");
        Some(Driver {
            name: "HIP",
            version,
            runtime,
            kernel,
            model,
            part: LegacyPart::of(part)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_search(text: &str, expected: (&str, &str, &str)) {
        let (strategy, space, ties) = search(text);
        assert_eq!((strategy, space.as_str(), ties), expected, "{text}");
    }

    #[test]
    fn searches() {
        check_search("evolution", ("evolution", "", ""));
        check_search("random of 9-ab", ("random", "1-9-ab", ""));
        check_search(
            "evolution of 9-ab, ties any",
            ("evolution", "1-9-ab", "any"),
        );
    }

    #[track_caller]
    fn check_timing(text: &str, mode: &str, protocol: u32, inputs: u32) {
        let expected = Timing {
            mode,
            protocol,
            inputs,
        };
        assert_eq!(Timing::of(text), expected, "{text}");
    }

    #[test]
    fn timings() {
        check_timing("cold", "cold", 0, 0);
        check_timing("cold, inputs 2", "cold", 0, 2);
        check_timing("warm, protocol 3, inputs 2", "warm", 3, 2);
        check_timing("cold, by hand", "cold, by hand", 0, 0);
        check_timing("cold, inputs two", "cold, inputs two", 0, 0);
    }

    #[track_caller]
    fn check_driver(text: &str, expected: [&str; 5], part: LegacyPart<'_>) {
        let [name, version, runtime, kernel, model] = expected;
        let expected = Driver {
            name,
            version,
            runtime,
            kernel,
            model,
            part,
        };
        assert_eq!(Driver::of(text), expected, "{text}");
    }

    #[test]
    fn drivers() {
        let none = LegacyPart::default;
        check_driver(
            "wavetune emulator 0.1.0-2e4e, model cdee4463",
            ["wavetune emulator", "0.1.0-2e4e", "", "", "cdee4463"],
            none(),
        );
        check_driver("emulator 0.1.0", ["emulator 0.1.0", "", "", "", ""], none());
        let text = "AMD Instinct MI300X, gfx942:sramecc+:xnack-, 304 multiprocessors at 2100 MHz, 196608 MiB at 1300 MHz \
                    and 8192 bits";
        let part = || LegacyPart {
            name: "AMD Instinct MI300X",
            isa: "gfx942:sramecc+:xnack-",
            numbers: [304, 2100, 196_608, 1300, 8192],
        };
        let hip = format!("{text}; HIP runtime 6.3.42134, driver 6.3.4, amdgpu 6.10.5");
        check_driver(&hip, ["HIP", "6.3.4", "6.3.42134", "6.10.5", ""], part());
        let library = format!("{text}; HIP runtime 6.3.0, driver 6.3.0, library 01ab");
        check_driver(&library, ["HIP", "6.3.0", "6.3.0", "", "01ab"], part());
        let cut = "AMD, gfx942; HIP runtime 6, driver 6";
        check_driver(cut, [cut, "", "", "", ""], none());
    }
}
