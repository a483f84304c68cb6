-- Models that clients submitted to a service, which compares each with and without tuned kernels. The service's own formats stand
-- in `request`, `summary` and `result`.

CREATE TABLE submitted_model (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The hash of all that decides the result except tuned kernels, in hexadecimal digits.
    id TEXT NOT NULL UNIQUE CHECK (id <> ''),
    -- The request without the module, as JSON.
    request TEXT NOT NULL,
    -- The module in MLIR.
    module TEXT NOT NULL,
    -- queued, compiling, judging, done, failed.
    state TEXT NOT NULL,
    -- Why it failed.
    reason TEXT,
    -- The service that works on it, and when that service last reported.
    worker TEXT CHECK (worker <> ''),
    heard_ms INTEGER CHECK ((heard_ms IS NULL) = (worker IS NULL)),
    -- How often a service began to work on it since the last request.
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The modules that were compiled and profiled so far.
    profiles INTEGER NOT NULL DEFAULT 0,
    -- The last result, and its figures for lists, as JSON. They stay while the model is compared again.
    result TEXT,
    summary TEXT CHECK ((summary IS NULL) = (result IS NULL)),
    asked_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL
) STRICT;

-- The models of a list in one state, and the queue.
CREATE INDEX submitted_model_by_state ON submitted_model (state, number);
