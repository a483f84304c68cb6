-- How often something was taken out, or put before what was there. Who follows the database by the largest numbers sees
-- neither, and then reads all of it again.
CREATE TABLE revision (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    number INTEGER NOT NULL
) STRICT;

INSERT INTO revision (id, number) VALUES (1, 0);

-- Lists for people. Studies newest first, with what they are filtered by; trials by their times, without a sort of all of them.
CREATE INDEX study_listed ON study (opened, problem_id, provenance_id, strategy, opened_ms);
CREATE INDEX trial_by_time ON trial (study_id, time_us, ordinal) WHERE time_us IS NOT NULL;
CREATE INDEX trial_by_compile_time ON trial (study_id, compile_ms, ordinal) WHERE compile_ms IS NOT NULL;
