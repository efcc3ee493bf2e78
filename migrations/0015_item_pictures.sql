-- A picture of an item to show, and the streams that its file holds. Both are null for items from before.
ALTER TABLE items
    ADD COLUMN thumbnail_key text,
    ADD COLUMN streams json;
