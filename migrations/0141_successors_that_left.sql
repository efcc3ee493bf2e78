-- When the process that went on with the work of this one, after it fell silent, stopped normally: a killing that is
-- past stays past without the successor's row.
ALTER TABLE workers ADD COLUMN successor_left_at timestamptz;
