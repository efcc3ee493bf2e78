-- What operators have done with all that match a filter, by name, and how far it is. A scheduler takes what runs forward: each step locks the
-- operation, sends some deliveries of its first endpoint again, and counts them in the same transaction. A release that knows more kinds leaves
-- theirs alone here: a scheduler takes forward the kinds that it knows.
CREATE TABLE bulk_operations (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    kind text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'stopped', 'finished')),
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    account_id uuid,
    endpoint_id uuid,
    status text,
    event_type text,
    http_status smallint,
    error text,
    operator text NOT NULL,
    address text,
    request_id text NOT NULL,
    total bigint NOT NULL,
    done bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    stopped_by text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    -- From when on a scheduler may take its next turn at it, so that its pace is the same however many schedulers there are.
    turn_at timestamptz NOT NULL DEFAULT mws_now(),
    ended_at timestamptz,
    CHECK ((state = 'running') = (ended_at IS NULL)),
    CHECK ((state = 'stopped') = (stopped_by IS NOT NULL))
);
CREATE INDEX bulk_operations_running ON bulk_operations (id) WHERE state = 'running';
CREATE INDEX bulk_operations_ended ON bulk_operations (ended_at) WHERE ended_at IS NOT NULL;

-- The endpoints that an operation still has before it, each with how many of its deliveries were counted and not sent again so far.
CREATE TABLE bulk_operation_endpoints (
    operation_id uuid NOT NULL REFERENCES bulk_operations (id),
    endpoint_id uuid NOT NULL,
    account_id uuid NOT NULL,
    counted bigint NOT NULL,
    PRIMARY KEY (operation_id, endpoint_id)
);
