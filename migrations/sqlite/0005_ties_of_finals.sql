-- Which index was wanted on ties when finals were held: that of the fold ('fold', where no tie took part beside something
-- right), or any of them. Those that were held before took the fastest of both. SQLite changes no key in place, so the
-- table is made anew.

CREATE TABLE final_new (
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- How many trials the study had. One that went on is not decided by what it was before.
    trials INTEGER NOT NULL CHECK (trials > 0),
    ties TEXT NOT NULL CHECK (ties IN ('fold', 'any')),
    -- Ordinal of the trial whose configuration is to be taken: the default's where nothing is significantly faster.
    winner INTEGER NOT NULL,
    -- By how much the best of the search is faster than the default, with its interval.
    speedup REAL NOT NULL CHECK (speedup > 0),
    low REAL NOT NULL,
    high REAL NOT NULL,
    -- Every sample, as JSON in the harness's words.
    samples TEXT NOT NULL,
    ended_ms INTEGER NOT NULL,
    PRIMARY KEY (study_id, trials, ties)
) STRICT, WITHOUT ROWID;

INSERT INTO final_new (study_id, trials, ties, winner, speedup, low, high, samples, ended_ms)
SELECT study_id, trials, 'any', winner, speedup, low, high, samples, ended_ms FROM final;

DROP TABLE final;
ALTER TABLE final_new RENAME TO final;
