-- Rows of items that were deleted and whose objects are gone are kept for as long as ended jobs are, and then go too: this
-- finds them. Projects that were cancelled go after the same time.
CREATE INDEX items_purged ON items (purged_at) WHERE purged_at IS NOT NULL;
CREATE INDEX projects_cancelled ON projects (updated_at) WHERE status = 'cancelled';
