-- The id of the folder that this database's media is in: a file in that folder has it too. A process whose folder has another or
-- none does not start. One row; none before the first start of a process that keeps media.
CREATE TABLE media_folder (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    id uuid NOT NULL
);
