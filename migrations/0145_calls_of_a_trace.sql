-- The calls of a trace, the newest first. Whoever sends a trace's id chooses it, so that a trace may have a million calls.
CREATE INDEX calls_trace_newest ON calls (substr(traceparent, 4, 32), id DESC) WHERE traceparent IS NOT NULL;
DROP INDEX calls_trace;
