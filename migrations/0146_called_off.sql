-- The model whose provider was asked for what a job makes: it is told once when the job is cancelled, also where no worker
-- has the job just then. Few rows have it: a row goes minutes after its job has ended.
ALTER TABLE job_renders ADD COLUMN asked_model text;
CREATE INDEX job_renders_to_call_off ON job_renders (ended_at) WHERE ended_at IS NOT NULL AND asked_model IS NOT NULL;
