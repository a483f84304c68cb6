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
