//! What is probed in a slot or beside it, on files that the studio makes.

use super::*;
use crate::readers::decode::{SmallSize, small_pictures};
use crate::readers::tests::{Studio, an_hour};

#[tokio::test]
async fn what_takes_longer_than_a_moment_goes_on_beside_the_slots_or_is_done_again_when_its_turn_comes() {
    let slot = Slot::alone();
    let free = ProcessorTime::unbounded();
    let quick = in_turn(&slot, PROBE_TIME, &free, |_| async { Ok(1) }).await;
    assert!(matches!(quick, Ok(1)) && !slot.is_left());
    let wrong = in_turn(&slot, PROBE_TIME, &free, |_| async { Err::<(), _>(ReadError::NoAudio) }).await;
    assert!(matches!(wrong, Err(ReadError::NoAudio)) && !slot.is_left());

    let looks = std::cell::Cell::new(0);
    let looking = |_| async {
        looks.set(looks.get() + 1);
        slot.until_left().await;
        Ok(looks.get())
    };
    let (first, again) = (Slot::alone(), std::cell::Cell::new(0));
    let next = first.another();
    let (_place, turn) = first.turn().await;
    let looking_again = |_| async {
        again.set(again.get() + 1);
        next.until_left().await;
        Ok(again.get())
    };
    let ends = async {
        next.until_left().await;
        drop(turn);
    };
    let (goes_on, done_again, ()) = tokio::join!(
        in_turn(&slot, PROBE_TIME, &free, looking),
        in_turn(&next, PROBE_TIME, &free, looking_again),
        ends
    );
    assert!(matches!(goes_on, Ok(1)), "its turn was free");
    assert!(matches!(done_again, Ok(2)), "another file of its account had the turn");
}

#[tokio::test]
async fn a_picture_to_show_is_a_key_frame_and_costs_no_others() {
    let studio = Studio::new();
    let [red, blue] = [("red", 2), ("blue", 98)].map(|(name, d)| format!("color=c={name}:s=64x64:r=10:d={d}"));
    let film = format!("{red}[a];{blue}[b];[a][b]concat");
    for (keys, is_red) in [("600", true), ("50", false)] {
        let path =
            studio.make(&format!("{keys}.mp4"), &film, &["-c:v", "mpeg4", "-sc_threshold", "1000000000", "-g", keys]);
        let media = studio.open(&path, &an_hour()).await.unwrap();
        let jpeg = cover(&media, 100_000, &an_hour()).await.unwrap().expect("a picture");
        let shown = path.with_extension("jpg");
        std::fs::write(&shown, jpeg).unwrap();
        let moving = studio.make(&format!("{keys}.mkv"), &format!("movie={}", shown.display()), &["-c:v", "mpeg4"]);
        let shown = studio.open(&moving, &an_hour()).await.unwrap();
        let mut found = Vec::new();
        small_pictures(&shown, SmallSize { width: 8, height: 2 }, &an_hour(), |_, cells| {
            found.extend_from_slice(cells);
        })
        .await
        .unwrap();
        // Three planes: how bright, how blue, how red.
        let plane = found.len() / 3;
        assert_eq!(found[2 * plane] > found[plane], is_red, "a key frame each {keys} frames");
    }
}

#[tokio::test]
async fn a_file_with_hardly_a_byte_for_each_second_that_it_declares_is_looked_through() {
    let studio = Studio::new();
    let made = studio.make("second.mkv", "testsrc=s=64x48:r=10:d=1", &["-c:v", "mpeg4"]);
    let mut bytes = std::fs::read(&made).unwrap();
    // The element of the duration: its name, its size, and milliseconds.
    let at = bytes.windows(3).position(|found| found == [0x44, 0x89, 0x88]).expect("a duration") + 3;
    bytes[at..at + 8].copy_from_slice(&18_000_000_f64.to_be_bytes());
    let lies = studio.path("lies.mkv");
    std::fs::write(&lies, bytes).unwrap();
    let still = studio.make("still.mkv", "color=c=black:s=64x48:r=1:d=60", &["-c:v", "mpeg4"]);
    for (path, declared, found) in [(lies, 18_000_000, 1_000), (still, 60_000, 60_000)] {
        let media = studio.open(&path, &an_hour()).await.unwrap();
        assert_eq!(media.probe().duration_ms, Some(declared), "{path:?}");
        assert!(is_thin(&media, declared), "{path:?}");
        let facts = find_facts(&media, None, &Slot::alone(), &ProcessorTime::unbounded()).await.unwrap();
        assert!((facts.duration_ms.unwrap() - found).abs() <= 110, "{path:?}: {:?}", facts.duration_ms);
    }
}

#[tokio::test]
async fn what_does_not_say_how_long_it_is_is_counted() {
    let studio = Studio::new();
    let loud_then_still = "anoisesrc=d=10:r=44100:seed=1,apad=whole_dur=30";
    let still_then_loud = "anoisesrc=d=30:r=44100:seed=1,volume='gt(t,20)':eval=frame";
    let screen = "testsrc=s=64x48:r=10:d=30";
    let no_tag = &["-c:a", "libmp3lame", "-q:a", "4", "-write_xing", "0"][..];
    for (name, source, codecs) in [
        ("loud.aac", loud_then_still, &["-c:a", "aac", "-b:a", "96k"][..]),
        ("still.aac", still_then_loud, &["-c:a", "aac", "-b:a", "96k"]),
        ("loud.mp3", loud_then_still, no_tag),
        ("still.mp3", still_then_loud, no_tag),
        ("microphone.mkv", loud_then_still, &["-c:a", "libopus", "-live", "1"]),
        ("screen.mkv", screen, &["-c:v", "mpeg4", "-live", "1"]),
    ] {
        let path = studio.make(name, source, codecs);
        let media = studio.open(&path, &an_hour()).await.unwrap();
        assert_eq!(media.probe().duration_ms, None, "{name}");
        let counted =
            find_facts(&media, None, &Slot::alone(), &ProcessorTime::unbounded()).await.unwrap().duration_ms.unwrap();
        println!("{name}: {counted} ms");
        assert!((counted - 30_000).abs() <= 110, "{name}: {counted}");
    }
}

#[tokio::test]
async fn a_short_file_is_counted_while_others_measure_theirs_in_all_turns() {
    let studio = Studio::new();
    let path = studio.make("short.aac", "anoisesrc=d=1:r=44100:seed=1", &["-c:a", "aac", "-b:a", "96k"]);
    let media = studio.open(&path, &an_hour()).await.unwrap();
    assert_eq!(media.probe().duration_ms, None);
    let others = Slot::alone();
    let _held = others.turn().await;
    let free = ProcessorTime::unbounded();
    let mut counted = None;
    // On a busy machine it may take more than a moment, and would wait for a turn then.
    for _ in 0..10 {
        let slot = others.of_another_account();
        counted = tokio::select! {
            biased;
            facts = find_facts(&media, None, &slot, &free) => Some(facts),
            () = slot.until_left() => None,
        };
        if counted.is_some() {
            break;
        }
    }
    let counted = counted.expect("it waits for no turn of others").unwrap().duration_ms.unwrap();
    assert!((counted - 1_000).abs() <= 110, "{counted}");
}
