-- What a workspace plans, by the moment that it is planned for. `items` are those that it is about, deleted ones too.
CREATE TABLE calendar_entries (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
    starts_at timestamptz NOT NULL,
    ends_at timestamptz CHECK (ends_at > starts_at),
    items uuid[] NOT NULL CHECK (cardinality(items) <= 20),
    channel text CHECK (char_length(channel) BETWEEN 1 AND 100),
    note text CHECK (char_length(note) BETWEEN 1 AND 5000),
    status text NOT NULL CHECK (status IN ('idea', 'planned', 'done')),
    -- Raised by every change: readers of feeds keep the entry that has the highest.
    sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    updated_at timestamptz NOT NULL DEFAULT mws_now()
);
CREATE INDEX calendar_entries_start ON calendar_entries (workspace_id, starts_at);

-- Secret URLs by which calendar programs read a workspace's calendar. Of the token only a hash is kept.
CREATE TABLE calendar_feeds (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    last_read_at timestamptz,
    -- Reads since `minute_since`, for all who have the URL.
    reads integer NOT NULL DEFAULT 0,
    minute_since timestamptz
);
CREATE INDEX calendar_feeds_workspace ON calendar_feeds (workspace_id, id);
