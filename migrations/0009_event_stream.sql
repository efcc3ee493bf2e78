-- Lets the event stream (`GET /events/stream`) resume without a gap.
--
-- `seq` is taken when an event is written, not when it is committed: a reader that has seen 6 may have 5 still to come.
-- Transactions older than the oldest one that still runs are all over, so the order of (txid, seq) below that line is
-- final. Events from before this migration have transaction 0: they are all over too.
ALTER TABLE events ADD COLUMN txid xid8 NOT NULL DEFAULT '0';
ALTER TABLE events ALTER COLUMN txid SET DEFAULT pg_current_xact_id();

CREATE INDEX events_stream ON events (account_id, txid, seq);
-- The unique index on seq alone served the account's order; nothing reads by it any more.
DROP INDEX events_account;
