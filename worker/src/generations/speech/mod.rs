//! Spoken text by `espeak-ng` and `flite`, the engines that need nothing but Debian's packages. Their sound is a draft.
//!
//! The text is a customer's, so both run as confined children: it is their standard input, and no word of it is ever an
//! argument. `flite` writes a file. `espeak-ng` writes to its standard output a WAV file whose header does not have its
//! final sizes yet; they are corrected here.

use super::{InstalledEngine, OUTPUT_FILE};
use crate::readers::decode::{Encoder, Feed, MediaTools, Workshop, executable, input_path, nameless, whole_output};
use crate::readers::{JobCtx, ReadError};
use domain::dub::{is_voice, offered_languages, offered_voices};
use domain::generation::{Asked, longest_spoken_ms};
use domain::model::BuiltIn;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::generations::MakerOffer;

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
/// The refusal of a text of which nothing is heard: of what they have no sounds for, the engines write silence.
pub(crate) const NO_SOUNDS: &str = "the voice has no sounds for any of the text: name a voice of its language";
/// The loudest sample of silence. That of `flite` has up to 282; the quietest letter that was measured has 6,400.
const LOUDEST_SILENCE: u16 = 1_024;
/// The voice of `espeak-ng` where no language is named.
const USUAL_VOICE: &str = "en";

/// The engines that are installed here.
#[derive(Debug, Clone)]
pub(crate) struct Speakers {
    espeak: Option<Program>,
    flite: Option<Program>,
    /// The codes of the languages that `espeak-ng` has voices for.
    languages: Vec<String>,
    /// The names of its voices that have one of their own.
    names: Vec<String>,
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
        let (espeak, flite) = (with_version("espeak-ng"), with_version("flite"));
        let list = espeak.as_ref().map(|program| listed(&program.path)).unwrap_or_default();
        Self { espeak, flite, languages: codes(&list), names: names(&list) }
    }

    /// What they can speak, for the fleet: the languages of `espeak-ng`, and its voices with names of their own. The
    /// engines themselves are in `versions`.
    pub(crate) fn voices(&self) -> impl Iterator<Item = MakerOffer> {
        let offered = [offered_languages(&self.languages), offered_voices(&self.names)].into_iter().flatten();
        let version = self.espeak.as_ref().map(|program| program.version.clone());
        offered.filter_map(move |name| Some(MakerOffer { name, version: version.clone()? }))
    }

    /// Returns the engines that there are, with their versions.
    pub(crate) fn versions(&self) -> Vec<InstalledEngine> {
        let of = |engine, found: &Option<Program>| {
            found.as_ref().map(|program| InstalledEngine { engine, version: program.version.clone() })
        };
        of(BuiltIn::Espeak, &self.espeak).into_iter().chain(of(BuiltIn::Flite, &self.flite)).collect()
    }

    /// Speaks the text into the workshop's output: a whole WAV file of at most `most_bytes` bytes. A text that takes
    /// much longer than its letters are paid for, or is silent, is one that the voice can't speak.
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
        let heard = tokio::task::spawn_blocking(move || is_heard(&path)).await.map_err(|_| ReadError::Crashed)??;
        if heard { Ok(()) } else { Err(ReadError::Unsupported(NO_SOUNDS)) }
    }
}

/// Returns how many milliseconds a WAV file of `bytes` bytes lasts.
fn length_ms(path: &Path, bytes: u64) -> Result<u64, ReadError> {
    let mut a_second = [0; 4];
    File::open(path)?.read_exact_at(&mut a_second, BYTES_A_SECOND_AT)?;
    let a_second = u64::from(u32::from_le_bytes(a_second)).max(1);
    Ok((bytes - HEADER_BYTES).saturating_mul(1_000) / a_second)
}

/// Whether anything is heard in a WAV file.
fn is_heard(path: &Path) -> io::Result<bool> {
    let mut sound = BufReader::new(File::open(path)?);
    sound.seek(SeekFrom::Start(HEADER_BYTES))?;
    let mut sample = [0; 2];
    loop {
        match sound.read_exact(&mut sample) {
            Ok(()) if i16::from_le_bytes(sample).unsigned_abs() > LOUDEST_SILENCE => return Ok(true),
            Ok(()) => {}
            Err(end) if end.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
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

/// Returns the list of the voices of `espeak-ng`.
fn listed(program: &Path) -> String {
    let said = Command::new(program).arg("--voices").output();
    said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// Returns the names in a list of voices by which a voice can be asked for, in its fourth column. Names with other
/// signs than those of a voice, such as `Spanish_(Spain)`, can't be.
fn names(list: &str) -> Vec<String> {
    let names = list.lines().skip(1).filter_map(|line| line.split_whitespace().nth(3));
    names.filter(|name| is_voice(name)).map(str::to_owned).collect()
}

/// Returns the languages of a list of voices: each line has the voice's language in its second column, and after its
/// fifth further ones that it is taken for, as `(zh-cmn 5)(zh 5)`. Regions and dialects are left out.
fn codes(list: &str) -> Vec<String> {
    let tags = list.lines().skip(1).flat_map(|line| {
        let own = line.split_whitespace().nth(1);
        own.into_iter().chain(line.split('(').skip(1).filter_map(|other| other.split_whitespace().next()))
    });
    let is_code = |code: &&str| (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    let codes: BTreeSet<&str> = tags.filter_map(|tag| tag.split('-').next()).filter(is_code).collect();
    codes.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
