-- Reads that were asked for with an upload or an import, and start once its item is ready. `due_at` is set by the
-- transaction that makes the item ready, and is null again when the answer is kept.
CREATE TABLE reads_on_ready (
    item_id uuid PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE,
    reads text[] NOT NULL CHECK (cardinality(reads) BETWEEN 1 AND 16),
    payer_account_id uuid NOT NULL REFERENCES accounts (id),
    owner_account_id uuid NOT NULL REFERENCES accounts (id),
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    key_id uuid,
    user_id uuid,
    tool text NOT NULL,
    request_id text NOT NULL,
    traceparent text,
    due_at timestamptz,
    answer jsonb
);
CREATE INDEX reads_on_ready_due ON reads_on_ready (due_at) WHERE due_at IS NOT NULL;
