-- What the agent of projects works on: a run for the brief and one for each thing that is said afterwards, and the steps
-- of each. Steps are written before their tool is called, with its arguments, so that whoever takes a run up sends the
-- same call with the same Idempotency-Key.
ALTER TABLE projects
    ADD COLUMN budget jsonb,
    ADD COLUMN planner text,
    ADD COLUMN timeline_id uuid,
    ADD COLUMN output_item_id uuid,
    -- In hundredths: what was charged, or is held.
    ADD COLUMN spent_minutes bigint NOT NULL DEFAULT 0,
    ADD COLUMN spent_steps integer NOT NULL DEFAULT 0;

CREATE TABLE project_runs (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- Who asked, as `reads_on_ready` has it: their account pays. No foreign keys: a run goes with its project.
    payer_account_id uuid NOT NULL,
    owner_account_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid,
    user_id uuid,
    request_id text NOT NULL,
    traceparent text,
    -- What was said; null: the brief.
    said text CHECK (char_length(said) <= 4000),
    memory jsonb NOT NULL,
    -- Of two who hold one run the later one's number stands.
    claim_no integer NOT NULL DEFAULT 0,
    -- How often the step at hand was put off.
    tries integer NOT NULL DEFAULT 0,
    -- When somebody may take it up; null once it has ended.
    due_at timestamptz DEFAULT mws_now(),
    created_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX project_runs_live ON project_runs (project_id) WHERE due_at IS NOT NULL;
CREATE INDEX project_runs_project ON project_runs (project_id, id);
CREATE INDEX project_runs_turns ON project_runs (payer_account_id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE project_steps (
    id uuid PRIMARY KEY,
    run_id uuid NOT NULL REFERENCES project_runs (id) ON DELETE CASCADE,
    -- From 1 in its run: with the run's id it is the call's Idempotency-Key.
    number integer NOT NULL,
    tool text NOT NULL,
    arguments jsonb NOT NULL,
    status text NOT NULL DEFAULT 'begun' CHECK (status IN ('begun', 'done', 'refused')),
    -- Why it was refused.
    message text,
    began_at timestamptz NOT NULL DEFAULT mws_now(),
    ended_at timestamptz,
    UNIQUE (run_id, number)
);
