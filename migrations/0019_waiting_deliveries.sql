-- A worker that sends to an endpoint takes what waits for it next from here, first attempts before retries, without their
-- tickets. It takes the place of an index that a claim had to write too.
DROP INDEX deliveries_pending_endpoint;
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, attempt_count, id)
    WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL;
