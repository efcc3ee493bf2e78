-- How far the scheduler is in comparing the media store with the rows that name its objects: the item it looked at last.
CREATE TABLE media_sweep (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    after_item_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
) WITH (fillfactor = 50);
INSERT INTO media_sweep DEFAULT VALUES;
