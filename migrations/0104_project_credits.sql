-- What a project's agent took of AI credits, in hundredths: charged, or held. A planner that asks a model may have pictures
-- and films made.
ALTER TABLE projects ADD COLUMN spent_credits bigint NOT NULL DEFAULT 0;
