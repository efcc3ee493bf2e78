-- Who made a calendar feed: it ends with whoever may no longer make one, as a public link does. Of feeds from before nobody knows.
ALTER TABLE calendar_feeds
    ADD COLUMN user_id uuid,
    ADD COLUMN key_id uuid;
