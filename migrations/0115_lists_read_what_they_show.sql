-- Comments on an item or a timeline by whether they are resolved, newest first: a list of the resolved ones of an item
-- that has none looked at all of its comments. The two ids are the other way round than in `comments_subject`, though one of
-- them is always null: so a list with that filter can't be planned by that index, which it would read to its end where
-- nothing was resolved when the table was analysed.
CREATE INDEX comments_resolved ON comments ((coalesce(timeline_id, item_id)), (resolved_at IS NOT NULL), id);

-- The tags of an item in lower case, each between two characters that no tag has, as lists search them. `lower` of 210,000
-- tags of 64 letters took most of 0.3 s, and fetching them from beside the table the rest: so this stays in the row unless
-- a page can't hold it. The strongest lock at once, for the reason that 0047 gives.
CREATE FUNCTION mws_lower_tags(tags text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(chr(31) || array_to_string(tags, chr(31)) || chr(31))
$$;
LOCK TABLE items IN ACCESS EXCLUSIVE MODE;
ALTER TABLE items
    ADD COLUMN lower_tags text COLLATE "C" NOT NULL
        GENERATED ALWAYS AS (CASE WHEN tags = '{}' THEN '' ELSE mws_lower_tags(tags) END) STORED,
    ALTER COLUMN lower_tags SET STORAGE MAIN;
