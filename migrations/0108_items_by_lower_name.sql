-- The name of an item in lower case, as lists search it and sort by it. `lower` of 10,500 names of 175 accented letters
-- takes 26 ms, and a list by name that found nothing called it twice a row. It sorts by code points, as the index did.
-- The strongest lock at once, for the reason that 0047 gives.
LOCK TABLE items IN ACCESS EXCLUSIVE MODE;
ALTER TABLE items ADD COLUMN lower_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(name)) STORED;
CREATE INDEX items_workspace_lower_name ON items (workspace_id, lower_name, id) WHERE deleted_at IS NULL;
DROP INDEX items_workspace_name;
