-- What services have been asked to do. A study has a row here when a service was asked to carry it on; the row of one that
-- somebody ran by hand is missing.
CREATE TABLE run (
    study_id bigint PRIMARY KEY REFERENCES study (id) ON DELETE CASCADE,
    -- The plan, who can carry it out, and how urgent it is, as JSON in the service's words.
    ordered text NOT NULL,
    -- running, paused, cancelled, done, failed.
    state text NOT NULL,
    -- Why it failed.
    reason text,
    asked_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL
);

-- Requests that a client may send again: the key is the client's, the digest tells another request with the same key.
CREATE TABLE request (
    key text PRIMARY KEY CHECK (key <> ''),
    digest text NOT NULL,
    -- The numbers of the studies that it made.
    studies bigint[] NOT NULL,
    asked_at timestamptz NOT NULL
);

CREATE INDEX request_by_age ON request (asked_at);
