-- By how many milliseconds a process's clock is ahead of the database's; negative if it is behind. Each writes it when it
-- says that it lives; those of a release that does not know it leave none.
ALTER TABLE workers ADD COLUMN clock_ahead_ms bigint;
