-- An account's uploads at a stage that have a ticket, or a worker that came by it: at most twenty are counted for each
-- new ticket. Beside them an account may have any number that wait for one.
CREATE INDEX uploads_in_line ON uploads (account_id, (object_key IS NULL AND source_url IS NOT NULL))
    WHERE status = 'processing' AND finished_at IS NULL AND ticket_id IS NOT NULL;
