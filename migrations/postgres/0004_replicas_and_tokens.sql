-- Of the replicas of a service one directs a run, and all can say how far it is.

-- Who directs it: a name that no other process has.
ALTER TABLE run ADD COLUMN director text CHECK (director <> '');
-- When the director was last heard of, by the database's clock. One that was not heard of for long is replaced.
ALTER TABLE run ADD COLUMN heard_at timestamptz CHECK ((heard_at IS NULL) = (director IS NULL));
-- How far it is, as JSON in the service's words. The next director goes on from it.
ALTER TABLE run ADD COLUMN progress text;

-- Those that need a director are looked for among those that run, which are few. That they were heard of is written every
-- second, and stands in no index, which would have to be written with it.
CREATE INDEX run_under_way ON run (study_id) WHERE state = 'running';

-- Tokens that were given out, so that a service knows whom it answers. None is deleted: the log names them by number.
CREATE TABLE token (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Whose it is, for people.
    name text NOT NULL CHECK (name <> ''),
    -- SHA-256 of the token, which itself is nowhere.
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    -- read, submit, agent, admin, with spaces between them.
    scopes text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When it was taken back.
    revoked_at timestamptz
);
