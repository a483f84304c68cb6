-- Studies, their trials and finals, who works on them, and the lookups that nothing answered: what migrations/sqlite has
-- come to at its tenth migration, in the types of PostgreSQL.
--
-- Conventions: durations carry their unit in the name; seeds are unsigned 64-bit numbers stored as the signed number with
-- the same bits; names (target, device, generator ...) are those of the command line; an empty text is none, as 0 is, where
-- a key needs it: NULL would be different from itself. Closed sets of words (clock, role, status, failure, ties) are plain
-- text: who reads a word that he does not know says so.
--
-- JSON is text: of a configuration it is hashed, and jsonb is not the text that went in; in the rest nobody looks.

-- What is the newest is told by numbers, for clocks of several machines do not agree: by trial.id, study.opened and
-- final.held. Who follows the database asks for what has a larger number than the last that he has read. But transactions
-- end in another order than that in which they took their numbers: when 8 can be read, 7 may still be on its way, and who
-- went on from 8 would never see it.
--
-- So a number is taken in a gate, in which its transaction stays to its end: next_number() locks the gate, shared with all
-- others who write, and complete_up_to() tells a number and waits until everybody has left the gate who was in it. What has
-- that number or a smaller one can then be read, or will never be there. Who writes waits for no other writer, so that many
-- commits are flushed together. The gate of a study lets its readers wait for those alone who write into it; 0 is the gate of
-- the whole database, and no study's number.
--
-- The alternatives: a counter row would let one transaction commit at a time; the oldest transaction under way
-- (pg_snapshot_xmin) is that of the whole server, whatever database it works in, and its numbers mean nothing in another
-- server, to which the database may be restored.
CREATE SEQUENCE number;

CREATE FUNCTION next_number(study bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(0);
    PERFORM pg_advisory_xact_lock_shared(study);
    RETURN nextval('number');
END $$;

-- To be called in a transaction of its own, which gives back the lock at once; what is read after it is complete.
CREATE FUNCTION complete_up_to(gate bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    given bigint := coalesce(pg_sequence_last_value('number'), 0);
BEGIN
    PERFORM pg_advisory_xact_lock(gate);
    RETURN given;
END $$;

-- Times of day have a type of their own here, and are milliseconds since 1970 in what reads and writes them.
CREATE FUNCTION millis(at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN floor(extract(epoch FROM at) * 1000)::bigint;

CREATE FUNCTION at_millis(millis bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN timestamptz 'epoch' + millis * interval '1 millisecond';

-- What a text that may be long is found by: an index takes no more than 2,704 bytes, and a comparator may have more. It is
-- immutable whatever convert_to says: a database keeps its encoding.
CREATE FUNCTION hash_of(text text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT
    RETURN sha256(convert_to(text, 'UTF8'));

CREATE TABLE problem (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Canonical.
    text text NOT NULL,
    hash bytea NOT NULL UNIQUE GENERATED ALWAYS AS (hash_of(text)) STORED,
    -- What people filter by, of the text.
    operation text,
    -- Of arg_compare, where it has a name.
    comparator text,
    element text,
    -- Dimensions of the input.
    rank bigint,
    -- Rows that are reduced, and the elements of each.
    rows bigint,
    reduced bigint
);

CREATE INDEX problem_by_features ON problem (operation, element, reduced, rows);

-- Tells a database of wavetune from every other.
COMMENT ON TABLE problem IS 'wavetune: what can be tuned';

-- All that made a number, beside problem and configuration. Numbers with different provenance are never in one ranking.
CREATE TABLE provenance (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    target text NOT NULL,
    device text NOT NULL CHECK (device <> ''),
    -- The device in its runtime's words: name, instruction set with features, multiprocessors, peak clocks, memory.
    part_name text NOT NULL,
    part_isa text NOT NULL,
    multiprocessors bigint NOT NULL,
    clock_mhz bigint NOT NULL,
    memory_mib bigint NOT NULL,
    memory_clock_mhz bigint NOT NULL,
    memory_bits bigint NOT NULL,
    driver text NOT NULL CHECK (driver <> ''),
    driver_version text NOT NULL,
    runtime_version text NOT NULL,
    kernel_driver_version text NOT NULL,
    -- Of modelled times: a hash of the model and its figures, or of the library that has both.
    model text NOT NULL,
    compiler text NOT NULL CHECK (compiler <> ''),
    compiler_version text NOT NULL CHECK (compiler_version <> ''),
    linker text NOT NULL,
    generator text NOT NULL,
    generator_version text NOT NULL CHECK (generator_version <> ''),
    -- Seconds after which a compilation counts as hung.
    compile_limit_s bigint NOT NULL,
    clock text NOT NULL,
    -- The state of the caches: cold, warm.
    mode text NOT NULL CHECK (mode <> ''),
    -- Versions of how samples are taken, and of the inputs.
    protocol bigint NOT NULL,
    inputs bigint NOT NULL,
    CONSTRAINT provenance_is_one UNIQUE (
        target, device, part_name, part_isa, multiprocessors, clock_mhz, memory_mib, memory_clock_mhz, memory_bits,
        driver, driver_version, runtime_version, kernel_driver_version, model, compiler, compiler_version, linker,
        generator, generator_version, compile_limit_s, clock, mode, protocol, inputs
    )
);

-- A search. Opening it again finds it; a newer compiler or driver starts another one.
CREATE TABLE study (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    problem_id bigint NOT NULL REFERENCES problem (id),
    provenance_id bigint NOT NULL REFERENCES provenance (id),
    strategy text NOT NULL CHECK (strategy <> ''),
    -- What tells the space, and where a search in it begins, from that of another version.
    space text NOT NULL,
    -- The index that was wanted on ties, where that decides which trial is which; else empty.
    ties text NOT NULL,
    seed bigint NOT NULL,
    -- What no kernel can beat on this device; NULL where the device has no published figures to tell from.
    bound_us double precision CHECK (bound_us > 0 AND bound_us < 'Infinity'),
    -- The larger, the later it was opened: a number. When that was is only told.
    opened bigint NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    opened_at timestamptz NOT NULL,
    UNIQUE (problem_id, provenance_id, strategy, space, ties, seed)
);

CREATE INDEX study_by_provenance ON study (provenance_id);

-- One configuration, compiled, verified and timed; written once, when it ended, and never changed.
CREATE TABLE trial (
    -- The larger, the later it was written: a number.
    id bigint PRIMARY KEY,
    study_id bigint NOT NULL REFERENCES study (id),
    -- Place in the study's sequence. A killed study has gaps; a resumed one fills them.
    ordinal bigint NOT NULL CHECK (ordinal >= 0),
    role text NOT NULL,
    -- Canonical JSON: equal configurations are equal text. NULL for a default that is no configuration, such as IREE's
    -- fallback pipeline; it is there to be compared with, not to be served.
    configuration text,
    -- BLAKE3 of that text: the configuration's name in logs and in other databases.
    configuration_hash text CHECK (length(configuration_hash) = 64),
    status text NOT NULL,
    -- Why there is no verdict.
    failure text,
    -- The first difference, or the failure's own words.
    message text,
    time_us double precision CHECK (time_us > 0 AND time_us < 'Infinity'),
    -- JSON array of the times that time_us was taken from, in the order of measurement.
    samples_us text,
    -- How they were taken, as JSON in the harness's words.
    protocol text,
    input_seed bigint NOT NULL,
    compile_ms double precision CHECK (compile_ms >= 0),
    started_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL,
    UNIQUE (study_id, ordinal),
    CHECK ((configuration_hash IS NOT NULL) = (configuration IS NOT NULL)),
    CHECK ((samples_us IS NOT NULL) = (time_us IS NOT NULL)),
    -- Nothing is timed that has no verdict.
    CHECK (failure IS NULL OR time_us IS NULL)
);

-- The default of a study, what is new in it, the other trials of a configuration, and the fastest with a verdict, without
-- reading the rest.
CREATE INDEX trial_default ON trial (study_id) WHERE role = 'default';
CREATE INDEX trial_by_number ON trial (study_id, id);
CREATE INDEX trial_by_configuration ON trial (study_id, configuration_hash, id);
CREATE INDEX trial_by_status ON trial (study_id, status, time_us, ordinal);

-- How a study ended on a device whose times vary: the best few and the default were measured again, in turn.
CREATE TABLE final (
    study_id bigint NOT NULL REFERENCES study (id),
    -- How many trials the study had. One that went on is not decided by what it was before.
    trials bigint NOT NULL CHECK (trials > 0),
    -- The index that was wanted on ties.
    ties text NOT NULL,
    -- Ordinal of the trial whose configuration is to be taken: the default's where nothing is significantly faster.
    winner bigint NOT NULL,
    -- By how much the best of the search is faster than the default, with its interval.
    speedup double precision NOT NULL CHECK (speedup > 0),
    low double precision NOT NULL,
    high double precision NOT NULL,
    -- Every sample, as JSON in the harness's words.
    samples text NOT NULL,
    -- The larger, the later they ended: a number.
    held bigint NOT NULL UNIQUE,
    ended_at timestamptz NOT NULL,
    PRIMARY KEY (study_id, trials, ties),
    FOREIGN KEY (study_id, winner) REFERENCES trial (study_id, ordinal)
);

-- Who works on a study, and what each has taken for himself, so that several processes share its work and nobody tries what
-- another one does. Nothing of this is a result: all of it may be deleted while nobody tunes.
CREATE TABLE worker (
    study_id bigint NOT NULL REFERENCES study (id),
    -- A name that no other process has.
    owner text NOT NULL CHECK (owner <> ''),
    -- When it was last heard of, by the database's clock. Who was not heard of for long has died, and with its row goes what
    -- it had taken.
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (study_id, owner)
);

CREATE INDEX worker_by_owner ON worker (owner);

CREATE TABLE taken (
    study_id bigint NOT NULL,
    -- What is taken: trial, of which the number is the ordinal; finals, of which it is how many trials the study has.
    kind text NOT NULL,
    number bigint NOT NULL,
    owner text NOT NULL,
    PRIMARY KEY (study_id, kind, number),
    FOREIGN KEY (study_id, owner) REFERENCES worker (study_id, owner) ON DELETE CASCADE
);

CREATE INDEX taken_by_owner ON taken (study_id, owner);

-- A lookup that nothing answered, with the device and the generator that the answer had to be of; empty is any.
CREATE TABLE wish (
    problem text NOT NULL,
    hash bytea NOT NULL GENERATED ALWAYS AS (hash_of(problem)) STORED,
    target text NOT NULL,
    device text NOT NULL,
    generator text NOT NULL,
    count bigint NOT NULL CHECK (count > 0),
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (hash, target, device, generator)
);

-- The oldest goes first.
CREATE INDEX wish_by_age ON wish (last_at);
