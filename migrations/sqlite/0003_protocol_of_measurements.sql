-- How the samples of a trial were taken: mode, launches of a sample, launch floor, warm-up and why it ended, interval of
-- the median and why there are no more samples. JSON in the harness's words; NULL for trials that were measured before.
ALTER TABLE trial ADD COLUMN protocol TEXT CHECK (protocol IS NULL OR samples_us IS NOT NULL);
