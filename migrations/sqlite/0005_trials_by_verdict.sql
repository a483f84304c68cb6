-- How many trials of a study were right, wrong and so on, without reading them: what a lookup that finds nothing is told.
CREATE INDEX trial_by_status ON trial (study_id, status);
