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
