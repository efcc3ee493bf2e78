-- Somebody's own account, with a workspace that they own, counted against their network. Of two that race for one subject
-- the second waits for the first and makes nothing. $1 issuer, $2 subject, $3 name, $4 to $6 the new ids of account, user
-- and workspace, $7 the network's id, $8 the microseconds that one counts for.
WITH made AS (
    INSERT INTO users (id, account_id, name, oauth_issuer, oauth_subject) VALUES ($5, $4, $3, $1, $2)
    ON CONFLICT (oauth_issuer, oauth_subject) DO NOTHING
    RETURNING id, account_id, name
), account AS (
    INSERT INTO accounts (id, name) SELECT account_id, name FROM made
), workspace AS (
    INSERT INTO workspaces (id, account_id, name, is_default) SELECT $6, account_id, name, true FROM made
), counted AS (
    INSERT INTO rate_limits AS rate (account_id, theoretical_arrival)
    SELECT $7, mws_now() + $8::bigint * interval '1 microsecond' FROM made
    ON CONFLICT (account_id) DO UPDATE
    SET theoretical_arrival = greatest(rate.theoretical_arrival, mws_now()) + $8::bigint * interval '1 microsecond'
)
INSERT INTO members (workspace_id, user_id, role) SELECT $6, id, 'owner' FROM made
