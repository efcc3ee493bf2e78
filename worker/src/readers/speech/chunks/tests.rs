//! How speech is cut into chunks, and that times find their way back.

use super::*;

fn speech(segments: &[(f64, f64)]) -> Vec<Segment> {
    segments.iter().map(|(start, end)| Segment { start: *start, end: *end, confidence: 1.0 }).collect()
}

fn chunks(segments: &[(f64, f64)], seconds: u32) -> Vec<Chunk> {
    let (mut chunker, mut chunks) = (Chunker::new(&speech(segments), seconds), Vec::new());
    for _ in 0..1_000 {
        let block = [0.5; 1_600];
        chunker
            .add(&block, |chunk| -> Result<(), ()> {
                chunks.push(chunk);
                Ok(())
            })
            .unwrap();
    }
    chunks.extend(chunker.finish());
    chunks
}

#[test]
fn a_long_silence_is_left_out_and_times_find_their_way_back() {
    let chunks = chunks(&[(1.0, 2.0), (2.5, 3.0), (50.0, 51.0)], 60);
    let [chunk] = chunks.as_slice() else { panic!("{}", chunks.len()) };
    assert_eq!(chunk.samples.len(), 38_400 + 8_000 + 22_400);
    for (inside, expected) in [(0.0, 0.8), (0.2, 1.0), (2.1, 2.9), (2.8, 3.2), (2.9, 49.8), (3.1, 50.0), (9.0, 51.2)] {
        assert!((chunk.media_seconds(inside) - expected).abs() < 0.001, "{inside}: {}", chunk.media_seconds(inside));
    }
}

#[test]
fn a_word_at_a_joint_is_whole_on_one_side_of_the_silence() {
    let chunks = chunks(&[(1.0, 3.0), (50.0, 51.0)], 60);
    let [chunk] = chunks.as_slice() else { panic!("{}", chunks.len()) };
    // The first stretch ends at 2.4 s of the chunk, and the second begins at 2.9 s.
    for (word, expected) in [
        ((2.0, 2.3), (2.8, 3.1)),
        ((2.0, 3.0), (2.8, 3.2)),
        ((2.5, 3.5), (49.8, 50.4)),
        ((2.3, 3.5), (49.8, 50.4)),
        ((2.45, 2.5), (3.2, 3.2)),
        ((2.8, 2.85), (49.8, 49.8)),
    ] {
        let (start, end) = chunk.media_span(word.0, word.1);
        assert!((start - expected.0).abs() < 0.001 && (end - expected.1).abs() < 0.001, "{word:?}: {start} {end}");
    }
}

#[test]
fn long_speech_is_cut_and_nothing_of_it_is_lost() {
    let chunks = chunks(&[(0.0, 70.0), (75.0, 80.0)], 30);
    assert!(chunks.iter().all(|chunk| chunk.samples.len() <= 30 * 16_000));
    let spoken: usize = chunks.iter().map(|chunk| chunk.samples.iter().filter(|sample| **sample != 0).count()).sum();
    assert_eq!(spoken, 16_000 * 75 + 3_200 * 3 + 2 * 2 * 16_000);
}

#[test]
fn a_chunk_after_a_cut_begins_with_the_end_of_the_one_before() {
    // Each tenth of a second has samples of its own number.
    let (mut chunker, mut chunks) = (Chunker::new(&speech(&[(0.0, 70.0)]), 30), Vec::new());
    for tenth in 0_u16..700 {
        let block = [f32::from(tenth) / 1_000.0; 1_600];
        let added = chunker.add(&block, |chunk| -> Result<(), ()> {
            chunks.push(chunk);
            Ok(())
        });
        added.unwrap();
    }
    chunks.extend(chunker.finish());
    let lengths: Vec<_> = chunks.iter().map(|chunk| chunk.samples.len() / 1_600).collect();
    assert_eq!(lengths, [300, 300, 140]);
    for (chunk, start) in chunks.iter().zip([0, 280, 560]) {
        for (tenth, samples) in chunk.samples.chunks(1_600).enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "there are seven hundred")]
            let expected = sixteen_bits((start + tenth) as f32 / 1_000.0);
            assert!(samples.iter().all(|sample| sample.abs_diff(expected) <= 1), "{tenth} after {start}");
        }
    }
    let overlaps: Vec<_> = chunks.iter().map(|chunk| chunk.overlap().map(|(a, b)| (a.round(), b.round()))).collect();
    assert_eq!(overlaps, [None, Some((28.0, 30.0)), Some((56.0, 58.0))]);
    assert!((chunks[1].media_seconds(5.5) - 33.5).abs() < 0.001);
}

#[test]
fn the_silence_between_two_stretches_counts_too() {
    // With the sound that is kept before and after it, each of the two lasts 15 s.
    let lengths = |seconds| {
        let chunks = chunks(&[(0.0, 14.8), (20.0, 34.6)], seconds);
        chunks.iter().map(|chunk| chunk.samples.len()).collect::<Vec<_>>()
    };
    assert_eq!(lengths(30), [15 * 16_000, 15 * 16_000]);
    assert_eq!(lengths(31), [30 * 16_000 + JOINT]);
}

#[test]
fn no_speech_is_no_chunk() {
    assert!(chunks(&[], 30).is_empty());
}
