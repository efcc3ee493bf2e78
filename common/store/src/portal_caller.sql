-- $1 the session's hash, $2 and $3 the pace in microseconds (credentials.rs).
WITH caller AS (
    SELECT
        key.id AS key_id, key.account_id, key.workspace_id, key.revoked_at IS NOT NULL AS revoked,
        pass.expires_at <= mws_now() AS expired, account.suspended_reason
    FROM portal_passes AS pass
    JOIN api_keys AS key ON key.id = pass.key_id
    JOIN accounts AS account ON account.id = key.account_id
    WHERE pass.hash = $1 AND pass.kind = 'session'
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
    caller.account_id AS "workspace_account_id!: AccountId",
    'owner' AS role,
    caller.key_id AS "key_id?: KeyId",
    NULL::uuid AS "user_id: UserId",
    caller.revoked AS "revoked!",
    caller.expired AS "expired!",
    false AS "disabled!",
    caller.suspended_reason AS "suspended?",
    passed.account_id IS NOT NULL AS "passed!",
    coalesce(passed.theoretical_arrival, blocked.theoretical_arrival) AS arrival,
    mws_now() AS "now!"
FROM caller
LEFT JOIN passed ON passed.account_id = caller.account_id
LEFT JOIN rate_limits AS blocked ON blocked.account_id = caller.account_id
