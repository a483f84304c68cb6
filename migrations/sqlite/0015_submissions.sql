-- A run has its number before there is a study: the request that submits many of them works out no space. So `study_id` may be
-- the number of a study that is not there yet; no other study gets it. A run also waits here until an agent offers its device.

CREATE TABLE submitted_run (
    study_id INTEGER PRIMARY KEY NOT NULL,
    -- The plan, who can carry it out or which device is wanted, and how urgent it is, as JSON in the service's words.
    ordered TEXT NOT NULL,
    -- waiting, running, paused, cancelled, done, failed.
    state TEXT NOT NULL,
    -- Why it failed.
    reason TEXT,
    asked_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL,
    director TEXT CHECK (director <> ''),
    heard_ms INTEGER CHECK ((heard_ms IS NULL) = (director IS NULL)),
    progress TEXT,
    -- The number of the token that submitted it; NULL where none was shown. Submitters share the agents.
    submitter INTEGER,
    -- Whether it goes before the submitter's other runs.
    urgent INTEGER NOT NULL DEFAULT 0 CHECK (urgent IN (0, 1)),
    -- The study that was there already: this run goes on as that one's.
    moved INTEGER
) STRICT;

INSERT INTO submitted_run (study_id, ordered, state, reason, asked_ms, changed_ms, director, heard_ms, progress, urgent)
SELECT study_id, ordered, state, reason, asked_ms, changed_ms, director, heard_ms, progress, ordered LIKE '%"is_urgent":true%'
FROM run;

DROP TABLE run;
ALTER TABLE submitted_run RENAME TO run;

CREATE INDEX run_under_way ON run (study_id) WHERE state = 'running';
CREATE INDEX run_waiting ON run (study_id) WHERE state = 'waiting';
-- The open runs of a submitter, which are counted when it submits more.
CREATE INDEX run_open ON run (submitter) WHERE state IN ('waiting', 'running', 'paused');
CREATE INDEX run_moved ON run (moved) WHERE moved IS NOT NULL;

-- A deleted study takes its run with it.
CREATE TRIGGER study_without_run AFTER DELETE ON study BEGIN
    DELETE FROM run WHERE study_id = OLD.id OR moved = OLD.id;
END;
