-- Studies, their trials, and the lookups that nothing answered.
--
-- Conventions: times of day are Unix milliseconds; durations carry their unit in the name; seeds are unsigned 64-bit
-- numbers stored as the signed number with the same bits; names (target, device, generator ...) are those of the
-- command line.

-- "WVTN" in the file's header: tells a wavetune database from any other SQLite file.
PRAGMA application_id = 1465275470;

-- A search. Everything that could make two numbers incomparable is part of the key, so opening the same study again
-- finds it, and a newer compiler or driver starts another one instead of mixing with it.
CREATE TABLE study (
    id INTEGER PRIMARY KEY NOT NULL,
    problem TEXT NOT NULL,
    target TEXT NOT NULL,
    device TEXT NOT NULL CHECK (device <> ''),
    generator TEXT NOT NULL,
    clock TEXT NOT NULL CHECK (clock IN ('measured', 'modelled')),
    timing TEXT NOT NULL CHECK (timing <> ''),
    driver TEXT NOT NULL CHECK (driver <> ''),
    compiler TEXT NOT NULL CHECK (compiler <> ''),
    compiler_version TEXT NOT NULL CHECK (compiler_version <> ''),
    generator_version TEXT NOT NULL CHECK (generator_version <> ''),
    strategy TEXT NOT NULL CHECK (strategy <> ''),
    seed INTEGER NOT NULL,
    -- What no kernel can beat on this device; NULL where the device has no published figures to tell from.
    bound_us REAL CHECK (bound_us > 0),
    created_ms INTEGER NOT NULL,
    -- When it was last started or resumed: tells the compiler in use from the compiler that was.
    opened_ms INTEGER NOT NULL,
    UNIQUE (
        problem, target, device, generator, clock, timing,
        driver, compiler, compiler_version, generator_version, strategy, seed
    )
) STRICT;

-- One configuration, compiled, verified and timed; written once, when it ended, and never changed.
CREATE TABLE trial (
    id INTEGER PRIMARY KEY NOT NULL,
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- Place in the study's sequence. A killed study has gaps; a resumed one fills them.
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    role TEXT NOT NULL CHECK (role IN ('default', 'candidate')),
    -- Canonical JSON: equal configurations are equal text. NULL for a default that is no configuration, such as IREE's
    -- fallback pipeline; it is there to be compared with, not to be served.
    configuration TEXT,
    -- BLAKE3 of that text: the configuration's name in logs and in other databases.
    configuration_hash TEXT CHECK (length(configuration_hash) = 64),
    status TEXT NOT NULL CHECK (status IN ('right', 'tie', 'wrong', 'failed')),
    failure TEXT CHECK (failure IN ('compile', 'timeout', 'crash', 'rejected', 'fault')),
    -- The first difference, or the failure's own words.
    message TEXT,
    time_us REAL CHECK (time_us > 0),
    -- JSON array of the times that time_us was taken from, in the order of measurement.
    samples_us TEXT,
    input_seed INTEGER NOT NULL,
    compile_ms REAL CHECK (compile_ms >= 0),
    started_ms INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    UNIQUE (study_id, ordinal),
    CHECK ((configuration_hash IS NOT NULL) = (configuration IS NOT NULL)),
    CHECK (configuration IS NOT NULL OR role = 'default'),
    CHECK ((failure IS NOT NULL) = (status = 'failed')),
    -- Nothing is timed before it is right, and nothing is right for the ranking without a time.
    CHECK ((time_us IS NOT NULL) = (status IN ('right', 'tie'))),
    CHECK ((samples_us IS NOT NULL) = (time_us IS NOT NULL))
) STRICT;

-- The fastest of a study, its default, and the other trials of a configuration, without reading the rest.
CREATE INDEX trial_by_time ON trial (study_id, time_us, ordinal) WHERE time_us IS NOT NULL;
CREATE INDEX trial_default ON trial (study_id) WHERE role = 'default';
CREATE INDEX trial_by_configuration ON trial (study_id, configuration_hash);

-- A lookup that nothing answered: what to tune next.
CREATE TABLE wish (
    problem TEXT NOT NULL,
    target TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (problem, target)
) STRICT, WITHOUT ROWID;
