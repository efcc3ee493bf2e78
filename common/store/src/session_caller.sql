-- $1 the token's hash, $2 and $3 the pace in microseconds (credentials.rs).
WITH caller AS (
    SELECT
        token.account_id, token.workspace_id, token.key_id, token.user_id,
        workspace.account_id AS workspace_account_id,
        CASE WHEN token.user_id IS NULL THEN 'owner' ELSE member.role END AS role,
        key.revoked_at IS NOT NULL AS revoked,
        token.expires_at <= mws_now() AS expired,
        person.disabled_at IS NOT NULL AS disabled,
        coalesce(payer.suspended_reason, owner.suspended_reason) AS suspended
    FROM session_tokens AS token
    JOIN workspaces AS workspace ON workspace.id = token.workspace_id
    JOIN accounts AS payer ON payer.id = token.account_id
    JOIN accounts AS owner ON owner.id = workspace.account_id
    LEFT JOIN users AS person ON person.id = token.user_id
    LEFT JOIN api_keys AS key ON key.id = token.key_id
    LEFT JOIN members AS member ON member.workspace_id = token.workspace_id AND member.user_id = token.user_id
    WHERE token.token_hash = $1
), passed AS (
    INSERT INTO rate_limits AS rate (account_id, theoretical_arrival)
    SELECT account_id, mws_now() + $2::bigint * interval '1 microsecond' FROM caller WHERE NOT revoked AND NOT expired
    ON CONFLICT (account_id) DO UPDATE
    SET theoretical_arrival = greatest(rate.theoretical_arrival, mws_now()) + $2::bigint * interval '1 microsecond'
    WHERE rate.theoretical_arrival <= mws_now() + $3::bigint * interval '1 microsecond'
    RETURNING account_id, theoretical_arrival
)
SELECT
    caller.account_id AS "account_id!: AccountId",
    caller.workspace_id AS "workspace_id!: WorkspaceId",
    caller.workspace_account_id AS "workspace_account_id!: AccountId",
    caller.role AS "role?",
    caller.key_id AS "key_id?: KeyId",
    caller.user_id AS "user_id?: UserId",
    caller.revoked AS "revoked!",
    caller.expired AS "expired!",
    caller.disabled AS "disabled!",
    caller.suspended AS "suspended?",
    passed.account_id IS NOT NULL AS "passed!",
    coalesce(passed.theoretical_arrival, blocked.theoretical_arrival) AS arrival,
    mws_now() AS "now!"
FROM caller
LEFT JOIN passed ON passed.account_id = caller.account_id
LEFT JOIN rate_limits AS blocked ON blocked.account_id = caller.account_id
