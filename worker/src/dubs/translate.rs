//! Translation by `apertium`, with the language pairs that are installed: rules and dictionaries, which make a draft.
//!
//! A pair is a pipeline of small programs, which its `.mode` file names. Each runs here as a confined child of its own,
//! one after the other, on the whole text: no shell reads the file, and no word of a customer is ever an argument.
//! Texts are separated by the null character, which every one of the programs passes on, so that one text's translation
//! can't run into the next.

use crate::readers::decode::{MediaTools, executable, nameless, whole_output};
use crate::readers::{JobCtx, ReadError};
use domain::dub::offered_pair;
use domain::model::BuiltIn;
use domain::task::Task;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::generations::MakerOffer;

/// Where Debian's pairs install their pipelines and their data.
const MODES: &str = "/usr/share/apertium/modes";
const DATA: &str = "/usr/share/apertium/";
/// Programs of a pipeline, at most.
const MOST_STAGES: usize = 24;
/// Bytes that are translated at once, at most.
const BATCH_BYTES: usize = 64 << 10;
/// Bytes that a program writes for them, at most: analyses are some fifty times as long as words.
const OUTPUT_BYTES: usize = 32 << 20;
/// Marks a text's end, so that its last word ends a sentence.
const END: &str = "[][\n]";

/// The pairs that are installed here.
#[derive(Debug, Clone)]
pub(crate) struct Translator {
    version: String,
    pairs: Vec<Pair>,
}

/// A pair of languages, as `eng-spa`.
#[derive(Debug, Clone)]
struct Pair {
    name: String,
    stages: Vec<Stage>,
}

/// A program of a pipeline.
#[derive(Debug, Clone)]
struct Stage {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Translator {
    /// Looks at this machine once, at a start.
    pub(crate) fn found() -> Self {
        let entries = fs::read_dir(MODES).into_iter().flatten().filter_map(Result::ok);
        let mut pairs: Vec<Pair> = entries.filter_map(|entry| pair(&entry.path())).collect();
        pairs.sort_by(|one, other| one.name.cmp(&other.name));
        let program = executable(None, "lt-proc");
        Self { version: program.as_deref().map(version).unwrap_or_default(), pairs }
    }

    /// What it can translate, for the fleet: the engine and each pair.
    pub(crate) fn offers(&self) -> Vec<MakerOffer> {
        let offer = |name: String| MakerOffer { name, version: self.version.clone() };
        let engine = (!self.pairs.is_empty()).then(|| offer(BuiltIn::Apertium.name().to_owned()));
        engine.into_iter().chain(self.pairs.iter().map(|pair| offer(offered_pair(&pair.name)))).collect()
    }

    /// Returns these texts in the other language of the pair, in the same order.
    pub(crate) async fn translate(
        &self,
        pair: &str,
        texts: &[&str],
        tools: &MediaTools,
        ctx: &JobCtx,
    ) -> Result<Vec<String>, ReadError> {
        let found = self.pairs.iter().find(|one| one.name == pair);
        let stages = &found.ok_or(ReadError::EngineNotConfigured(Task::Dub))?.stages;
        let mut translated = Vec::with_capacity(texts.len());
        for batch in batches(texts) {
            let mut bytes: Vec<u8> = batch.iter().flat_map(|text| written(text).into_bytes()).collect();
            for stage in stages {
                bytes = stage.run(bytes, tools, ctx).await?;
            }
            let mut parts: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
            // What follows the last null character belongs to no text.
            parts.pop();
            let answers: Vec<String> = parts.into_iter().take(batch.len()).map(read).collect();
            if answers.len() != batch.len() {
                tracing::warn!(pair, texts = batch.len(), answers = answers.len(), "A translation lost its place.");
                return Err(ReadError::Crashed);
            }
            translated.extend(answers);
            ctx.progress.reach_part(translated.len() as u64, texts.len() as u64);
        }
        Ok(translated)
    }
}

impl Stage {
    async fn run(&self, input: Vec<u8>, tools: &MediaTools, ctx: &JobCtx) -> Result<Vec<u8>, ReadError> {
        let input = tokio::task::spawn_blocking(move || nameless(&input)).await.map_err(|_| ReadError::Crashed)??;
        let arguments = self.arguments.iter().map(OsString::as_os_str);
        let (output, ending) = whole_output(&self.program, arguments, &input, tools, OUTPUT_BYTES, ctx).await?;
        if ending.status.success() {
            return Ok(output);
        }
        tracing::warn!(program = %self.program.display(), stderr = ending.stderr, "A translation failed.");
        Err(ReadError::Crashed)
    }
}

/// Returns the pipeline of a `.mode` file; none for another kind of file, or where its programs are not installed.
fn pair(path: &Path) -> Option<Pair> {
    let name = path.file_name()?.to_str()?.strip_suffix(".mode")?;
    let (from, to) = name.split_once('-')?;
    let is_code = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_code(from) || !is_code(to) {
        return None;
    }
    let stages: Vec<Stage> = fs::read_to_string(path).ok()?.trim().split('|').map(stage).collect::<Option<_>>()?;
    (!stages.is_empty() && stages.len() <= MOST_STAGES).then(|| Pair { name: name.to_owned(), stages })
}

/// Returns a program of a pipeline and its arguments, with the option to pass the null character on.
fn stage(command: &str) -> Option<Stage> {
    let mut words = command.split_whitespace().map(|word| word.trim_matches('\''));
    let program = executable(None, words.next().filter(|name| !name.contains('/'))?)?;
    let mut arguments: Vec<OsString> = vec!["-z".into()];
    for word in words {
        match word {
            // Unknown words stay as they are, without marks.
            "$1" => arguments.push("-n".into()),
            "$2" => {}
            option if option.starts_with('-') => arguments.push(option.into()),
            file if file.starts_with(DATA) && !file.contains("..") => arguments.push(file.into()),
            _ => return None,
        }
    }
    Some(Stage { program, arguments })
}

/// Splits texts into batches of at most `BATCH_BYTES`, or of one longer text.
fn batches<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = &'a [&'a str]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let mut more = |text: &&str| {
            bytes += text.len();
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take_while(|text| more(text)).count().max(1).min(rest.len());
        let (now, later) = rest.split_at(count);
        rest = later;
        (!now.is_empty()).then_some(now)
    })
}

/// Returns a text as the programs read it: control characters become spaces, and special characters are escaped.
fn written(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    for letter in text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }) {
        if "[]{}^$/\\@<>".contains(letter) {
            written.push('\\');
        }
        written.push(letter);
    }
    if !text.trim_end().ends_with(['.', '!', '?', '\u{2026}']) {
        written.push('.');
    }
    written + END + "\0"
}

/// Returns the text that the programs wrote, without their escapes and blanks.
fn read(bytes: &[u8]) -> String {
    let (mut text, mut letters) = (String::new(), String::from_utf8_lossy(bytes).into_owned());
    if letters.ends_with(END) {
        letters.truncate(letters.len() - END.len());
    }
    let (mut is_escaped, mut depth) = (false, 0_u32);
    for letter in letters.chars() {
        match (is_escaped, letter) {
            (false, '\\') => {
                is_escaped = true;
                continue;
            }
            (false, '[') => depth += 1,
            (false, ']') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ => text.push(letter),
        }
        is_escaped = false;
    }
    domain::dub::one_line(&text)
}

/// Returns the version that a program reports.
fn version(program: &Path) -> String {
    let said = Command::new(program).arg("--version").output();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let mut words = said.split_whitespace();
    words.find(|word| word.starts_with(|first: char| first.is_ascii_digit())).unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    /// Texts that mean something to the programs, or to whoever would read them as something else.
    const HOSTILE: [&str; 14] = [
        "[the house] <b>x</b> ^a$ 1/2 \\ {y} @home",
        "[^@$",
        "",
        " ",
        "...",
        "\u{4f60}\u{597d} \u{645}\u{631}\u{62d}\u{628}\u{627} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{928}\u{92e} \u{1f600}",
        "one\0two",
        "[][\n]",
        "-w /tmp/x; $(id) `id` | cat /etc/passwd > /tmp/owned",
        "<@<@<@",
        "the car's the dog's the cat's",
        "\u{202e}the house\u{200d}",
        "<n><sg>$ ^house/house<n><sg>$",
        "\\",
    ];

    #[tokio::test]
    async fn what_is_installed_translates_into_spanish_and_back_in_confinement() {
        let (studio, translator) = (Studio::new(), Translator::found());
        let names: Vec<String> = translator.offers().into_iter().map(|offer| offer.name).collect();
        assert_eq!(names, ["apertium", "apertium:eng-spa", "apertium:spa-eng"]);
        let (tools, ctx) = (studio.tools(), an_hour());
        let texts = ["the house is big", "good morning, welcome to the show!", "we talk about music"];
        let spanish = translator.translate("eng-spa", &texts, &tools, &ctx).await.unwrap();
        println!("{spanish:?}");
        assert_eq!(spanish[0].to_lowercase(), "la casa es grande.");
        assert!(spanish[2].contains("m\u{fa}sica"), "{spanish:?}");
        let english = translator.translate("spa-eng", &["la casa es grande"], &tools, &ctx).await.unwrap();
        assert_eq!(english[0].to_lowercase(), "the house is big.");
        let none = translator.translate("eng-fra", &texts, &tools, &ctx).await.unwrap_err();
        assert_eq!(none.job_error_code(), "engine_not_configured");
    }

    #[tokio::test]
    async fn a_hostile_text_is_a_text_and_its_neighbours_stay_as_they_are() {
        let (studio, translator) = (Studio::new(), Translator::found());
        let long = "house ".repeat(20_000);
        let hostile: Vec<&str> = HOSTILE.into_iter().chain([long.as_str()]).collect();
        let texts: Vec<&str> = hostile.iter().flat_map(|text| [*text, "the house is big"]).collect();
        let translated = translator.translate("eng-spa", &texts, &studio.tools(), &an_hour()).await.unwrap();
        assert_eq!(translated.len(), texts.len());
        for (place, text) in translated.iter().enumerate() {
            assert!(!text.contains('\0') && !text.contains("<n>") || texts[place].contains("<n>"), "{text}");
            if place % 2 == 1 {
                assert_eq!(text.to_lowercase(), "la casa es grande.", "after {:?}", texts[place - 1]);
            }
        }
        assert!(translated[0].contains("casa") && translated[0].contains('['), "{}", translated[0]);
    }

    #[test]
    fn texts_are_batched_by_their_bytes_and_none_is_lost() {
        let long = "x".repeat(BATCH_BYTES);
        let texts = ["a", "b", &long, "c", &long, &long];
        let sizes: Vec<usize> = batches(&texts).map(<[&str]>::len).collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1]);
    }
}
