//! Renders of real media, made here with fixed seeds, and measured by decoding what came of them.
//!
//! `Darkroom` renders a plan into a file of its folder, which a test then measures: by what ffprobe says of it, and by
//! its samples and frames. One module a theme.

mod cuts;
mod ducks;
mod edges;
mod films;
mod stills;

use super::{Renderer, Sources};
use crate::readers::tests::{Studio, an_hour};
use crate::readers::{JobCtx, MediaTools, ReadError, ReaderSettings};
use domain::ids::ItemId;
use domain::media_time::{FrameRate, Span};
use domain::render::RenderPlan;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use store::uploads::Facts;

/// Samples a second that sound is measured at.
const RATE: u32 = 48_000;

/// A folder for media, a renderer, and the folder that its jobs work in.
struct Darkroom {
    studio: Studio,
    renderer: &'static Renderer,
    scratch: tempfile::TempDir,
}

/// The machine's renderer, for which ffmpeg is asked three questions once.
fn renderer(tools: &MediaTools) -> &'static Renderer {
    static FOUND: OnceLock<Renderer> = OnceLock::new();
    FOUND.get_or_init(|| Renderer::found(tools).expect("`scripts/setup` installs an ffmpeg that encodes"))
}

impl Darkroom {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let scratch_dir = Some(scratch.path().to_owned());
        // Children that run as nobody pass through it.
        fs::set_permissions(scratch.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711)).unwrap();
        let studio = Studio::with(&ReaderSettings { scratch_dir, ..ReaderSettings::default() });
        Self { renderer: renderer(&studio.tools()), studio, scratch }
    }

    /// Renders into a file of this name. Returns what the renderer says that it is.
    async fn render(&self, plan: &RenderPlan, source: &Path, music: Option<&Path>, name: &str) -> Facts {
        let rendered = self.render_within(plan, source, music, 1 << 30, &an_hour()).await.unwrap();
        self.save(rendered, name)
    }

    fn save(&self, mut rendered: super::Rendered, name: &str) -> Facts {
        io::copy(&mut rendered.media.file, &mut File::create(self.studio.path(name)).unwrap()).unwrap();
        rendered.media.facts
    }

    async fn render_within(
        &self,
        plan: &RenderPlan,
        source: &Path,
        music: Option<&Path>,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<super::Rendered, ReadError> {
        let source = self.studio.open(source, ctx).await?;
        let music = match music {
            Some(music) => Some(self.studio.open(music, ctx).await?),
            None => None,
        };
        let rendered =
            self.renderer.render(&Sources { source, music, others: HashMap::new() }, plan, most_bytes, ctx).await;
        assert_eq!(fs::read_dir(self.scratch.path()).unwrap().count(), 0, "something was left behind");
        rendered
    }

    /// What ffprobe says of a file.
    fn probed(&self, name: &str) -> Value {
        let asked = ["-v", "error", "-show_streams", "-show_format", "-count_frames", "-of", "json", name];
        serde_json::from_str(&self.studio.run("ffprobe", &asked)).unwrap()
    }

    /// The samples of a file's sound, of its first channel.
    fn samples(&self, path: &Path) -> Vec<f32> {
        let arguments = ["-v", "error", "-y", "-i", path.to_str().unwrap(), "-map", "0:a:0", "-af", "pan=mono|c0=c0"];
        let output = ["-ar", &RATE.to_string(), "-f", "f32le", "samples"];
        self.studio.run("ffmpeg", &[&arguments[..], &output[..]].concat());
        let bytes = fs::read(self.studio.path("samples")).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect()
    }

    /// How bright each frame of a file is, from 0 to 255.
    fn brightness(&self, name: &str) -> Vec<u8> {
        self.filtered(name, "scale=1:1")
    }

    /// How bright each pixel of each frame is that this filter leaves, from 0 to 255.
    fn filtered(&self, name: &str, filter: &str) -> Vec<u8> {
        let filter = format!("{filter},format=gray");
        let arguments = ["-v", "error", "-y", "-i", name, "-map", "0:v:0", "-vf", &filter];
        let output = ["-fps_mode", "passthrough", "-f", "rawvideo", "frames"];
        self.studio.run("ffmpeg", &[&arguments[..], &output[..]].concat());
        fs::read(self.studio.path("frames")).unwrap()
    }

    /// A film that flashes for two frames every `every` frames, and beeps as long as it flashes.
    fn flashing(&self, name: &str, rate: FrameRate, every: u32, seconds: u32, codecs: &[&str]) -> PathBuf {
        let period = f64::from(every) * f64::from(rate.seconds()) / f64::from(rate.frames());
        let lit = 2.0 * f64::from(rate.seconds()) / f64::from(rate.frames());
        let picture = format!(
            "color=black:s=96x64:r={rate}:d={seconds},drawbox=c=white:t=fill:enable='lt(mod(n\\,{every})\\,2)'"
        );
        let sound = format!("aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t\\,{period:.9})\\,{lit:.9})':s={RATE}:d={seconds}");
        let sources = format!("{picture}[out0];{sound}[out1]");
        self.studio.make(name, &sources, codecs)
    }
}

fn cut(keep: Vec<Span>) -> RenderPlan {
    RenderPlan::RemoveSilence { item: ItemId::mint(), keep }
}

/// The stream of this type.
fn stream<'a>(probed: &'a Value, kind: &str) -> &'a Value {
    let streams = probed["streams"].as_array().unwrap();
    streams.iter().find(|stream| stream["codec_type"] == kind).unwrap_or_else(|| panic!("no {kind} in {probed}"))
}

/// A number that ffprobe writes as text.
fn number(value: &Value) -> f64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn near(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not within {tolerance} of {wanted}");
}

/// Seconds at which something begins that `is_on`, of steps that last so long.
fn onsets<T: Copy>(steps: &[T], step_seconds: f64, quiet_seconds: f64, is_on: impl Fn(T) -> bool) -> Vec<f64> {
    let (mut found, mut last) = (Vec::new(), f64::NEG_INFINITY);
    let mut at = 0.0;
    for step in steps {
        if is_on(*step) {
            if at - last > quiet_seconds {
                found.push(at);
            }
            last = at;
        }
        at += step_seconds;
    }
    found
}
