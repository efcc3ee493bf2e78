-- $1 issuer and $2 subject of a verified token, $3 and $4 when it ends and begins, $5 how many seconds clocks may differ,
-- $6 the workspace named, $7 those that the token lets in to, $8 what somebody unknown is counted as, $9 and $10 the pace.
WITH token AS (
    SELECT
        to_timestamp($3::bigint) + $5::bigint * interval '1 second' <= mws_now() AS expired,
        coalesce(to_timestamp($4::bigint) - $5::bigint * interval '1 second' > mws_now(), false) AS early
), caller AS (
    SELECT person.id, person.account_id, person.disabled_at IS NOT NULL AS disabled, payer.suspended_reason
    FROM users AS person
    JOIN accounts AS payer ON payer.id = person.account_id
    WHERE person.oauth_issuer = $1 AND person.oauth_subject = $2
), passed AS (
    INSERT INTO rate_limits AS rate (account_id, theoretical_arrival)
    SELECT coalesce((SELECT account_id FROM caller), $8), mws_now() + $9::bigint * interval '1 microsecond'
    FROM token WHERE NOT expired AND NOT early
    ON CONFLICT (account_id) DO UPDATE
    SET theoretical_arrival = greatest(rate.theoretical_arrival, mws_now()) + $9::bigint * interval '1 microsecond'
    WHERE rate.theoretical_arrival <= mws_now() + $10::bigint * interval '1 microsecond'
    RETURNING theoretical_arrival
), place AS (
    SELECT workspace.id, workspace.account_id, member.role, owner.suspended_reason
    FROM caller
    JOIN members AS member ON member.user_id = caller.id
    JOIN workspaces AS workspace ON workspace.id = member.workspace_id
    JOIN accounts AS owner ON owner.id = workspace.account_id
    WHERE ($6::uuid IS NULL OR workspace.id = $6) AND ($7::uuid[] IS NULL OR workspace.id = ANY ($7))
    ORDER BY
        array_position($7, workspace.id),
        workspace.is_default AND workspace.account_id = caller.account_id DESC,
        workspace.id
    LIMIT 1
)
SELECT
    token.expired AS "expired!",
    token.early AS "early!",
    EXISTS (SELECT FROM passed) AS "passed!",
    coalesce(
        (SELECT theoretical_arrival FROM passed),
        (SELECT theoretical_arrival FROM rate_limits WHERE account_id = coalesce(caller.account_id, $8))
    ) AS arrival,
    mws_now() AS "now!",
    caller.id AS "user_id?: UserId",
    caller.account_id AS "account_id?: AccountId",
    place.id AS "workspace_id?: WorkspaceId",
    place.account_id AS "workspace_account_id?: AccountId",
    place.role AS "role?: Role",
    coalesce(caller.disabled, false) AS "disabled!",
    coalesce(caller.suspended_reason, place.suspended_reason) AS "suspended?"
FROM token
LEFT JOIN caller ON true
LEFT JOIN place ON true
