//! The processor time of a job's children.

use super::*;
use crate::readers::ProcessorTime;
use crate::readers::decode::{executable, whole_output};
use std::ffi::OsStr;

/// A film that takes long to decode: noise, as H.264 keeps it.
fn noise(studio: &Studio, name: &str) -> PathBuf {
    let picture = "nullsrc=s=1280x720:r=30:d=2,geq=random(1)*255:128:128";
    studio.make(name, picture, &["-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-g", "10"])
}

#[tokio::test]
async fn children_take_no_more_than_their_job_has_and_all_that_they_take_is_counted() {
    let studio = Studio::new();
    let path = noise(&studio, "noise.mp4");
    let free = an_hour();
    studio.read_within(Read::SearchIndex, &path, &free).await.unwrap();
    let taken = free.processor.taken();
    assert!(taken > Duration::from_millis(200), "{taken:?}");

    let opened = studio.open(&path, &an_hour()).await.unwrap();
    let bounded = JobCtx { processor: ProcessorTime::at_most(taken / 4), ..an_hour() };
    let ended = studio.readers.get(Read::SearchIndex).unwrap().run(&opened, &bounded).await;
    assert!(matches!(ended, Err(ReadError::Unsupported(_))), "{ended:?}");
    let used = bounded.processor.taken();
    assert!(used >= taken / 4 && used < taken * 3 / 4, "{used:?} of {taken:?}");
    // What is started after that is not.
    let again = studio.open(&path, &bounded).await;
    assert!(matches!(again, Err(ReadError::Unsupported(_))), "{again:?}");
    assert_eq!(bounded.processor.taken(), used, "nothing more was taken");
}

#[tokio::test]
async fn a_child_that_says_nothing_is_ended_by_the_kernel() {
    let studio = Studio::new();
    let tools = studio.tools();
    let ctx = JobCtx { processor: ProcessorTime::at_most(Duration::from_millis(900)), ..an_hour() };
    let endless = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720", "-f", "null", "-"].map(OsStr::new);
    let input = tempfile::tempfile().unwrap();
    let ended = whole_output(&executable(None, "ffmpeg").unwrap(), endless, &input, &tools, 1_000, &ctx).await;
    assert!(matches!(ended, Err(ReadError::Unsupported(_))), "{ended:?}");
    let used = ctx.processor.taken();
    // The kernel ends it by another count than the one it tells.
    assert!(used >= Duration::from_millis(700) && used < Duration::from_secs(3), "{used:?}");
}
