-- What was started within a trace, by the trace's id: the 32 digits behind the version in a `traceparent` (W3C Trace Context). The index holds the calls that have one.
CREATE INDEX calls_trace ON calls (substr(traceparent, 4, 32)) WHERE traceparent IS NOT NULL;
