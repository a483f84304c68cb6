-- A wish is now what was asked: with the device and the generator that the answer had to be of. Empty is any. SQLite changes
-- no primary key in place, so the table is made anew.

CREATE TABLE wish_new (
    problem TEXT NOT NULL,
    target TEXT NOT NULL,
    device TEXT NOT NULL,
    generator TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (problem, target, device, generator)
) STRICT, WITHOUT ROWID;

INSERT INTO wish_new (problem, target, device, generator, count, first_ms, last_ms)
SELECT problem, target, '', '', count, first_ms, last_ms FROM wish;

DROP TABLE wish;
ALTER TABLE wish_new RENAME TO wish;

-- The oldest goes first.
CREATE INDEX wish_by_age ON wish (last_ms);
