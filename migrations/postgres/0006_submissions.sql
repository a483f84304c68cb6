-- A run has its number before there is a study: the request that submits many of them works out no space. So `study_id` may be
-- the number of a study that is not there yet; no other study gets it. A run also waits here until an agent offers its device:
-- its state is then `waiting`.
ALTER TABLE run DROP CONSTRAINT run_study_id_fkey;
-- The number of the token that submitted it; NULL where none was shown. Submitters share the agents.
ALTER TABLE run ADD COLUMN submitter bigint;
-- Whether it goes before the submitter's other runs.
ALTER TABLE run ADD COLUMN urgent boolean NOT NULL DEFAULT false;
-- The study that was there already: this run goes on as that one's.
ALTER TABLE run ADD COLUMN moved bigint;

UPDATE run SET urgent = true WHERE ordered LIKE '%"is_urgent":true%';

CREATE INDEX run_waiting ON run (study_id) WHERE state = 'waiting';
-- The open runs of a submitter, which are counted when it submits more.
CREATE INDEX run_open ON run (submitter) WHERE state IN ('waiting', 'running', 'paused');
CREATE INDEX run_moved ON run (moved) WHERE moved IS NOT NULL;

-- A deleted study takes its run with it.
CREATE FUNCTION delete_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM run WHERE study_id = OLD.id OR moved = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER study_without_run AFTER DELETE ON study FOR EACH ROW EXECUTE FUNCTION delete_run();
