-- What an account's events are listed by: each type is a list of its own, as each kind and status of jobs is (0047). A type that none
-- of a million events had was looked for among ten thousand of them, page after page.
-- The strongest lock at once: one that grew while events are written would be a deadlock, which ends the migration.
LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
CREATE INDEX events_listed ON events (account_id, type, seq);
DROP INDEX events_order;
