-- Posts that were pulled from feeds and pages. One that nobody keeps goes after thirty days.
CREATE TABLE posts (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    -- The URL that it was pulled by.
    source text NOT NULL CHECK (octet_length(source) <= 2000),
    -- Where it is: a workspace has it once.
    url text NOT NULL CHECK (octet_length(url) <= 2000),
    author text,
    title text,
    text text NOT NULL,
    published_at timestamptz,
    -- [{url, content_type}]
    media json NOT NULL,
    -- SHA-256 of what the post says: it differs once the post was edited.
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
    tags text[] NOT NULL DEFAULT '{}',
    kept_at timestamptz,
    -- The item that its media was imported as.
    item_id uuid,
    pulled_at timestamptz NOT NULL DEFAULT mws_now(),
    UNIQUE (workspace_id, url)
);
CREATE INDEX posts_listed ON posts (workspace_id, id);
CREATE INDEX posts_source ON posts (workspace_id, source, id);
CREATE INDEX posts_unkept ON posts (pulled_at) WHERE kept_at IS NULL;
