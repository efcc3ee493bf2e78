-- Generations stand in `job_renders` beside renders: what a job is to make, and as which item. The price at which it is held is
-- kept with it, and the claim in which a provider was asked, until it is known what came of that.
ALTER TABLE job_renders
    ADD COLUMN price json,
    ADD COLUMN asked_claim integer;

-- How an item was made (`domain::generation::MadeBy`).
ALTER TABLE items ADD COLUMN made_by json;

-- What generations can be made with, and when a worker has last said so: the programs that are built in, and the models of
-- providers.
CREATE TABLE generation_makers (
    name text PRIMARY KEY,
    version text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 50);
