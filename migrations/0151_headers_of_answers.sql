-- What receivers said in the headers of their answers, beside the start of the body: a line for each. Null without any,
-- and for attempts from before.
ALTER TABLE delivery_attempts ADD COLUMN response_headers text;
ALTER TABLE project_webhooks ADD COLUMN response_headers text;
