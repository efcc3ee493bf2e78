//! What is decoded and what that is worth: small films by hand, and any film by its rules.

use super::*;
use crate::film::{FilmCue, FilmFormat, FilmOverlay, FilmQuality, FilmText, OverlayPicture};
use crate::media_time::FrameRate;
use proptest::prelude::*;
use std::collections::HashSet;

const SECOND: i64 = 1_000_000;

fn film(scenes: Vec<FilmScene>, sounds: Vec<FilmSound>) -> Film {
    let rate = FrameRate::new(25, 1).unwrap();
    let seen = scenes.iter().map(|scene| rate.us_of(scene.first + scene.frames)).max().unwrap_or(0);
    let duration_us = sounds.iter().map(|sound| sound.at_us + sound.len_us).max().unwrap_or(0).max(seen);
    let (format, quality, overlays, cues) = (FilmFormat::Mp4, FilmQuality::Standard, Vec::new(), Vec::new());
    Film { format, quality, width: 96, height: 64, rate, duration_us, scenes, sounds, overlays, cues }
}

/// Items of few pixels, which begin in their middle or don't.
fn plain(seeks: bool) -> impl Fn(ItemId) -> Material {
    move |_| Material { seeks, pictures: Pictures::default() }
}

fn clip(item: ItemId, from: i64, first: i64, frames: i64) -> FilmScene {
    let picture = FilmPicture::Clip { item, from };
    FilmScene { picture, cover: false, first, frames, overlap: 0, fade_in: 0, fade_out: 0 }
}

fn sound(item: ItemId, from_us: i64, at_us: i64, len_us: i64) -> FilmSound {
    let volume = 1_000_000;
    FilmSound { item, from_us, at_us, len_us, volume, fade_in_us: 0, fade_out_us: 0, envelope: Vec::new() }
}

/// So many parts of 40 ms, each 4 minutes before the last, of an item that is two hours long.
fn backwards(parts: i64) -> Film {
    let item = ItemId::mint();
    let part = |number: i64| sound(item, (7_200 - 240 * (number + 1)) * SECOND, number * 40_000, 40_000);
    film(Vec::new(), (0..parts).map(part).collect())
}

#[test]
fn thirty_parts_backwards_through_two_hours_are_worth_what_is_gone_through() {
    let film = backwards(30);
    // 58 hours of sound are passed over where each part is decoded from the start, and 30 times 2 s where it is not.
    let whole = Decoding::of(&film, plain(false));
    assert_eq!(whole.passed_sound_ms, (0..30).map(|part| 7_200_000 - 240_000 * (part + 1)).sum::<i64>());
    assert_eq!(whole.worth_ms(&film), whole.passed_sound_ms / 60 + 30 * 250);
    let sought = Decoding::of(&film, plain(true));
    // The last part begins at the start of its item.
    assert_eq!((sought.passed_sound_ms, sought.worth_ms(&film)), (29 * 2_000, 29 * 2_000 / 60 + 30 * 250));
}

#[test]
fn a_talk_of_three_hundred_cuts_is_decoded_once_and_worth_its_own_length() {
    let item = ItemId::mint();
    let scenes = (0..300).map(|cut| clip(item, cut * 100, cut * 75, 75)).collect();
    let sounds = (0..300).map(|cut| sound(item, cut * 4 * SECOND, cut * 3 * SECOND, 3 * SECOND)).collect();
    let film = film(scenes, sounds);
    for seeks in [true, false] {
        let decoding = Decoding::of(&film, plain(seeks));
        assert_eq!((decoding.children, decoding.passed_ms, decoding.passed_sound_ms), (2, 299_000, 299_000));
        assert_eq!(decoding.worth_ms(&film), 900_000);
        assert_eq!(decoding.scenes[7], Some(Step { source: Source::After(6), is_kept: true }));
        assert_eq!(decoding.sounds[299], Some(Step { source: Source::After(298), is_kept: false }));
    }
}

#[test]
fn a_picture_that_is_far_away_is_begun_anew_where_that_works_and_passed_over_where_it_does_not() {
    let item = ItemId::mint();
    let film = film(vec![clip(item, 0, 0, 25), clip(item, 25 * 600 + 7, 25, 25)], Vec::new());
    let sought = Decoding::of(&film, plain(true));
    assert_eq!(sought.scenes[1].unwrap().source, Source::Opened(25 * 599));
    assert_eq!((sought.passed_ms, sought.worth_ms(&film)), (1_280, 2_000));
    let gone_on = Decoding::of(&film, plain(false));
    assert_eq!(gone_on.scenes[1].unwrap().source, Source::After(0));
    assert_eq!(gone_on.worth_ms(&film), (599 * 25 + 7) * 40 + 250);
}

#[test]
fn every_child_counts_and_what_is_seen_in_no_frame_is_not_opened() {
    let (one, other) = (ItemId::mint(), ItemId::mint());
    let image =
        |first, frames| FilmScene { picture: FilmPicture::Image { item: other }, ..clip(one, 0, first, frames) };
    let mut film = film(vec![clip(one, 0, 0, 1), clip(one, 9, 1, 0), image(1, 1), image(2, 0)], Vec::new());
    let text = FilmText { text: "hello".to_owned(), color: [0; 3], background: None, size: 1, family: None };
    film.cues = (0..2_000).map(|first| FilmCue { first, end: first + 1, text: text.clone(), position: None }).collect();
    let decoding = Decoding::of(&film, plain(true));
    assert_eq!((decoding.children, decoding.scenes[1], decoding.scenes[3]), (2_002, None, None));
    assert_eq!(decoding.worth_ms(&film), 2_002 * 250);
}

#[test]
fn a_film_of_more_pixels_than_usual_is_worth_what_is_drawn() {
    let worth = |[width, height]: [u32; 2], rate: u32, over: usize, quality| {
        let film = film(vec![clip(ItemId::mint(), 0, 0, 10 * i64::from(rate))], Vec::new());
        let (first, end) = (0, 10 * i64::from(rate));
        let picture = || OverlayPicture::Image { item: ItemId::mint() };
        let overlay =
            |_| FilmOverlay { picture: picture(), first, end, place: [0, 0, 1_000_000, 1_000_000], opacity: 1_000_000 };
        let (rate, overlays) = (FrameRate::new(rate, 1).unwrap(), (0..over).map(overlay).collect());
        let film = Film { width, height, rate, duration_us: 10 * SECOND, overlays, quality, ..film };
        Decoding::of(&film, plain(true)).worth_ms(&film)
    };
    let (hd, uhd, whole) = ([1_920, 1_080], [3_840, 2_160], FilmQuality::Standard);
    assert_eq!([worth(hd, 30, 0, whole), worth(hd, 30, 1, whole), worth([1_280, 720], 60, 1, whole)], [10_000; 3]);
    assert_eq!([worth(hd, 60, 0, whole), worth(uhd, 30, 0, whole), worth(uhd, 60, 0, whole)], [13_333, 26_666, 53_333]);
    assert_eq!([worth(hd, 30, 4, whole), worth(uhd, 60, 4, whole)], [20_000, 160_000]);
    assert_eq!(worth(uhd, 60, 4, FilmQuality::Draft), 10_000, "it is drawn with 480 lines");
}

#[test]
fn a_small_film_of_large_sources_is_worth_what_is_decoded() {
    let large = Pictures::of(Some(7_680), Some(4_320), FrameRate::new(60, 1));
    let of = |seeks| move |_| Material { seeks, pictures: large };
    let shown = film(vec![clip(ItemId::mint(), 0, 0, 250)], Vec::new());
    assert_eq!(Decoding::of(&shown, of(true)).worth_ms(&shown), 53_345, "10 s of 8K at 60 frames a second");
    let sound_alone = Film { format: FilmFormat::Wav, ..shown.clone() };
    assert_eq!(Decoding::of(&sound_alone, of(true)).worth_ms(&sound_alone), 10_000);
    // One picture after ten minutes that have to be gone through.
    let late = film(vec![clip(ItemId::mint(), 25 * 600, 0, 1)], Vec::new());
    let worth = |seeks| Decoding::of(&late, of(seeks)).worth_ms(&late);
    assert!(worth(false) > 50 * worth(true) && worth(false) > 3_000_000, "{} {}", worth(false), worth(true));
    let images = (0..9).map(|number| FilmScene {
        picture: FilmPicture::Image { item: ItemId::mint() },
        ..clip(ItemId::mint(), 0, number, 1)
    });
    let images = film(images.collect(), Vec::new());
    let picture = |_| Material { seeks: false, pictures: Pictures { rate: None, ..large } };
    assert_eq!(Decoding::of(&images, picture).worth_ms(&images), 9 * (250 + 1_050), "three times 4K beyond the first");
}

/// Which item, from where in it, how long after the sound before, and how long, in tenths of a second.
fn parts() -> impl Strategy<Value = Vec<(usize, i64, i64, i64)>> {
    prop::collection::vec((0_usize..3, 0_i64..20_000, 0_i64..60, 0_i64..80), 1..40)
}

proptest! {
    #[test]
    fn a_decoder_goes_on_with_what_comes_later_in_its_item_and_is_with_one_part_at_a_time(
        parts in parts(), seeks in any::<bool>(),
    ) {
        let items = [ItemId::mint(), ItemId::mint(), ItemId::mint()];
        let mut at = 0;
        let sounds = parts.iter().map(|(item, from, later, len)| {
            at += later;
            sound(items[*item], from * 100_000, at * 100_000, len * 100_000)
        });
        let film = film(Vec::new(), sounds.collect());
        let decoding = Decoding::of(&film, plain(seeks));
        let (mut gone_on, mut passed) = (HashSet::new(), 0);
        for (number, step) in decoding.sounds.iter().enumerate() {
            let this = &film.sounds[number];
            prop_assert_eq!(step.is_none(), this.len_us == 0);
            let from = this.from_us;
            passed += match step {
                None => 0,
                Some(Step { source: Source::Opened(sample), .. }) => {
                    let begins = sample * SECOND / i64::from(SOUND_RATE);
                    prop_assert!(begins == 0 || seeks && from - begins >= 2 * SECOND && from - begins < 3 * SECOND);
                    from - begins
                }
                Some(Step { source: Source::After(earlier), .. }) => {
                    let before = &film.sounds[*earlier];
                    prop_assert!(gone_on.insert(*earlier) && decoding.sounds[*earlier].unwrap().is_kept);
                    prop_assert_eq!(before.item, this.item);
                    prop_assert!(before.at_us + before.len_us <= this.at_us && before.from_us + before.len_us <= from);
                    from - before.from_us - before.len_us
                }
            };
        }
        let kept = decoding.sounds.iter().flatten().filter(|step| step.is_kept).count();
        prop_assert_eq!(kept, gone_on.len());
        prop_assert_eq!(decoding.passed_sound_ms, passed / 1000);
        // Never less than the film, nor than all that is passed over.
        let worth = decoding.worth_ms(&film);
        prop_assert!(worth >= film.duration_us / 1000 && worth >= passed / 1000 / 60);
        // At no time do more decoders wait than may.
        for moment in 0..=at {
            let moment = moment * 100_000;
            let wait = decoding.sounds.iter().enumerate().filter(|(_, step)| {
                let Some(Step { source: Source::After(earlier), .. }) = step else { return false };
                let before = &film.sounds[*earlier];
                let next = decoding.sounds.iter().position(|other| {
                    matches!(other, Some(Step { source: Source::After(number), .. }) if number == earlier)
                });
                let next = next.map_or(0, |next| film.sounds[next].at_us);
                before.at_us + before.len_us <= moment && moment < next
            });
            prop_assert!(wait.count() <= SOUNDS.idle);
        }
    }
}
