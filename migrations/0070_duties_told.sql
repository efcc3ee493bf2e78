-- When each duty of the schedulers was last done, by whichever of them: what the operators' verdict goes by. Some twenty rows, each
-- changed in place. A scheduler tells of its duties with each beat; one that no scheduler tells of any more is of an earlier release,
-- and forgotten within a day.
CREATE TABLE scheduler_duties (
    duty text PRIMARY KEY,
    every_seconds double precision NOT NULL,
    -- Begins with the first telling: a duty that never succeeded is late from then on.
    done_at timestamptz NOT NULL DEFAULT mws_now(),
    told_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 50);
