-- A comment is about an item or about a timeline; it goes with either.
ALTER TABLE comments
    ALTER COLUMN item_id DROP NOT NULL,
    ADD COLUMN timeline_id uuid REFERENCES documents (id) ON DELETE CASCADE,
    ADD CHECK (num_nonnulls(item_id, timeline_id) = 1) NOT VALID;

-- Lists and counts are of either. The index by item stays for what goes with an item.
CREATE INDEX comments_subject ON comments ((coalesce(item_id, timeline_id)), id);
CREATE INDEX comments_timeline ON comments (timeline_id) WHERE timeline_id IS NOT NULL;
