-- Lists of items by their names, and of those with one name by id.
CREATE INDEX items_workspace_name ON items (workspace_id, (lower(name)) COLLATE "C", id) WHERE deleted_at IS NULL;
