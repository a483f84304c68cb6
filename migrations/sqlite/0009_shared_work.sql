-- Who works on a study, and what each has taken for himself, so that several processes share its work and nobody tries what
-- another one does. Nothing of this is a result: all of it may be deleted while nobody tunes.

CREATE TABLE worker (
    study_id INTEGER NOT NULL REFERENCES study (id),
    -- A name that no other process has.
    owner TEXT NOT NULL CHECK (owner <> ''),
    -- When it was last heard of, in milliseconds of the database's clock. Who was not heard of for long has died, and with
    -- its row goes what it had taken.
    seen_ms INTEGER NOT NULL,
    PRIMARY KEY (study_id, owner)
) STRICT, WITHOUT ROWID;

CREATE TABLE taken (
    study_id INTEGER NOT NULL,
    -- What is taken: trial, of which the number is the ordinal; finals, of which it is how many trials the study has.
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    PRIMARY KEY (study_id, kind, number),
    FOREIGN KEY (study_id, owner) REFERENCES worker (study_id, owner) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX taken_by_owner ON taken (study_id, owner);
