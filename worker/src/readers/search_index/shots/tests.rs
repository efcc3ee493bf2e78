//! Which cuts and dissolves are found in films of small pictures that are made here.

use super::*;

const BYTES: usize = 3 * CELLS;

/// Returns a picture of one colour whose luma rises from left to right, from `dark` on.
fn picture(dark: f32, colour: f32) -> Vec<f32> {
    let luma = (0..CELLS).map(|cell| dark + 60.0 * (cell % SIZE.width) as f32 / SIZE.width as f32);
    luma.chain([colour, 255.0 - colour].into_iter().flat_map(|value| [value; CELLS])).collect()
}

/// Returns the times in seconds at which shots begin in a film of 25 pictures a second; `film` makes each picture from
/// its number.
fn changes(count: usize, film: impl Fn(usize) -> Vec<f32>) -> Vec<f64> {
    let mut shots = Shots::default();
    for number in 0..count {
        let cells: Vec<u8> = film(number).into_iter().map(|value| value.clamp(0.0, 255.0) as u8).collect();
        shots.add(number as f64 / 25.0, &cells);
        assert!(shots.pictures.len() < 80, "the pictures of a film pile up");
    }
    shots.finish()
}

fn mixed(one: &[f32], other: &[f32], share: f32) -> Vec<f32> {
    one.iter().zip(other).map(|(a, b)| a * (1.0 - share) + b * share).collect()
}

#[test]
fn a_cut_is_found_at_its_first_picture() {
    let film = |number: usize| if number < 60 { picture(40.0, 90.0) } else { picture(120.0, 160.0) };
    assert_eq!(changes(150, film), [2.4]);
}

#[test]
fn a_dissolve_is_one_change_within_it() {
    let (one, other) = (picture(40.0, 90.0), picture(130.0, 160.0));
    for length in [12.0, 25.0, 35.0] {
        let found = changes(200, |number| mixed(&one, &other, ((number as f32 - 80.0) / length).clamp(0.0, 1.0)));
        assert_eq!(found.len(), 1, "{length}: {found:?}");
        assert!((3.2..3.2 + f64::from(length) / 25.0).contains(&found[0]), "{length}: {found:?}");
    }
}

#[test]
fn a_fade_through_black_is_one_change_and_black_at_either_end_is_none() {
    let black: Vec<f32> = [16.0; CELLS].into_iter().chain([128.0; 2 * CELLS]).collect();
    let (one, other) = (picture(60.0, 90.0), picture(60.0, 100.0));
    let film = |number: usize| match number {
        0..10 | 180.. => black.clone(),
        10..80 => one.clone(),
        80..95 => mixed(&one, &black, (number as f32 - 79.0) / 15.0),
        95..110 => mixed(&black, &other, (number as f32 - 94.0) / 15.0),
        _ => other.clone(),
    };
    let found = changes(200, film);
    let inside: Vec<_> = found.iter().filter(|at| (1.5..6.5).contains(*at)).collect();
    assert_eq!(inside.len(), 1, "{found:?}");
    assert!((3.5..4.1).contains(inside[0]), "{found:?}");
}

#[test]
fn flashes_and_a_moving_camera_are_no_changes() {
    let film = |number: usize| match number {
        50..52 | 100 => vec![250.0; BYTES],
        _ => (0..BYTES)
            .map(|cell| 90.0 + 50.0 * ((cell % SIZE.width) as f32 * 0.3 + number as f32 * 0.04).sin())
            .collect(),
    };
    assert_eq!(changes(200, film), [0.0; 0]);
}

#[test]
fn times_that_do_not_rise_and_a_thousand_pictures_a_second_are_bounded() {
    let mut shots = Shots::default();
    for number in 0..20_000 {
        shots.add(f64::from(number) / 1_000.0, &[100; BYTES]);
        shots.add(0.0, &[200; BYTES]);
        assert!(shots.pictures.len() < 160);
    }
    assert_eq!(shots.finish(), [0.0; 0]);
}
