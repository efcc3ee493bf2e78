-- One change of status: only from a status that it may follow, so that of two changes that race the second one is judged
-- by what the first one left.
UPDATE projects
SET
    status = $4,
    revision = revision + 1,
    agent_message = CASE WHEN $5 THEN $6 ELSE agent_message END,
    assets = coalesce($7::text::json, assets),
    timeline = CASE WHEN $8 THEN $9::text::json ELSE timeline END,
    assembled_url = CASE WHEN $10 THEN $11 ELSE assembled_url END,
    assembled_url_expires_at = CASE WHEN $12 THEN $13 ELSE assembled_url_expires_at END,
    -- What an agent made stays until it makes another, or somebody else says where the result is.
    timeline_id = CASE WHEN $14 THEN coalesce($15, timeline_id) ELSE timeline_id END,
    output_item_id = CASE WHEN $14 THEN coalesce($16, output_item_id) WHEN $10 THEN NULL ELSE output_item_id END,
    spent_minutes = CASE WHEN $14 THEN $17 ELSE spent_minutes END,
    spent_steps = CASE WHEN $14 THEN $18 ELSE spent_steps END,
    spent_credits = CASE WHEN $14 THEN $19 ELSE spent_credits END,
    updated_at = mws_now()
WHERE id = $1 AND workspace_id = $2 AND status = ANY ($3)
RETURNING
    id AS "id: ProjectId",
    workspace_id AS "workspace_id: WorkspaceId",
    account_id AS "account_id: AccountId",
    status AS "status: ProjectStatus",
    revision,
    mode,
    output_type,
    brief,
    agent_message,
    assembled_url,
    assembled_url_expires_at,
    assets,
    timeline,
    CASE WHEN mws_link_maker_holds(webhook_user_id, webhook_key_id, workspace_id) THEN webhook_url END AS webhook_url,
    budget,
    planner,
    timeline_id AS "timeline_id: TimelineId",
    (SELECT i.id FROM items AS i WHERE i.id = output_item_id AND i.deleted_at IS NULL) AS "output_item_id: ItemId",
    spent_minutes AS "spent_minutes: Minutes",
    spent_credits AS "spent_credits: Credits",
    spent_steps,
    mws_now() AS "now!",
    created_at,
    updated_at
