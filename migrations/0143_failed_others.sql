-- Failed jobs of other work than reads (renders, generations, dubs) in the order of their ids, which is that of time, as
-- 0137 has the reads: what the verdict looks through for kinds of failures that are new.
CREATE INDEX jobs_failed_others ON jobs (id) WHERE listed_as = 'failed' AND read IS NULL;
