-- Documents that people change: boards, brand kits, settings, templates, skills, timelines, canvases, dubs. What is in a
-- body is its kind's alone (`domain`); here it is text that counts towards what an account may keep.
CREATE TABLE documents (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    account_id uuid NOT NULL REFERENCES accounts (id),
    kind text NOT NULL,
    name text NOT NULL CHECK (char_length(name) <= 200),
    body json NOT NULL,
    -- What lists show of the body.
    summary json NOT NULL,
    -- Raised by every change, an undo too.
    revision integer NOT NULL DEFAULT 1 CHECK (revision > 0),
    -- Bytes of this body and of those kept before it.
    kept_bytes bigint NOT NULL CHECK (kept_bytes >= 0),
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    updated_at timestamptz NOT NULL DEFAULT mws_now()
);
CREATE INDEX documents_listed ON documents (workspace_id, kind, id);
CREATE INDEX documents_account ON documents (account_id) INCLUDE (kept_bytes);
-- A workspace has one of these.
CREATE UNIQUE INDEX documents_single ON documents (workspace_id, kind) WHERE kind IN ('brand_kit', 'settings');
-- These are called by their names.
CREATE UNIQUE INDEX documents_named ON documents (workspace_id, kind, name) WHERE kind IN ('template', 'skill');

-- What a document was before its latest changes, for an undo.
CREATE TABLE document_revisions (
    document_id uuid NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    revision integer NOT NULL,
    name text NOT NULL,
    body json NOT NULL,
    summary json NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (document_id, revision)
);
