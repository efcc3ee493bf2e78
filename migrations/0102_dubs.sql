-- What was last spoken of a dub, which is a document: of which revision, as which items, and where in the sound of the voices each
-- segment is, so that the next render speaks only what is said otherwise. It goes with its dub. At most 2,000 segments of some
-- hundred bytes, and a workspace has at most 500 dubs.
CREATE TABLE dub_outputs (
    document_id uuid PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    -- SHA-256 of the plan of the call that made the dub (`domain::dub`): the same call leads to it again.
    plan_hash bytea NOT NULL CHECK (octet_length(plan_hash) = 32),
    revision integer NOT NULL CHECK (revision > 0),
    -- Its media, the voices alone, and its timeline; each may be deleted by now.
    item_id uuid NOT NULL,
    voice_item_id uuid NOT NULL,
    timeline_id uuid NOT NULL,
    pieces json NOT NULL,
    made_at timestamptz NOT NULL DEFAULT mws_now()
);
CREATE INDEX dub_outputs_plan ON dub_outputs (plan_hash);

-- Another item that a job makes beside the first: of a dub the voices alone.
ALTER TABLE job_renders ADD COLUMN second_item_id uuid;
