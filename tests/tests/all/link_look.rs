//! The pages of public links in a real browser, as people see them: in light and dark, on a desk and on a phone, by
//! keyboard and without script; whatever somebody wrote on them, and whatever has become of the link.

use super::public_links::link;
use anyhow::ensure;
use domain::ids::{ItemId, JobId};
use mws_tests::clients;
use mws_tests::world::processes::silence;
use mws_tests::world::{Media, Tenant, World, runners};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What nobody should be called.
const LONG: &str = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const HOSTILE: &str = "</title><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
const ARABIC: &str = "مقابلة النهر (الجزء الأول) 2026.mp4";

/// A film of some seconds, with a tone.
fn film(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let path = folder.join("film.mp4");
    let status = Command::new("ffmpeg")
        .args(
            "-v error -f lavfi -i testsrc2=s=640x360:d=6:r=10 -f lavfi -i sine=d=6 -pix_fmt yuv420p -shortest"
                .split(' '),
        )
        .arg(&path)
        .status()?;
    ensure!(status.success(), "ffmpeg made no film");
    Ok(std::fs::read(path)?)
}

/// A film that has come and is ready, with what readers would find in it.
async fn talk(world: &World, tenant: &Tenant, folder: &Path) -> anyhow::Result<ItemId> {
    let bytes = film(folder)?;
    let body = json!({ "filename": ARABIC, "content_type": "video/mp4", "bytes": bytes.len() });
    let upload = tenant.client.send("POST", "/uploads", &[], Some(body.to_string())).await?.json;
    tenant.client.put(upload["upload"]["url"].as_str().unwrap_or_default(), "video/mp4", bytes).await?;
    let path = format!("/uploads/{}/complete", upload["id"].as_str().unwrap_or_default());
    tenant.client.send("POST", &path, &[], None).await?;
    let item = upload["item_id"].as_str().unwrap_or_default();
    let ready = tenant.client.looked_at(item).await?;
    ensure!(ready["status"] == "ready", "{ready}");
    let item: ItemId = item.parse()?;
    let said: Vec<Value> = ["The river comes <b>first</b>", "والموسيقى بعده", LONG]
        .iter()
        .zip(0_u8..)
        .map(|(text, number)| {
            let start = number * 2;
            json!({ "id": format!("s{number}"), "start": start, "end": start + 2, "text": text })
        })
        .collect();
    let transcript = json!({ "language": "ar", "text": "", "segments": said, "words": [
        { "word": "The", "start": 0.0, "end": 0.5, "confidence": null } ] });
    let speech = json!({ "segments": [{ "start": 0.0, "end": 4.0 }], "speech_ratio": 0.7 });
    for (read, data) in [("transcript", transcript), ("speech", speech)] {
        let stored = "INSERT INTO item_reads (item_id, read, job_id, engine, engine_version, result)
             VALUES ($1, $2, $3, 'test', '1', $4)";
        let result = json!({ "schema": 1, "kind": read, "data": data });
        sqlx::query(stored).bind(item).bind(read).bind(JobId::mint()).bind(result).execute(world.pool()).await?;
    }
    Ok(item)
}

/// The comments of a page that is full of them.
async fn many_comments(world: &World, item: ItemId) -> anyhow::Result<()> {
    let rows = "INSERT INTO comments (id, item_id, workspace_id, at_ms, text, link_id, guest_name)
        SELECT (left(mws_first_id(mws_now())::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, workspace_id, n % 5000,
            $2 || ' ' || n, gen_random_uuid(), CASE n % 3 WHEN 0 THEN $3 WHEN 1 THEN $4 ELSE $2 END
        FROM generate_series(1, 10000) AS n, items WHERE items.id = $1";
    sqlx::query(rows).bind(item).bind(HOSTILE).bind(LONG).bind("\u{5d0}\u{5d1}\u{5d2}").execute(world.pool()).await?;
    Ok(())
}

/// Where pictures of the pages are left, for whoever wants to look at them too.
fn pictures() -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("link-pages");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_s_pages_are_looked_at_by_people_of_every_kind() -> anyhow::Result<()> {
    let world = World::new().await?;
    world.work(runners::instant()).await?;
    let (tenant, folder) = (world.tenant("a").await?, tempfile::tempdir()?);
    let comment = json!({ "rights": ["download", "comment"] });
    let film = talk(&world, &tenant, folder.path()).await?;
    let kit = json!({ "colors": [{ "name": "Paper", "hex": "#fefefe" }] });
    tenant.client.tool("update_brand_kit", &kit).await?.data()?;
    let (_, shown) = link(&tenant, film, comment.clone()).await?;
    let (_, locked) = link(&tenant, film, json!({ "passphrase": "open sesame" })).await?;
    let (id, revoked) = link(&tenant, film, json!({})).await?;
    tenant.client.tool("revoke_public_link", &json!({ "link_id": id })).await?.data()?;
    let full = world.stored(&tenant, ("long", "audio/wav"), silence(5)?).await?;
    sqlx::query("UPDATE items SET name = $2 WHERE id = $1").bind(full).bind(HOSTILE).execute(world.pool()).await?;
    many_comments(&world, full).await?;
    let (_, crowded) = link(&tenant, full, comment).await?;
    let failed = world.item(&tenant, Media::video(60)).await?;
    let fails = "UPDATE items SET status = 'failed', error_code = 'media_unreadable', name = $2 WHERE id = $1";
    sqlx::query(fails).bind(failed).bind(LONG.repeat(3)).execute(world.pool()).await?;
    let (_, unreadable) = link(&tenant, failed, json!({})).await?;

    let node = clients::node()?;
    // Where its packages are found from.
    let program = node.join("link_look.mjs");
    std::fs::copy(clients::source("link_look.mjs"), &program)?;
    let mut command = Command::new("node");
    let pages = [&shown.url, &locked.url, &crowded.url, &unreadable.url, &revoked.url];
    command.arg(program).arg("/usr/bin/chromium").arg(pictures()?).args(pages);
    let seen: Value = serde_json::from_str(clients::run(command).await?.trim())?;
    for kind in ["violations", "elsewhere", "errors"] {
        assert_eq!(seen[kind], json!([]), "{kind}");
    }
    assert_eq!(seen["pages"], pages.len() * 4);
    assert_eq!((&seen["at_once"], &seen["captions"], &seen["cues"]), (&json!("plays"), &json!("ar"), &json!(1)));
    for what in ["sought", "playhead", "waveform", "ranges", "moment", "without_script"] {
        assert_eq!(seen[what], true, "{what}: {seen}");
    }
    assert_eq!((&seen["said"], &seen["opened"]), (&json!(1), &json!(1)));
    assert_eq!(seen["refused"], "This is not the passphrase.");
    let heard = tenant.client.tool("list_comments", &json!({ "ref": film })).await?.data()?["comments"][0].clone();
    assert_eq!((&heard["text"], &heard["at"]), (&json!("Said <without> a script"), &json!(2.0)));
    assert_eq!((&heard["author"]["type"], &heard["author"]["name"]), (&json!("guest"), &json!("Zoë")));

    // Opened again once it has ended: nothing of it is told, and how it ended neither.
    world.advance(Duration::from_hours(31 * 24)).await?;
    let (ended, gone) = (shown.page().await?, revoked.page().await?);
    assert_eq!((ended.0.as_u16(), &ended), (404, &gone));
    world.end().await
}
