-- Whether whoever made a public link might make it still: the key is not revoked, the user is not disabled and may edit in
-- the workspace. One place for all who ask.
CREATE FUNCTION mws_link_maker_holds(maker uuid, key uuid, workspace uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT FROM api_keys k WHERE k.id = $2 AND k.revoked_at IS NOT NULL)
        AND ($1 IS NULL OR EXISTS (
            SELECT FROM members m JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
            WHERE m.user_id = $1 AND m.workspace_id = $3 AND m.role <> 'viewer'))
$$;
