//! Who may read and change the account's signing secret (spec §5, "Script sessions").

use mws_tests::world::World;

#[tokio::test]
async fn a_sessions_token_may_neither_read_nor_make_nor_remove_the_signing_secret() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let session = world.session(&tenant).await?;
    let rotate = Some(r#"{"rotate":true}"#.to_owned());
    for there_is_one in [false, true] {
        if there_is_one {
            assert_eq!(tenant.client.send("POST", "/webhook-secret", &[], None).await?.status, 200);
        }
        let before = tenant.client.send("GET", "/webhook-secret", &[], None).await?;
        for (method, body) in [("GET", None), ("POST", None), ("POST", rotate.clone()), ("DELETE", None)] {
            let refused = session.send(method, "/webhook-secret", &[], body).await?;
            assert_eq!((refused.status, refused.code()), (403, "session_not_allowed"), "{method}");
            assert!(!refused.text.contains("whsec_"), "{}", refused.text);
        }
        let after = tenant.client.send("GET", "/webhook-secret", &[], None).await?;
        assert_eq!((after.status, after.json), (before.status, before.json), "nothing was changed");
    }
    // All else about webhooks it may manage (spec §5).
    assert_eq!(session.send("GET", "/webhooks", &[], None).await?.status, 200);
    world.end().await
}
