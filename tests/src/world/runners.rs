//! What does the work of jobs in tests: nothing at all, at once or when the test lets it, or with the failure that it
//! asks for.

use domain::dub::{Piece, Segment, Volumes, offered_pair};
use domain::item::ItemType;
use domain::model::BuiltIn;
use domain::read::Read;
use domain::task::Task;
use domain::timeline::{Picture, Ratio};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::future::Future;
use std::io::{Seek, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::fleet::EngineOffer;
use store::generations::MakerOffer;
use store::uploads::Facts;
use tokio::sync::Semaphore;
use worker::readers::{Engine, JobCtx, Quality, ReadError, ReadOutcome, StoredRead};
use worker::renders::Rendered;
use worker::{DubRequest, Dubbed, Engines, NewMedia, ReadRequest, RenderRequest, TranslationRequest};

/// What a render of these runners is made of.
pub const RENDERED: &[u8] = b"a render of nothing";

/// A runner of every read out of a function, and of renders that are made of nothing.
pub fn runner<F, Running>(run: F) -> Engines
where
    F: Fn(ReadRequest, JobCtx) -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<ReadOutcome, ReadError>> + Send + 'static,
{
    let offered = Task::ALL.map(offer).to_vec();
    Engines {
        offered,
        run: Arc::new(move |reading, ctx| run(reading, ctx).boxed()),
        render: Arc::new(|rendering, _| async move { rendered(&rendering) }.boxed()),
        draws_text: true,
        makers: makers(),
        generate: Arc::new(|_, _| async { generated() }.boxed()),
        call_off: Arc::new(|_, _| {}),
        // Its own words.
        translate: Arc::new(|asked: TranslationRequest, _| async move { Ok(asked.texts) }.boxed()),
        dub: Arc::new(|asked, _| async move { dubbed(asked) }.boxed()),
    }
}

/// A runner of renders out of a function, and of reads that compute nothing.
pub fn renderer<F, Running>(render: F) -> Engines
where
    F: Fn(RenderRequest, JobCtx) -> Running + Send + Sync + 'static,
    Running: Future<Output = Result<Rendered, ReadError>> + Send + 'static,
{
    Engines { render: Arc::new(move |rendering, ctx| render(rendering, ctx).boxed()), ..instant() }
}

/// Computes nothing and succeeds at once, for the item's whole duration.
pub fn instant() -> Engines {
    runner(|reading, _| async move { Ok(outcome(&reading)) })
}

/// Fails with whatever `fail` makes.
pub fn failing(fail: fn() -> ReadError) -> Engines {
    runner(move |_, _| async move { Err(fail()) })
}

/// A result of nothing, for the duration that the item was made with.
pub fn outcome(reading: &ReadRequest) -> ReadOutcome {
    outcome_of(reading, duration_ms(&reading.media.object_key))
}

/// A render of nothing, charged for the duration that its source was made with.
pub fn rendered(rendering: &RenderRequest) -> Result<Rendered, ReadError> {
    let duration_ms = rendering.source.as_ref().map_or(1_000, |source| duration_ms(&source.object_key));
    Ok(Rendered { media: generated()?, duration_ms })
}

fn sound_of_a_second() -> Facts {
    Facts {
        item_type: ItemType::Audio,
        duration_ms: Some(1_000),
        has_audio: true,
        has_video: false,
        width: None,
        height: None,
        frame_rate: None,
        content_type: "audio/mp4".to_owned(),
        seekable: false,
        streams: Vec::new(),
        thumbnail_key: None,
    }
}

/// What is built in, as every worker of a test has it.
pub fn makers() -> Vec<MakerOffer> {
    let offer = |name: String| MakerOffer { name, version: "1".to_owned() };
    let built_in = BuiltIn::ALL.map(|one| offer(one.name().to_owned()));
    built_in.into_iter().chain([offer(offered_pair("eng-spa"))]).collect()
}

/// A generation of nothing.
pub fn generated() -> Result<NewMedia, ReadError> {
    let mut file = tempfile::tempfile()?;
    file.write_all(RENDERED)?;
    file.rewind()?;
    Ok(NewMedia { file, facts: sound_of_a_second(), picture: None })
}

/// A dub of nothing: its segments say what they said, and each was spoken in its time.
pub fn dubbed(asked: DubRequest) -> Result<Dubbed, ReadError> {
    let mut body = asked.plan.body;
    for segment in body.segments.iter_mut().filter(|segment| segment.translation.is_empty()) {
        segment.translation = segment.source.clone().unwrap_or_default();
    }
    let piece = |segment: &Segment| Piece {
        id: segment.id.clone(),
        key: segment.key(&body.target_language),
        at: segment.start.0,
        len: 1,
        overflow_ms: 0,
    };
    let pieces: Vec<Piece> = body.segments.iter().map(piece).collect();
    let before = asked.plan.before.filter(|_| asked.before.is_some()).map(|before| before.pieces).unwrap_or_default();
    let reused = pieces.iter().filter(|piece| before.iter().any(|one| one.key == piece.key)).count();
    let background = body.keep_background.then_some(Ratio(800_000));
    Ok(Dubbed {
        volumes: Volumes { voices: Ratio(500_000), background },
        mix: Rendered { media: generated()?, duration_ms: asked.duration_ms },
        voice: generated()?,
        spoken: pieces.len() - reused,
        body,
        pieces,
        reused,
        unspoken: 0,
        picture: Picture { size: None, rate: None },
    })
}

/// A runner of dubs that are as [`dubbed`], with voices of so many bytes.
pub fn speaking(
    bytes: u64,
) -> impl Fn(DubRequest, JobCtx) -> BoxFuture<'static, Result<Dubbed, ReadError>> + Send + Sync + 'static {
    move |asked, _| {
        async move {
            let made = dubbed(asked)?;
            made.voice.file.set_len(bytes)?;
            Ok(made)
        }
        .boxed()
    }
}

/// Items of tests have their duration in their key.
fn duration_ms(object_key: &str) -> i64 {
    object_key.rsplit('/').next().and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// A result that says it decoded this much.
pub fn outcome_of(reading: &ReadRequest, duration_ms: i64) -> ReadOutcome {
    let stored = StoredRead {
        schema: 1,
        kind: reading.read,
        engine: Engine { name: "test".to_owned(), version: "1".to_owned(), model: None },
        duration_seconds: 0.0,
        quality: Quality::Standard,
        warnings: Vec::new(),
        data: serde_json::json!({}),
    };
    ReadOutcome { stored, duration_ms, also: Vec::new(), files: Vec::new() }
}

/// Holds reads back until the test lets them go, and counts them. Clones share one gate.
#[derive(Debug, Clone)]
pub struct Gate(Arc<GateState>);

#[derive(Debug)]
struct GateState {
    passes: Semaphore,
    inside: AtomicUsize,
    entered: Mutex<Vec<(Read, String)>>,
}

/// One read inside; leaving is counted however it ends.
struct Inside(Arc<GateState>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Gate {
    /// A gate that is closed.
    pub fn closed() -> Self {
        Self(Arc::new(GateState { passes: Semaphore::new(0), inside: AtomicUsize::new(0), entered: Mutex::default() }))
    }

    /// Lets this many reads through.
    pub fn let_through(&self, reads: usize) {
        self.0.passes.add_permits(reads);
    }

    /// Lets all reads through from now on.
    pub fn open(&self) {
        self.0.passes.add_permits(1_000_000);
    }

    /// How many reads or renders are under way, held back or not.
    pub fn inside(&self) -> usize {
        self.0.inside.load(Ordering::SeqCst)
    }

    /// Every read that was begun: which, and of which object. One that is begun twice is there twice.
    pub fn entered(&self) -> Vec<(Read, String)> {
        self.0.entered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A runner whose reads wait at the gate and succeed.
    pub fn runner(&self) -> Engines {
        let gate = self.clone();
        runner(move |reading, _| {
            let gate = gate.clone();
            async move {
                gate.pass(&reading).await;
                Ok(outcome(&reading))
            }
        })
    }

    /// A runner whose renders wait at the gate and succeed.
    pub fn renderer(&self) -> Engines {
        let gate = self.clone();
        renderer(move |rendering, _| {
            let gate = gate.clone();
            async move {
                gate.wait().await;
                rendered(&rendering)
            }
        })
    }

    /// Waits to be let through.
    pub async fn pass(&self, reading: &ReadRequest) {
        self.0
            .entered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((reading.read, reading.media.object_key.clone()));
        self.wait().await;
    }

    /// Waits to be let through, with work that is no read.
    pub async fn wait(&self) {
        self.0.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(Arc::clone(&self.0));
        if let Ok(pass) = self.0.passes.acquire().await {
            pass.forget();
        }
    }
}

/// The engine of a task that a test's worker has.
pub fn offer(task: Task) -> EngineOffer {
    EngineOffer { task, engine: "test".to_owned(), version: "1".to_owned() }
}
