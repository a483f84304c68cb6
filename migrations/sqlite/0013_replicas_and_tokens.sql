-- Of the replicas of a service one directs a run, and all can say how far it is.

-- Who directs it: a name that no other process has.
ALTER TABLE run ADD COLUMN director TEXT CHECK (director <> '');
-- When the director was last heard of, in milliseconds of the database's clock. One that was not heard of for long is
-- replaced.
ALTER TABLE run ADD COLUMN heard_ms INTEGER CHECK ((heard_ms IS NULL) = (director IS NULL));
-- How far it is, as JSON in the service's words. The next director goes on from it.
ALTER TABLE run ADD COLUMN progress TEXT;

-- Those that need a director are looked for among those that run, which are few.
CREATE INDEX run_under_way ON run (study_id) WHERE state = 'running';

-- Tokens that were given out, so that a service knows whom it answers. None is deleted: the log names them by number.

CREATE TABLE token (
    id INTEGER PRIMARY KEY NOT NULL,
    -- Whose it is, for people.
    name TEXT NOT NULL CHECK (name <> ''),
    -- SHA-256 of the token, which itself is nowhere.
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    -- read, submit, agent, admin, with spaces between them.
    scopes TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    -- When it was taken back.
    revoked_ms INTEGER
) STRICT;
