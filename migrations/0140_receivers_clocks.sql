-- By how many seconds the clock of a receiver was ahead of the database's when it answered an attempt; negative if it
-- was behind. Null: nothing was answered, or nothing with a `Date`. Attempts of before, and of processes of the release
-- before, have none.
ALTER TABLE delivery_attempts ADD COLUMN clock_ahead_seconds integer;
