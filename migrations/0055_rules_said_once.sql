-- Two rules that several statements ask for, each said once.

-- A ticket lives while it waits for anybody, or while the queue worker that holds it is seen. One that is gone, done, or
-- held by a worker that was not seen for 20 seconds is dead: what it is about is given another. The queue stamps its
-- workers with the server's own time, so that alone is not mws_now().
CREATE VIEW live_tickets AS
SELECT ticket.id
FROM apalis.jobs AS ticket
WHERE (ticket.status = 'Pending' AND ticket.lock_by IS NULL)
    OR (
        ticket.status IN ('Pending', 'Queued', 'Running')
        AND (SELECT holder.last_seen FROM apalis.workers AS holder WHERE holder.id = ticket.lock_by)
            > now() - interval '20 seconds'
    );

-- First attempts go to healthy endpoints by a lane of their own. PostgreSQL puts the expression in the function's place.
CREATE FUNCTION mws_is_healthy(enabled boolean, consecutive_failures integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN enabled AND consecutive_failures = 0;
