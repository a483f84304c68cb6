-- What services have been asked to do. A study has a row here when a service was asked to carry it on; the row of one that
-- somebody ran by hand is missing.

CREATE TABLE run (
    study_id INTEGER PRIMARY KEY NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    -- The plan, who can carry it out, and how urgent it is, as JSON in the service's words.
    ordered TEXT NOT NULL,
    -- running, paused, cancelled, done, failed.
    state TEXT NOT NULL,
    -- Why it failed.
    reason TEXT,
    asked_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL
) STRICT;

-- Requests that a client may send again: the key is the client's, the digest tells another request with the same key.
CREATE TABLE request (
    key TEXT PRIMARY KEY NOT NULL CHECK (key <> ''),
    digest TEXT NOT NULL,
    -- JSON array of the numbers of the studies that it made.
    studies TEXT NOT NULL,
    asked_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX request_by_age ON request (asked_ms);
