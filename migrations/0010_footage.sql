-- What is seen and said in an item, as rows (docs/decisions.md, "Reads are joined when they are read"). Each read's finish
-- writes its own rows and looks at no other's, so the order in which reads end can't matter.

-- Similar words, and an index that takes a workspace beside words.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The shots that a video's `search_index` found.
CREATE TABLE moments (
    item_id uuid NOT NULL REFERENCES items (id),
    start_ms integer NOT NULL CHECK (start_ms >= 0),
    end_ms integer NOT NULL CHECK (end_ms >= start_ms),
    -- Its place in the video, from 1: `m1`, `m2`, …
    number integer NOT NULL CHECK (number >= 1),
    thumbnail_key text,
    PRIMARY KEY (item_id, start_ms)
);

-- What a `transcript` says, so many words a row.
CREATE TABLE passages (
    item_id uuid NOT NULL REFERENCES items (id),
    number integer NOT NULL CHECK (number >= 1),
    workspace_id uuid NOT NULL,
    -- Words with one space between them: the row's own ones, and then the first of the rows after it, so that a phrase is
    -- found across the border of two rows.
    text text NOT NULL,
    own_words integer NOT NULL CHECK (own_words >= 1),
    -- When each word begins and ends, in milliseconds: [[0,250],[250,400]].
    times json NOT NULL,
    lexemes tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', text)) STORED,
    PRIMARY KEY (item_id, number)
);
-- A workspace's words are found without a look at other workspaces' rows, however common the words are.
CREATE INDEX passages_lexemes ON passages USING gin (workspace_id, lexemes);
CREATE INDEX passages_text ON passages USING gin (workspace_id, text gin_trgm_ops);

-- Who speaks when, as `speakers` tells.
CREATE TABLE turns (
    item_id uuid NOT NULL REFERENCES items (id),
    number integer NOT NULL CHECK (number >= 1),
    start_ms integer NOT NULL CHECK (start_ms >= 0),
    end_ms integer NOT NULL CHECK (end_ms >= start_ms),
    speaker text NOT NULL,
    PRIMARY KEY (item_id, number)
);

-- What the search index makes of each of these words, in their order: its lexeme, several with a space between them, or
-- nothing for a word too common to be indexed.
CREATE FUNCTION mws_lexemes(words text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY(
    SELECT coalesce((SELECT string_agg(lexeme, ' ') FROM unnest(to_tsvector('english', said.word))), '')
    FROM unnest(words) WITH ORDINALITY AS said (word, place)
    ORDER BY said.place
);

-- Reads from before that stand in their row. The moments leave it, since from now on they are put together from rows.
INSERT INTO moments (item_id, start_ms, end_ms, number, thumbnail_key)
SELECT r.item_id, round((m.moment ->> 'start')::numeric * 1000), round((m.moment ->> 'end')::numeric * 1000), m.number,
    m.moment ->> 'thumbnail'
FROM item_reads r
CROSS JOIN LATERAL json_array_elements(r.result #> '{data,moments}') WITH ORDINALITY AS m (moment, number)
WHERE r.read = 'search_index'
ON CONFLICT DO NOTHING;
UPDATE item_reads SET result = (result::jsonb #- '{data,moments}')::json WHERE read = 'search_index';

INSERT INTO turns (item_id, number, start_ms, end_ms, speaker)
SELECT r.item_id, t.number, round((t.turn ->> 'start')::numeric * 1000), round((t.turn ->> 'end')::numeric * 1000),
    t.turn ->> 'speaker'
FROM item_reads r
CROSS JOIN LATERAL json_array_elements(r.result #> '{data,segments}') WITH ORDINALITY AS t (turn, number)
WHERE r.read = 'speakers';

-- As `domain::footage::passages` does it: fifty words a row and twenty-five of those after them.
INSERT INTO passages (item_id, number, workspace_id, text, own_words, times)
SELECT w.item_id, w.first / 50 + 1, w.workspace_id,
    string_agg(w.word, ' ' ORDER BY w.place), count(*) FILTER (WHERE w.place < w.first + 50),
    json_agg(json_build_array(w.start_ms, w.end_ms) ORDER BY w.place)
FROM (
    SELECT r.item_id, i.workspace_id, word.place, first,
        regexp_replace(word.said ->> 'word', '\s', '', 'g') AS word,
        round((word.said ->> 'start')::numeric * 1000)::int AS start_ms,
        round((word.said ->> 'end')::numeric * 1000)::int AS end_ms
    FROM item_reads r
    JOIN items i ON i.id = r.item_id AND i.has_video
    CROSS JOIN LATERAL (
        SELECT said, place - 1 AS place FROM json_array_elements(r.result #> '{data,words}') WITH ORDINALITY AS w (said, place)
    ) AS word
    -- The row that the word is in, and the one before it when it is among its first twenty-five.
    CROSS JOIN LATERAL (VALUES (word.place / 50 * 50), (word.place / 50 * 50 - 50)) AS rows (first)
    WHERE r.read = 'transcript' AND first >= 0 AND word.place < first + 75
) AS w
GROUP BY w.item_id, w.workspace_id, w.first;
