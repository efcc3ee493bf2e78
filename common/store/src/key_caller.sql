-- $1 the key's hash, $2 and $3 the pace in microseconds (credentials.rs).
WITH caller AS (
    SELECT
        key.id AS key_id, key.account_id, key.workspace_id, key.revoked_at IS NOT NULL AS revoked, key.last_used_at,
        account.suspended_reason
    FROM api_keys AS key
    JOIN accounts AS account ON account.id = key.account_id
    WHERE key.key_hash = $1
), passed AS (
    INSERT INTO rate_limits AS rate (account_id, theoretical_arrival)
    SELECT account_id, mws_now() + $2::bigint * interval '1 microsecond' FROM caller WHERE NOT revoked
    ON CONFLICT (account_id) DO UPDATE
    SET theoretical_arrival = greatest(rate.theoretical_arrival, mws_now()) + $2::bigint * interval '1 microsecond'
    WHERE rate.theoretical_arrival <= mws_now() + $3::bigint * interval '1 microsecond'
    RETURNING account_id, theoretical_arrival
), used AS (
    UPDATE api_keys
    SET last_used_at = mws_now()
    FROM caller
    JOIN passed ON passed.account_id = caller.account_id
    WHERE api_keys.id = caller.key_id
        AND (caller.last_used_at IS NULL OR caller.last_used_at < mws_now() - interval '1 minute')
    -- A crash may forget it: so no call waits for the disk, or for a standby, for its sake. The rate's table, which is
    -- written too, is unlogged.
    RETURNING set_config('synchronous_commit', 'off', true)
)
SELECT
    caller.account_id AS "account_id!: AccountId",
    caller.workspace_id AS "workspace_id!: WorkspaceId",
    caller.account_id AS "workspace_account_id!: AccountId",
    'owner' AS role,
    caller.key_id AS "key_id: KeyId",
    NULL::uuid AS "user_id: UserId",
    caller.revoked AS "revoked!",
    false AS "expired!",
    false AS "disabled!",
    caller.suspended_reason AS "suspended?",
    passed.account_id IS NOT NULL AS "passed!",
    coalesce(passed.theoretical_arrival, blocked.theoretical_arrival) AS arrival,
    mws_now() AS "now!"
FROM caller
LEFT JOIN passed ON passed.account_id = caller.account_id
LEFT JOIN rate_limits AS blocked ON blocked.account_id = caller.account_id
