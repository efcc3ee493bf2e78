-- What people sort their items by.
ALTER TABLE items ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
