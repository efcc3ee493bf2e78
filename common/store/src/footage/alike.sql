-- The passages with words like those asked for, the most alike first. The words come first here too.
WITH held AS MATERIALIZED (
    SELECT p.item_id, p.shown, p.number, word_similarity($2, p.text) AS rank
    FROM passages p
    WHERE p.workspace_id = $1 AND p.text %> $2 AND ($3::uuid[] IS NULL OR p.item_id = ANY ($3))
), best AS MATERIALIZED (
    SELECT held.*, i.ref
    FROM held
    JOIN items i ON i.id = held.item_id AND i.deleted_at IS NULL
    ORDER BY held.rank DESC, held.item_id DESC, held.shown, held.number
    LIMIT $4
)
SELECT
    p.item_id AS "item_id!: ItemId", best.ref AS "item_ref!", p.text AS "text!", p.own_words AS "own_words!",
    p.times AS "times!: Json<Vec<(i32, i32)>>", p.shown AS "shown!", mws_lexemes(string_to_array(p.text, ' ')) AS "lexemes!"
FROM best JOIN passages p ON p.item_id = best.item_id AND p.shown = best.shown AND p.number = best.number
ORDER BY best.rank DESC, best.item_id DESC, best.shown, best.number
