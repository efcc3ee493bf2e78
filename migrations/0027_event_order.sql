-- The event stream's order no longer depends on transaction ids, which another cluster counts anew: after a restore the stream
-- was silent, or told the past. It is the order of `seq` alone, up to a number below which every transaction is over; who
-- reads finds that number out (`domain::horizon`). For that a transaction must have its id before it takes a number, which
-- the default sees to: of a CASE the condition comes first.
--
-- The sequence is one of its own, so that it can be read by name. `txid` stays for the previous release.
ALTER TABLE events ALTER COLUMN seq DROP IDENTITY;
CREATE SEQUENCE event_seq OWNED BY events.seq;
SELECT setval('event_seq', (SELECT coalesce(max(seq), 0) + 1 FROM events), false);
ALTER TABLE events ALTER COLUMN seq
    SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('event_seq') END;

CREATE INDEX events_order ON events (account_id, seq);
DROP INDEX events_stream;
