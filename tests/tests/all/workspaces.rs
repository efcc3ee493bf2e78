//! Workspaces as their owners open and rename them, and who may do what there.

use domain::ids::UserId;
use mws_tests::world::{Answer, Client, Tenant, World};
use serde_json::{Value, json};
use store::accounts;

async fn user(world: &World, tenant: &Tenant) -> anyhow::Result<UserId> {
    let mut conn = world.pool().acquire().await?;
    Ok(accounts::create_user(&mut conn, tenant.account, "Ada \u{5c71} <b>", None).await?)
}

async fn put(client: &Client, tenant: &Tenant, user: UserId, role: &str) -> anyhow::Result<Answer> {
    let path = format!("/workspaces/{}/members/{user}", tenant.workspace);
    client.send("PUT", &path, &[], Some(json!({ "role": role }).to_string())).await
}

#[tokio::test]
async fn an_owner_opens_and_renames_workspaces_once_and_within_bounds() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let open = async |name: &str, key: &[(&str, &str)]| {
        tenant.client.send("POST", "/workspaces", key, Some(json!({ "name": name }).to_string())).await
    };
    let made = open("Second \u{1f3ac}", &[("idempotency-key", "one")]).await?;
    assert_eq!((made.status, &made.json["role"], &made.json["is_default"]), (201, &json!("owner"), &json!(false)));
    assert_eq!(open("Second \u{1f3ac}", &[("idempotency-key", "one")]).await?.text, made.text);
    let key = json!({ "workspace_id": made.json["id"] }).to_string();
    assert_eq!(tenant.client.send("POST", "/keys", &[], Some(key)).await?.status, 201, "a key reaches it");
    for wrong in ["", " ", "a\nb", &"x".repeat(201)] {
        assert_eq!(open(wrong, &[]).await?.code(), "invalid_request", "{wrong:?}");
    }
    let named = json!({ "name": "Home" }).to_string();
    let rename = async |client: &Client, id: &str| {
        client.send("PATCH", &format!("/workspaces/{id}"), &[], Some(named.clone())).await
    };
    let renamed = rename(&tenant.client, &tenant.workspace.to_string()).await?;
    assert_eq!((renamed.status, &renamed.json["name"]), (200, &json!("Home")));
    for id in [other.workspace.to_string(), made.json["id"].as_str().unwrap_or_default().to_owned(), "x".to_owned()] {
        let refused = rename(&tenant.client, &id).await?;
        assert_eq!((refused.status, refused.code()), (403, "workspace_forbidden"), "{id}");
    }
    let editor = world.member(&tenant, &tenant, "editor").await?;
    assert_eq!(rename(&editor, &tenant.workspace.to_string()).await?.code(), "session_not_allowed");
    let told = tenant.client.send("GET", "/audit?action=workspace.create", &[], None).await?.json;
    assert_eq!(told["data"][0]["target"], made.json["id"]);

    sqlx::query(
        "INSERT INTO workspaces (id, account_id, name) SELECT gen_random_uuid(), $1, 'x' FROM generate_series(1, 98)",
    )
    .bind(tenant.account)
    .execute(world.pool())
    .await?;
    let full = open("one more", &[]).await?;
    assert_eq!((full.status, full.code()), (409, "quota_reached"));
    world.end().await
}

#[tokio::test]
async fn owners_say_who_acts_in_their_workspace_and_one_of_them_stays() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, other) = (world.tenant("a").await?, world.tenant("b").await?);
    let (ada, bob, stranger) =
        (user(&world, &tenant).await?, user(&world, &tenant).await?, user(&world, &other).await?);
    let client = &tenant.client;
    assert_eq!(put(client, &tenant, ada, "owner").await?.json["user_name"], "Ada \u{5c71} <b>");
    assert_eq!(put(client, &tenant, bob, "viewer").await?.status, 200);
    let unknown = put(client, &tenant, stranger, "viewer").await?;
    assert_eq!((unknown.status, unknown.code()), (404, "user_not_found"), "who is another's is nobody");
    assert_eq!(put(client, &other, bob, "viewer").await?.code(), "workspace_forbidden");
    assert_eq!(put(client, &tenant, bob, "king").await?.code(), "invalid_request");

    let members = format!("/workspaces/{}/members", tenant.workspace);
    let list = client.send("GET", &members, &[], None).await?.json["data"].clone();
    let roles: Vec<&Value> = list.as_array().into_iter().flatten().map(|member| &member["role"]).collect();
    assert_eq!(roles, ["owner", "viewer"], "in the order of their ids");
    let remove = async |user: UserId| client.send("DELETE", &format!("{members}/{user}"), &[], None).await;
    for last in [put(client, &tenant, ada, "editor").await?, remove(ada).await?] {
        assert_eq!((last.status, last.code()), (409, "last_owner"));
    }
    assert_eq!(put(client, &tenant, bob, "owner").await?.status, 200);
    assert_eq!(remove(ada).await?.status, 200);
    assert_eq!(remove(ada).await?.code(), "member_not_found");
    assert_eq!(remove(stranger).await?.code(), "member_not_found");
    world.end().await
}
