-- How a study ended on a device whose times vary: the best few and the default were measured again, in turn.
CREATE TABLE final (
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- How many trials the study had. One that went on is not decided by what it was before.
    trials INTEGER NOT NULL CHECK (trials > 0),
    -- Ordinal of the trial whose configuration is to be taken: the default's where nothing is significantly faster.
    winner INTEGER NOT NULL,
    -- By how much the best of the search is faster than the default, with its interval.
    speedup REAL NOT NULL CHECK (speedup > 0),
    low REAL NOT NULL,
    high REAL NOT NULL,
    -- Every sample, as JSON in the harness's words.
    samples TEXT NOT NULL,
    ended_ms INTEGER NOT NULL,
    PRIMARY KEY (study_id, trials)
) STRICT, WITHOUT ROWID;
