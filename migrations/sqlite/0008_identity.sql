-- What identifies a number, in columns. Problems and provenances are rows of their own: a study refers to them, so that
-- studies of one ranking are told by two numbers, and what people filter by can be asked for.
--
-- Closed sets of words (clock, role, status, failure, ties) are plain text: a CHECK cannot be changed in place, and a new
-- word made every trial be copied once. Who reads a word that he does not know says so.
--
-- "Later" is told by numbers that the database gives out, for clocks of several machines do not agree: by trial.id, and by
-- study.opened.
--
-- The old tables stay under another name for the program that applies this: their compound texts (timing, driver, strategy)
-- are taken apart and the rows copied by store/sqlite/src/upgrade.rs, in the same transaction.

DROP INDEX trial_by_time;
DROP INDEX trial_default;
DROP INDEX trial_by_configuration;
DROP INDEX trial_by_status;
ALTER TABLE final RENAME TO old_final;
ALTER TABLE trial RENAME TO old_trial;
ALTER TABLE study RENAME TO old_study;

CREATE TABLE problem (
    id INTEGER PRIMARY KEY NOT NULL,
    -- Canonical.
    text TEXT NOT NULL UNIQUE,
    -- What people filter by, of the text; NULL where it was migrated by a wavetune that could not read it.
    operation TEXT,
    -- Of arg_compare, where it has a name.
    comparator TEXT,
    element TEXT,
    -- Dimensions of the input.
    rank INTEGER,
    -- Rows that are reduced, and the elements of each.
    rows INTEGER,
    reduced INTEGER
) STRICT;

CREATE INDEX problem_by_features ON problem (operation, element, reduced, rows);

-- All that made a number, beside problem and configuration. Numbers with different provenance are never in one ranking.
-- An empty text is none, as 0 is: NULL would be different from itself.
CREATE TABLE provenance (
    id INTEGER PRIMARY KEY NOT NULL,
    target TEXT NOT NULL,
    device TEXT NOT NULL CHECK (device <> ''),
    -- The device in its runtime's words: name, instruction set with features, multiprocessors, peak clocks, memory.
    part_name TEXT NOT NULL,
    part_isa TEXT NOT NULL,
    multiprocessors INTEGER NOT NULL,
    clock_mhz INTEGER NOT NULL,
    memory_mib INTEGER NOT NULL,
    memory_clock_mhz INTEGER NOT NULL,
    memory_bits INTEGER NOT NULL,
    driver TEXT NOT NULL CHECK (driver <> ''),
    driver_version TEXT NOT NULL,
    runtime_version TEXT NOT NULL,
    kernel_driver_version TEXT NOT NULL,
    -- Of modelled times: a hash of the model and its figures, or of the library that has both.
    model TEXT NOT NULL,
    compiler TEXT NOT NULL CHECK (compiler <> ''),
    compiler_version TEXT NOT NULL CHECK (compiler_version <> ''),
    linker TEXT NOT NULL,
    generator TEXT NOT NULL,
    generator_version TEXT NOT NULL CHECK (generator_version <> ''),
    -- Seconds after which a compilation counts as hung.
    compile_limit_s INTEGER NOT NULL,
    clock TEXT NOT NULL,
    -- The state of the caches: cold, warm.
    mode TEXT NOT NULL CHECK (mode <> ''),
    -- Versions of how samples are taken, and of the inputs.
    protocol INTEGER NOT NULL,
    inputs INTEGER NOT NULL,
    UNIQUE (
        target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib, memory_clock_mhz, memory_bits,
        driver, driver_version, runtime_version, kernel_driver_version, model, compiler, compiler_version, linker,
        generator, generator_version, compile_limit_s, clock, mode, protocol, inputs
    )
) STRICT;

-- A search. Opening it again finds it; a newer compiler or driver starts another one.
CREATE TABLE study (
    id INTEGER PRIMARY KEY NOT NULL,
    problem_id INTEGER NOT NULL REFERENCES problem (id),
    provenance_id INTEGER NOT NULL REFERENCES provenance (id),
    strategy TEXT NOT NULL CHECK (strategy <> ''),
    -- What tells the space, and where a search in it begins, from that of another version; empty where nobody noted it.
    space TEXT NOT NULL,
    -- The index that was wanted on ties, where that decides which trial is which; else empty.
    ties TEXT NOT NULL,
    seed INTEGER NOT NULL,
    -- What no kernel can beat on this device; NULL where the device has no published figures to tell from.
    bound_us REAL CHECK (bound_us > 0),
    -- The larger, the later it was opened: what is newest is known from it, and when that was only told.
    opened INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    opened_ms INTEGER NOT NULL,
    UNIQUE (problem_id, provenance_id, strategy, space, ties, seed)
) STRICT;

CREATE UNIQUE INDEX study_by_opening ON study (opened);
CREATE INDEX study_by_provenance ON study (provenance_id);

-- One configuration, compiled, verified and timed; written once, when it ended, and never changed. The larger its id, the
-- later it was written.
CREATE TABLE trial (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- Place in the study's sequence. A killed study has gaps; a resumed one fills them.
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    role TEXT NOT NULL,
    -- Canonical JSON: equal configurations are equal text. NULL for a default that is no configuration, such as IREE's
    -- fallback pipeline; it is there to be compared with, not to be served.
    configuration TEXT,
    -- BLAKE3 of that text: the configuration's name in logs and in other databases.
    configuration_hash TEXT CHECK (length(configuration_hash) = 64),
    status TEXT NOT NULL,
    -- Why there is no verdict.
    failure TEXT,
    -- The first difference, or the failure's own words.
    message TEXT,
    time_us REAL CHECK (time_us > 0),
    -- JSON array of the times that time_us was taken from, in the order of measurement.
    samples_us TEXT,
    -- How they were taken, as JSON in the harness's words; NULL for trials that were measured before that was kept.
    protocol TEXT,
    input_seed INTEGER NOT NULL,
    compile_ms REAL CHECK (compile_ms >= 0),
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    UNIQUE (study_id, ordinal),
    CHECK ((configuration_hash IS NOT NULL) = (configuration IS NOT NULL)),
    CHECK ((samples_us IS NOT NULL) = (time_us IS NOT NULL)),
    -- Nothing is timed that has no verdict.
    CHECK (failure IS NULL OR time_us IS NULL)
) STRICT;

-- The default of a study, the other trials of a configuration, and the fastest with a verdict, without reading the rest.
CREATE INDEX trial_default ON trial (study_id) WHERE role = 'default';
CREATE INDEX trial_by_configuration ON trial (study_id, configuration_hash);
CREATE INDEX trial_by_status ON trial (study_id, status, time_us, ordinal);

-- How a study ended on a device whose times vary: the best few and the default were measured again, in turn.
CREATE TABLE final (
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- How many trials the study had. One that went on is not decided by what it was before.
    trials INTEGER NOT NULL CHECK (trials > 0),
    -- The index that was wanted on ties.
    ties TEXT NOT NULL,
    -- Ordinal of the trial whose configuration is to be taken: the default's where nothing is significantly faster.
    winner INTEGER NOT NULL,
    -- By how much the best of the search is faster than the default, with its interval.
    speedup REAL NOT NULL CHECK (speedup > 0),
    low REAL NOT NULL,
    high REAL NOT NULL,
    -- Every sample, as JSON in the harness's words.
    samples TEXT NOT NULL,
    -- The larger, the later they ended.
    held INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    PRIMARY KEY (study_id, trials, ties),
    FOREIGN KEY (study_id, winner) REFERENCES trial (study_id, ordinal)
) STRICT, WITHOUT ROWID;
