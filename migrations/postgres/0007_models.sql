-- Models that clients submitted to a service, which compares each with and without tuned kernels. The service's own formats stand
-- in `request`, `summary` and `result`.

CREATE TABLE submitted_model (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The hash of all that decides the result except tuned kernels, in hexadecimal digits.
    id text NOT NULL UNIQUE CHECK (id <> ''),
    -- The request without the module, as JSON.
    request text NOT NULL,
    -- The module in MLIR.
    module text NOT NULL,
    -- queued, compiling, judging, done, failed.
    state text NOT NULL,
    -- Why it failed.
    reason text,
    -- The service that works on it, and when that service last reported.
    worker text CHECK (worker <> ''),
    heard_at timestamptz CHECK ((heard_at IS NULL) = (worker IS NULL)),
    -- How often a service began to work on it since the last request.
    attempts bigint NOT NULL DEFAULT 0,
    -- The modules that were compiled and profiled so far.
    profiles bigint NOT NULL DEFAULT 0,
    -- The last result, and its figures for lists, as JSON. They stay while the model is compared again.
    result text,
    summary text CHECK ((summary IS NULL) = (result IS NULL)),
    asked_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL
);

-- The models of a list in one state, and the queue.
CREATE INDEX submitted_model_by_state ON submitted_model (state, number);
