-- What people say of an item, at a moment of it or of the whole. A reply belongs to the comment that began the thread.
-- Exactly one of `user_id`, `key_id` and `guest_name` says who wrote it; `link_id` is the link that a guest came by.
CREATE TABLE comments (
    id uuid PRIMARY KEY,
    item_id uuid NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    reply_to uuid REFERENCES comments (id) ON DELETE CASCADE,
    text text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 5000),
    at_ms integer CHECK (at_ms >= 0),
    until_ms integer CHECK (until_ms > at_ms),
    region jsonb,
    user_id uuid,
    key_id uuid,
    link_id uuid,
    guest_name text CHECK (char_length(guest_name) BETWEEN 1 AND 100),
    resolved_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    updated_at timestamptz NOT NULL DEFAULT mws_now(),
    CHECK (num_nonnulls(user_id, key_id, guest_name) = 1),
    CHECK ((guest_name IS NULL) = (link_id IS NULL)),
    CHECK (at_ms IS NOT NULL OR until_ms IS NULL)
);
CREATE INDEX comments_item ON comments (item_id, id);
CREATE INDEX comments_reply ON comments (reply_to) WHERE reply_to IS NOT NULL;
CREATE INDEX comments_link ON comments (link_id, created_at) WHERE link_id IS NOT NULL;

-- Links that show an item to whoever has them, until they end. Of the token and the passphrase only hashes are kept.
CREATE TABLE public_links (
    id uuid PRIMARY KEY,
    item_id uuid NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    token_hash bytea NOT NULL UNIQUE,
    may_download boolean NOT NULL,
    may_comment boolean NOT NULL,
    passphrase_hash bytea,
    user_id uuid,
    key_id uuid,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    views bigint NOT NULL DEFAULT 0,
    last_viewed_at timestamptz,
    -- Wrong passphrases since `wrong_since`, for all who try.
    wrong integer NOT NULL DEFAULT 0,
    wrong_since timestamptz
);
CREATE INDEX public_links_workspace ON public_links (workspace_id, id);
CREATE INDEX public_links_item ON public_links (item_id, id);
CREATE INDEX public_links_end ON public_links (expires_at);
