-- Somebody's own account, with a workspace that they own. Of two that race for one subject the second waits for the first
-- and makes nothing. $1 issuer, $2 subject, $3 name, $4 to $6 the new ids of account, user and workspace.
WITH made AS (
    INSERT INTO users (id, account_id, name, oauth_issuer, oauth_subject) VALUES ($5, $4, $3, $1, $2)
    ON CONFLICT (oauth_issuer, oauth_subject) DO NOTHING
    RETURNING id, account_id, name
), account AS (
    INSERT INTO accounts (id, name) SELECT account_id, name FROM made
), workspace AS (
    INSERT INTO workspaces (id, account_id, name, is_default) SELECT $6, account_id, name, true FROM made
)
INSERT INTO members (workspace_id, user_id, role) SELECT $6, id, 'owner' FROM made
