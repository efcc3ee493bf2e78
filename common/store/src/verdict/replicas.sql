-- The servers that follow this one, by its own word: those that stream, and those that have a slot and are not there.
-- A role that is no member of pg_monitor may not see how far one is: then those that stream are not among them.
WITH here AS (
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS lsn
)
SELECT application_name AS "name!", true AS "is_connected!",
    coalesce(extract(epoch FROM replay_lag), 0)::double precision AS "lag_seconds!",
    coalesce(pg_wal_lsn_diff(here.lsn, replay_lsn), 0)::bigint AS "lag_bytes!"
FROM pg_stat_replication CROSS JOIN here WHERE state IN ('catchup', 'streaming')
UNION ALL
SELECT slot_name::text, false, 0::double precision, coalesce(pg_wal_lsn_diff(here.lsn, restart_lsn), 0)::bigint
FROM pg_replication_slots CROSS JOIN here WHERE slot_type = 'physical' AND NOT temporary AND NOT active
ORDER BY 1, 2 LIMIT $1
