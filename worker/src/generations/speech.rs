//! Spoken text by `espeak-ng` and `flite`, the engines that need nothing but Debian's packages. Their sound is a draft.
//!
//! The text is a customer's, so both run as confined children: it is their standard input, and no word of it is ever an
//! argument. `flite` writes a file. `espeak-ng` writes to its standard output a WAV file whose header does not have its
//! final sizes yet; they are corrected here.

use super::{InstalledEngine, OUTPUT_FILE};
use crate::readers::decode::{Encoder, Feed, MediaTools, Workshop, executable, input_path, nameless, whole_output};
use crate::readers::{JobCtx, ReadError};
use domain::generation::{Asked, longest_spoken_ms};
use domain::model::BuiltIn;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of sound at most: 24 minutes at 22,050 samples per second.
const SOUND_BYTES: u64 = 64 << 20;
/// Bytes per millisecond at the highest sample rate that the engines write.
const MOST_BYTES_A_MS: u64 = 45;
/// Bytes of a WAV file before its samples, as both engines write it.
const HEADER_BYTES: u64 = 44;
/// Offsets in a WAV header: bytes per second, bytes that follow, and bytes of samples.
const BYTES_A_SECOND_AT: u64 = 28;
const SIZE_AT: usize = 4;
const DATA_SIZE_AT: usize = 40;
/// The refusal of a text whose letters the voice does not know.
const TOO_LONG: &str = "the voice takes more than twice as long as such a text takes: it may not know its letters; \
                        name a voice of its language";
/// The voice of `espeak-ng` where no language is named.
const USUAL_VOICE: &str = "en";

/// The engines that are installed here.
#[derive(Debug, Clone)]
pub(crate) struct Speakers {
    espeak: Option<Program>,
    flite: Option<Program>,
}

/// A program of this machine.
#[derive(Debug, Clone)]
struct Program {
    path: PathBuf,
    version: String,
}

impl Speakers {
    /// Looks at this machine once, at a start.
    pub(crate) fn found() -> Self {
        let with_version = |name: &str| {
            let path = executable(None, name)?;
            let version = version(&path);
            Some(Program { path, version })
        };
        Self { espeak: with_version("espeak-ng"), flite: with_version("flite") }
    }

    /// Returns the engines that there are, with their versions.
    pub(crate) fn versions(&self) -> Vec<InstalledEngine> {
        let of = |engine, found: &Option<Program>| {
            found.as_ref().map(|program| InstalledEngine { engine, version: program.version.clone() })
        };
        of(BuiltIn::Espeak, &self.espeak).into_iter().chain(of(BuiltIn::Flite, &self.flite)).collect()
    }

    /// Speaks the text into the workshop's output: a whole WAV file of at most `most_bytes` bytes. A text that takes
    /// much longer than its letters are paid for is one that the voice can't speak.
    pub(crate) async fn speak(
        &self,
        engine: BuiltIn,
        asked: &Asked,
        tools: &MediaTools,
        workshop: &Workshop,
        most_bytes: u64,
        ctx: &JobCtx,
    ) -> Result<(), ReadError> {
        let program = if engine == BuiltIn::Flite { &self.flite } else { &self.espeak };
        let program = program.as_ref().ok_or(ReadError::EngineNotConfigured(domain::task::Task::Generation))?;
        let program = &program.path;
        let text = asked.text.as_deref().unwrap_or_default();
        let longest_ms = longest_spoken_ms(text).unsigned_abs();
        let text = as_words(text);
        let input = tokio::task::spawn_blocking(move || nameless(text.as_bytes())).await;
        let input = input.map_err(|_| ReadError::Crashed)??;
        let voice = voice(engine, asked)?;
        let room = most_bytes.min(SOUND_BYTES);
        let most_bytes = room.min(longest_ms.saturating_mul(MOST_BYTES_A_MS).saturating_add(HEADER_BYTES));
        let too_much = |error| match error {
            ReadError::NoRoom | ReadError::LimitExceeded { .. } if most_bytes < room => {
                ReadError::Unsupported(TOO_LONG)
            }
            ReadError::NoRoom | ReadError::LimitExceeded { .. } if room == SOUND_BYTES => {
                ReadError::Unsupported("it is spoken for more than 24 minutes: send it in parts")
            }
            ReadError::LimitExceeded { .. } => ReadError::NoRoom,
            other => other,
        };
        let path = workshop.path(OUTPUT_FILE);
        let ending = if engine == BuiltIn::Flite {
            // It writes to files alone.
            let arguments = ["-voice", voice, "-f", input_path(), "-o", OUTPUT_FILE].map(OsStr::new);
            let feed = Feed::Media(&input);
            let speaking = Encoder::start_program(program, tools, workshop, arguments, feed, most_bytes, ctx).await?;
            speaking.finish(ctx).await.map_err(too_much)?
        } else {
            let arguments = ["-v", voice, "-f", input_path(), "--stdout"].map(OsStr::new);
            let most = usize::try_from(most_bytes).unwrap_or(usize::MAX);
            let (sound, ending) = whole_output(program, arguments, &input, tools, most, ctx).await.map_err(too_much)?;
            let sound = with_sizes(sound).unwrap_or_default();
            tokio::fs::write(&path, sound).await?;
            ending
        };
        let bytes = tokio::fs::metadata(&path).await.map_or(0, |file| file.len());
        if !ending.status.success() || bytes <= HEADER_BYTES {
            tracing::info!(engine = engine.name(), stderr = ending.stderr, "A speech engine spoke nothing.");
            return Err(ReadError::Unsupported("the engine has no such voice or language, or finds nothing to speak"));
        }
        if length_ms(&path, bytes)? > longest_ms {
            return Err(ReadError::Unsupported(TOO_LONG));
        }
        Ok(())
    }
}

/// Returns how many milliseconds a WAV file of `bytes` bytes lasts.
fn length_ms(path: &Path, bytes: u64) -> Result<u64, ReadError> {
    let mut a_second = [0; 4];
    File::open(path)?.read_exact_at(&mut a_second, BYTES_A_SECOND_AT)?;
    let a_second = u64::from(u32::from_le_bytes(a_second)).max(1);
    Ok((bytes - HEADER_BYTES).saturating_mul(1_000) / a_second)
}

/// Returns the text with `[[`, which `espeak-ng` takes for the start of phonemes, broken up.
fn as_words(text: &str) -> String {
    text.replace("[[", "[ [")
}

/// Returns the requested voice, as the engine names it. It can't be taken for an option.
fn voice(engine: BuiltIn, asked: &Asked) -> Result<&str, ReadError> {
    let wanted = asked.voice.as_deref().or(asked.language.as_deref().filter(|_| engine == BuiltIn::Espeak));
    let usual = if engine == BuiltIn::Flite { BuiltIn::FLITE_VOICES[0] } else { USUAL_VOICE };
    let voice = wanted.unwrap_or(usual);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+_-".contains(&byte);
    let known = match engine {
        BuiltIn::Flite => BuiltIn::FLITE_VOICES.contains(&voice),
        _ => {
            voice.len() <= 32
                && voice.bytes().all(is_name)
                && voice.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        }
    };
    if known { Ok(voice) } else { Err(ReadError::Unsupported("the engine has no such voice or language")) }
}

/// Returns a WAV file with its sizes corrected; none when it is not a WAV file of these engines.
fn with_sizes(mut sound: Vec<u8>) -> Option<Vec<u8>> {
    if !sound.starts_with(b"RIFF") || sound.get(36..40)? != b"data" {
        return None;
    }
    let all = u32::try_from(sound.len()).ok()?;
    sound.get_mut(SIZE_AT..SIZE_AT + 4)?.copy_from_slice(&(all - 8).to_le_bytes());
    sound.get_mut(DATA_SIZE_AT..DATA_SIZE_AT + 4)?.copy_from_slice(&(all - 44).to_le_bytes());
    Some(sound)
}

/// Returns the version that a program reports: the first of its words that begins with a digit.
fn version(program: &Path) -> String {
    let said = Command::new(program).arg("--version").output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words =
        said.split([' ', '\n', '-']).find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    words.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    #[test]
    fn a_voice_is_a_name_that_can_not_be_taken_for_an_option() {
        let asked = |voice: &str| Asked { voice: Some(voice.to_owned()), ..Asked::default() };
        assert_eq!(voice(BuiltIn::Espeak, &asked("en-us+f3")).unwrap(), "en-us+f3");
        let language = Asked { language: Some("es".to_owned()), ..Asked::default() };
        assert_eq!(
            (voice(BuiltIn::Espeak, &language).unwrap(), voice(BuiltIn::Flite, &language).unwrap()),
            ("es", "slt")
        );
        for wrong in ["-w/tmp/x", "", "a b", "../x", "\u{e9}s", "--path=/etc"] {
            assert!(voice(BuiltIn::Espeak, &asked(wrong)).is_err(), "{wrong}");
            assert!(voice(BuiltIn::Flite, &asked(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn brackets_are_no_phonemes() {
        assert_eq!(as_words("see [1] and [[h@l@U]] and [[[x"), "see [1] and [ [h@l@U]] and [ [[x");
    }

    #[tokio::test]
    async fn both_engines_speak_a_hostile_text_as_text_and_say_how_long_it_is() {
        let (studio, speakers) = (Studio::new(), Speakers::found());
        assert_eq!(speakers.versions().len(), 2, "{:?}", speakers.versions());
        for engine in [BuiltIn::Espeak, BuiltIn::Flite] {
            let text = "-w /tmp/owned. $(id) `id` /etc/passwd <speak>one</speak> &amp; two, three, four.";
            let asked = Asked { text: Some(text.to_owned()), ..Asked::default() };
            let tools = studio.tools();
            let workshop = Workshop::new(&tools).unwrap();
            speakers.speak(engine, &asked, &tools, &workshop, 1 << 30, &an_hour()).await.unwrap();
            let spoken = studio.open(&workshop.path(OUTPUT_FILE), &an_hour()).await.unwrap();
            let ms = spoken.probe().duration_ms.unwrap_or(0);
            println!("{}: {ms} ms", engine.name());
            assert!((3_000..30_000).contains(&ms), "{}: {ms}", engine.name());
        }
        // Each of these is spoken by its name, "Thai letter" and three numbers; a "w" is "double you".
        for (engine, text) in [
            (BuiltIn::Espeak, "แ. ".repeat(80)),
            (BuiltIn::Espeak, format!("{}. ", "แ".repeat(40)).repeat(6)),
            (BuiltIn::Flite, "w".repeat(400)),
        ] {
            let unknown = Asked { text: Some(text), ..Asked::default() };
            let (tools, within) = (studio.tools(), an_hour());
            let workshop = Workshop::new(&tools).unwrap();
            let asking = speakers.speak(engine, &unknown, &tools, &workshop, 1 << 30, &within);
            let refused = asking.await.unwrap_err();
            assert!(matches!(refused, ReadError::Unsupported(TOO_LONG)), "{}: {refused:?}", engine.name());
        }
        let nobody = Asked { text: Some("hola".to_owned()), language: Some("qqq".to_owned()), ..Asked::default() };
        let tools = studio.tools();
        let workshop = Workshop::new(&tools).unwrap();
        let within = an_hour();
        let asking = speakers.speak(BuiltIn::Espeak, &nobody, &tools, &workshop, 1 << 30, &within);
        let refused = asking.await.unwrap_err();
        assert_eq!((refused.job_error_code(), refused.retryable()), ("not_supported", false));
    }
}
