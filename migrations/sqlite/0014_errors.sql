-- How far the farthest result of a trial was from the exact one, as a share of what is right: 0 where all were right to the
-- bit, 1 where one was only just right. NULL of what is not right, and of trials that were made before.
ALTER TABLE trial ADD COLUMN error REAL CHECK (error IS NULL OR (time_us IS NOT NULL AND error BETWEEN 0 AND 1));
