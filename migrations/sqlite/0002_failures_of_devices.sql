-- Two more reasons for a trial to have no verdict: the kernel asks for more memory than the device has, and two launches
-- on the same input gave different results. SQLite changes no CHECK in place, so the table is made anew; rows keep their ids.

CREATE TABLE trial_new (
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
    failure TEXT CHECK (
        failure IN (
            'compile', 'timeout', 'crash', 'rejected', 'fault', 'memory', 'nondeterministic'
        )
    ),
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

INSERT INTO trial_new (
    id, study_id, ordinal, role, configuration, configuration_hash, status, failure, message,
    time_us, samples_us, input_seed, compile_ms, started_ms, ended_ms
)
SELECT
    id, study_id, ordinal, role, configuration, configuration_hash, status, failure, message,
    time_us, samples_us, input_seed, compile_ms, started_ms, ended_ms
FROM trial;

DROP TABLE trial;
ALTER TABLE trial_new RENAME TO trial;

CREATE INDEX trial_by_time ON trial (study_id, time_us, ordinal) WHERE time_us IS NOT NULL;
CREATE INDEX trial_default ON trial (study_id) WHERE role = 'default';
CREATE INDEX trial_by_configuration ON trial (study_id, configuration_hash);
