-- Reads that were asked for with an upload or an import, and start once its item is ready. `due_at` is set when the item
-- becomes ready, by whichever release of a worker makes it so, and is null again when the answer is kept.
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

CREATE FUNCTION mws_reads_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE reads_on_ready SET due_at = mws_now() WHERE item_id = NEW.id AND answer IS NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER items_ready AFTER UPDATE OF status ON items FOR EACH ROW
    WHEN (NEW.status = 'ready' AND OLD.status <> 'ready') EXECUTE FUNCTION mws_reads_due();
