-- How many trials of a study were right, wrong and so on, and which of them are the fastest, without reading the others: what
-- a lookup asks.
CREATE INDEX trial_by_status ON trial (study_id, status, time_us, ordinal);
