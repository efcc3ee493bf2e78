-- $1 the code's hash, $2 the token's, $3 seconds the token lives, $4 the address, $5 and $6 its pace (sessions.rs).
WITH passed AS (
    INSERT INTO rate_limits AS rate (account_id, theoretical_arrival)
    VALUES ($4, mws_now() + $5::bigint * interval '1 microsecond')
    ON CONFLICT (account_id) DO UPDATE
    SET theoretical_arrival = greatest(rate.theoretical_arrival, mws_now()) + $5::bigint * interval '1 microsecond'
    WHERE rate.theoretical_arrival <= mws_now() + $6::bigint * interval '1 microsecond'
    RETURNING theoretical_arrival
), redeemed AS (
    UPDATE session_codes AS code
    SET redeemed_at = mws_now()
    WHERE code.code_hash = $1
        AND code.redeemed_at IS NULL
        AND code.expires_at > mws_now()
        AND EXISTS (SELECT FROM passed)
        AND NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = code.key_id AND revoked_at IS NOT NULL)
    RETURNING code.account_id, code.workspace_id, code.user_id, code.key_id
), made AS (
    INSERT INTO session_tokens (token_hash, account_id, workspace_id, user_id, key_id, expires_at)
    SELECT $2, account_id, workspace_id, user_id, key_id, mws_now() + $3::bigint * interval '1 second'
    FROM redeemed
    RETURNING workspace_id, expires_at
)
SELECT
    EXISTS (SELECT FROM passed) AS "passed!",
    coalesce(
        (SELECT theoretical_arrival FROM passed),
        (SELECT theoretical_arrival FROM rate_limits WHERE account_id = $4)
    ) AS arrival,
    mws_now() AS "now!",
    made.workspace_id AS "workspace_id?: WorkspaceId",
    made.expires_at AS "expires_at?"
FROM (VALUES (1)) AS one (row)
LEFT JOIN made ON true
