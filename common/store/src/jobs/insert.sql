WITH made AS (
    INSERT INTO calls (id, account_id, workspace_id, tool, request_id, context, traceparent, rerun_of)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $19)
), started AS (
    SELECT * FROM unnest($10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::bool[], $15::bigint[], $16::bigint[],
                         $17::text[], $18::bigint[])
        WITH ORDINALITY
        AS started (id, item_id, kind, read, admitted, held_month, held_bought, ticket_id, held_credits, place)
), inserted AS (
    INSERT INTO jobs (id, call_id, payer_account_id, owner_account_id, workspace_id, item_id, kind, read, admitted,
                      hold_month, held_month, held_bought, ticket_id, held_credits)
    SELECT id, $1, $2, $8, $3, item_id, kind, read, admitted, $9, held_month, held_bought, ticket_id,
           held_credits
    FROM started ORDER BY place
)
INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount, bought_amount, credit_amount)
SELECT $2, $9, 'hold', id, held_month, held_bought, held_credits FROM started ORDER BY place
