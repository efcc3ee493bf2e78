//! What is saved whole keeps its past, as documents do that are changed in steps: skills, templates, the settings and
//! the brand kit.

use mws_tests::world::{Answer, Client, World};
use serde_json::{Value, json};

/// Something that is saved whole: its tools, and where their answers have what was said and the revision.
struct Kind {
    save: &'static str,
    undo: &'static str,
    /// What is undone; named, unless a workspace has one.
    which: fn() -> Value,
    /// A save that says this word.
    saying: fn(&str) -> Value,
    said: &'static str,
    revision: &'static str,
    /// The refusal where it was never saved.
    none: &'static str,
}

fn named() -> Value {
    json!({ "name": "n" })
}

fn only() -> Value {
    json!({})
}

static KINDS: [Kind; 4] = [
    Kind {
        save: "save_skill",
        undo: "undo_skill",
        which: named,
        saying: |word| json!({ "name": "n", "text": word }),
        said: "/skill/text",
        revision: "/skill/revision",
        none: "skill_not_found",
    },
    Kind {
        save: "save_template",
        undo: "undo_template",
        which: named,
        saying: |word| json!({ "name": "n", "tool": "list_items", "arguments": { "query": word } }),
        said: "/template/arguments/query",
        revision: "/template/revision",
        none: "template_not_found",
    },
    Kind {
        save: "update_settings",
        undo: "undo_settings",
        which: only,
        saying: |word| json!({ "name": word }),
        said: "/settings/name",
        revision: "/settings/revision",
        none: "nothing_to_undo",
    },
    Kind {
        save: "update_brand_kit",
        undo: "undo_brand_kit",
        which: only,
        saying: |word| json!({ "voice": word }),
        said: "/brand_kit/voice",
        revision: "/brand_kit/revision",
        none: "nothing_to_undo",
    },
];

impl Kind {
    async fn save(&self, client: &Client, word: &str) -> anyhow::Result<(Value, Value)> {
        self.told(&client.tool(self.save, &(self.saying)(word)).await?)
    }

    async fn undo(&self, client: &Client) -> anyhow::Result<Answer> {
        client.tool(self.undo, &(self.which)()).await
    }

    async fn undo_of(&self, client: &Client, revision: i32) -> anyhow::Result<Answer> {
        let mut asked = (self.which)();
        asked["if_revision"] = revision.into();
        client.tool(self.undo, &asked).await
    }

    /// What is said and the revision.
    fn told(&self, answer: &Answer) -> anyhow::Result<(Value, Value)> {
        let part = |pointer| answer.json["data"].pointer(pointer).cloned().unwrap_or_default();
        answer.data()?;
        Ok((part(self.said), part(self.revision)))
    }
}

fn says(word: &str, revision: i32) -> (Value, Value) {
    (word.into(), revision.into())
}

#[tokio::test]
async fn what_was_saved_over_comes_back_save_by_save() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let client = &tenant.client;
    let viewer = world.member(&tenant, &tenant, "viewer").await?;
    for kind in &KINDS {
        assert_eq!(kind.undo(client).await?.code(), kind.none, "{}", kind.undo);
        for (word, revision) in [("one", 1), ("two", 2), ("three", 3)] {
            assert_eq!(kind.save(client, word).await?, says(word, revision));
        }
        assert_eq!(kind.undo(&other.client).await?.code(), kind.none, "{}: another's is another's", kind.undo);
        assert_eq!(kind.undo(&viewer).await?.code(), "role_forbidden", "{}", kind.undo);
        let stale = kind.undo_of(client, 2).await?;
        assert_eq!((stale.status, stale.code()), (409, "revision_conflict"), "{}", stale.text);
        assert_eq!(stale.json["error"]["revision"], 3, "{}", stale.text);
        assert_eq!(kind.told(&kind.undo_of(client, 3).await?)?, says("two", 4), "an undo is a revision too");
        assert_eq!(kind.told(&kind.undo(client).await?)?, says("one", 5));
        let first = kind.undo(client).await?;
        assert_eq!((first.status, first.code()), (409, "nothing_to_undo"), "{}", first.text);
        assert_eq!(kind.save(client, "four").await?, says("four", 6));
        assert_eq!(kind.told(&kind.undo(client).await?)?, says("one", 7));
    }
    let skill = client.tool("get_skill", &named()).await?.data()?["skill"].clone();
    assert_eq!((&skill["text"], &skill["revision"]), (&json!("one"), &json!(7)));
    let settings = client.tool("get_settings", &only()).await?.data()?["settings"].clone();
    assert_eq!((&settings["name"], &settings["revision"]), (&json!("one"), &json!(7)));
    world.end().await
}

#[tokio::test]
async fn what_stands_already_is_no_change_when_it_is_saved_again() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    for kind in &KINDS {
        kind.save(client, "one").await?;
        kind.save(client, "two").await?;
        for _ in 0..3 {
            assert_eq!(kind.save(client, "two").await?, says("two", 2), "{}", kind.save);
        }
        let mut again = (kind.saying)("two");
        again["if_revision"] = 1.into();
        let late = client.tool(kind.save, &again).await?;
        assert_eq!((late.code(), &late.json["error"]["revision"]), ("revision_conflict", &json!(2)), "{}", kind.save);
        assert_eq!(kind.told(&kind.undo(client).await?)?, says("one", 3), "{}", kind.undo);
    }
    world.end().await
}

#[tokio::test]
async fn an_undo_with_a_key_is_done_once() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    for kind in &KINDS {
        for word in ["one", "two", "three"] {
            kind.save(client, word).await?;
        }
        let (path, key) = (format!("/tools/{}", kind.undo), [("idempotency-key", "once")]);
        let send = async |body: Value| client.send("POST", &path, &key, Some(body.to_string())).await;
        let (first, again) = (send((kind.which)()).await?, send((kind.which)()).await?);
        assert_eq!(kind.told(&first)?, says("two", 4));
        assert_eq!((again.status, &again.text, again.header("idempotent-replayed")), (200, &first.text, "true"));
        let mut another = (kind.which)();
        another["if_revision"] = 4.into();
        assert_eq!(send(another).await?.code(), "idempotency_key_reused", "{}", kind.undo);
        assert_eq!(kind.told(&kind.undo(client).await?)?, says("one", 5));
    }
    world.end().await
}

#[tokio::test]
async fn sixty_saves_keep_fifty_and_a_deleted_one_keeps_nothing() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let client = &tenant.client;
    let kept = async || world.count("SELECT count(*) FROM document_revisions").await;
    for kind in &KINDS {
        for number in 0..60 {
            kind.save(client, &format!("v{number}")).await?;
        }
    }
    assert_eq!(kept().await?, 200, "fifty of each");
    let skills = &KINDS[0];
    for number in (9..59).rev() {
        let word = format!("v{number}");
        assert_eq!(skills.told(&skills.undo(client).await?)?, says(&word, 119 - number));
    }
    assert_eq!(skills.undo(client).await?.code(), "nothing_to_undo");
    client.tool("delete_template", &named()).await?.data()?;
    assert_eq!(kept().await?, 100, "its past went with it");
    let templates = &KINDS[1];
    assert_eq!(templates.undo(client).await?.code(), "template_not_found");
    assert_eq!(templates.save(client, "new").await?, says("new", 1));
    assert_eq!(templates.undo(client).await?.code(), "nothing_to_undo");
    world.end().await
}

#[tokio::test]
async fn what_is_kept_of_a_skill_counts_to_its_account() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let (client, skills) = (&tenant.client, &KINDS[0]);
    for letter in ["x", "y", "z"] {
        skills.save(client, &letter.repeat(20_000)).await?;
    }
    let bytes = world.count("SELECT sum(kept_bytes)::bigint FROM documents").await?;
    assert!((60_000..61_000).contains(&bytes), "{bytes}");
    client.tool("create_board", &json!({ "name": "full" })).await?.data()?;
    sqlx::query("UPDATE documents SET kept_bytes = 256 << 20 WHERE kind = 'board'").execute(world.pool()).await?;
    let full = client.tool(skills.save, &(skills.saying)("short")).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"));
    let same = skills.save(client, &"z".repeat(20_000)).await?;
    assert_eq!(same.1, 3, "nothing is added");
    let back = skills.told(&skills.undo(client).await?)?;
    assert_eq!(back, says(&"y".repeat(20_000), 4), "and an undo takes no more");
    let bytes = world.count("SELECT kept_bytes FROM documents WHERE kind = 'skill'").await?;
    assert!((40_000..41_000).contains(&bytes), "what was undone counts no more: {bytes}");
    world.end().await
}
