-- A call's jobs with all that stands and falls with them: their hold, the journal's entries of it, and the tickets of
-- those that have a place. `held` is false where the balance does not suffice for the hold: then nothing of this may be
-- committed.
WITH started AS (
    SELECT * FROM unnest($10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::bool[], $15::bigint[], $16::bigint[],
                         $17::text[], $18::bigint[])
        WITH ORDINALITY
        AS started (id, item_id, kind, read, admitted, held_month, held_bought, ticket_id, held_credits, place)
), hold AS (
    SELECT coalesce(sum(held_month), 0)::bigint AS month, coalesce(sum(held_bought), 0)::bigint AS bought,
        coalesce(sum(held_credits), 0)::bigint AS credits
    FROM started
), bucket AS (
    UPDATE minute_buckets b SET held = b.held + hold.month
    FROM hold
    WHERE b.account_id = $2 AND b.month = $9 AND (hold.month = 0 OR b.held + b.used + hold.month <= b.allowance)
    RETURNING b.account_id
), own AS (
    UPDATE accounts a SET bought_held = a.bought_held + hold.bought, credits_held = a.credits_held + hold.credits
    FROM hold
    WHERE a.id = $2 AND hold.bought + hold.credits > 0 AND a.bought_held + hold.bought <= a.bought
        AND a.credits_used + a.credits_held + hold.credits <= a.credits_given
    RETURNING a.id
), made AS (
    INSERT INTO calls (id, account_id, workspace_id, tool, request_id, context, traceparent, rerun_of)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $23)
), inserted AS (
    INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, admitted,
                      hold_month, held_month, held_bought, ticket_id, held_credits)
    SELECT id, $1, $2, $8, $3, item_id, kind, read, admitted, $9, held_month, held_bought, ticket_id,
           held_credits
    FROM started ORDER BY place
), noted AS (
    INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount, bought_amount, credit_amount)
    SELECT $2, $9, 'hold', id, held_month, held_bought, held_credits FROM started ORDER BY place
), pushed AS (
    -- As `tickets::push` writes them.
    INSERT INTO apalis.jobs (id, job_type, job, status, attempts, max_attempts, run_at, priority, metadata)
    SELECT id, queue, subject, 'Pending', 0, 1,
        date_trunc('second', transaction_timestamp()) - make_interval(secs => seconds), 0, ''::hstore
    FROM unnest($19::text[], $20::text[], $21::bytea[], $22::float8[]) AS ticket (id, queue, subject, seconds)
)
SELECT EXISTS (SELECT FROM bucket)
    AND (hold.bought + hold.credits = 0 OR EXISTS (SELECT FROM own)) AS "held!"
FROM hold
