-- When an operator disabled an endpoint. Its reason is `operator` while this is the time at which it is disabled, and the
-- owner's otherwise. A value more of `disabled_reason` could not be read by processes of the release before; and what
-- those write, who know nothing of this column, changes `disabled_at`, so that the reason is the owner's again.
ALTER TABLE webhook_endpoints ADD COLUMN operator_disabled_at timestamptz;
