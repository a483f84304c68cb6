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
