-- Renders that are made from more than two items: those beside the item of the job and its music. Each must still be there.
ALTER TABLE job_renders ADD COLUMN source_item_ids uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX job_renders_sources ON job_renders USING gin (source_item_ids) WHERE ended_at IS NULL;

-- When a worker has last said that it can draw letters.
ALTER TABLE render_engine ADD COLUMN text_seen_at timestamptz;
