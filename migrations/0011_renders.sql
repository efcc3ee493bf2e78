-- Renders: jobs that make a new item of others (interface.md, "Minutes", row `render`).

-- One row a render job: what it makes, and as which item. The partial unique index is the promise that the same render is
-- not made twice at once; `items_render` is the same promise for one that is there already. The row stays after its job
-- until the scheduler has dropped what claims that were lost left in the media store.
CREATE TABLE job_renders (
    job_id uuid PRIMARY KEY,
    -- SHA-256 of the plan (`domain::render`).
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    plan json NOT NULL,
    -- Minted with the job; the item's row is written by the claim that finishes.
    output_item_id uuid NOT NULL,
    output_name text NOT NULL,
    -- What it needs beside the item of its job.
    music_item_id uuid,
    ended_at timestamptz
);
CREATE UNIQUE INDEX job_renders_live ON job_renders (hash) WHERE ended_at IS NULL;
CREATE INDEX job_renders_music ON job_renders (music_item_id) WHERE music_item_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX job_renders_ended ON job_renders (ended_at) WHERE ended_at IS NOT NULL;

-- The hash of the render that made an item, and the frames on which a video's cuts stand.
ALTER TABLE items
    ADD COLUMN render_hash bytea,
    ADD COLUMN rate_frames integer CHECK (rate_frames > 0),
    ADD COLUMN rate_seconds integer CHECK (rate_seconds > 0),
    ADD CHECK ((rate_frames IS NULL) = (rate_seconds IS NULL));
CREATE UNIQUE INDEX items_render ON items (render_hash) WHERE render_hash IS NOT NULL AND deleted_at IS NULL;

-- Which worker has last said that it can render. Not a row of `read_kinds`: the previous release takes each of those for
-- a read.
CREATE TABLE render_engine (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    engine text,
    engine_version text,
    engine_seen_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO render_engine DEFAULT VALUES;
