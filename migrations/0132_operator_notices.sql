-- What operators are told of at an endpoint of their own: a row for each matter that stands. It is deleted once its end was told, or
-- 30 days after it last changed.
CREATE TABLE operator_notices (
    kind text NOT NULL CHECK (kind IN ('endpoint_failures', 'endpoint_rate', 'minutes', 'axis')),
    -- The id of an endpoint or of an account, or the name of an axis of the verdict.
    subject text NOT NULL,
    -- The notice that is to be told next or was told last; a new one for each worse step, and for the end.
    notice_id uuid NOT NULL,
    -- Percent of the way to the harm; for an axis 1 (degraded) or 2 (failing).
    step integer NOT NULL,
    sentence text NOT NULL,
    next text NOT NULL,
    since timestamptz NOT NULL DEFAULT mws_now(),
    changed_at timestamptz NOT NULL DEFAULT mws_now(),
    -- Since when the matter does not stand any more; null while it stands.
    away_since timestamptz,
    is_over boolean NOT NULL DEFAULT false,
    -- The last notice of it that was accepted; null while none was.
    told_id uuid,
    PRIMARY KEY (kind, subject)
);

-- How the messages to that endpoint went: one row.
CREATE TABLE operator_notice_posts (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- When a scheduler last took the turn.
    turn_at timestamptz,
    accepted_at timestamptz,
    -- When a message was refused last, and why; null once one was accepted after that.
    refused_at timestamptz,
    refusal text
);
INSERT INTO operator_notice_posts DEFAULT VALUES;
