//! The transcription engine that needs nothing but Debian's packages: `pocketsphinx_continuous`, as a confined child.
//!
//! One child per chunk; its words and times are read from its output. Its words are a draft: docs/reads.md, "What each
//! engine can and can't do".

use super::text::Word;
use crate::readers::decode::{MediaTools, executable, input_path, nameless, whole_output};
use crate::readers::speech::chunks::Chunk;
use crate::readers::{JobCtx, ReadError};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where Debian's `pocketsphinx-en-us` installs its model.
const MODEL_DIR: &str = "/usr/share/pocketsphinx/model/en-us";
/// The version that the figures of reads.md were measured with; the program does not report its own.
pub(super) const VERSION: &str = "0.8+5prealpha";
/// Bytes of output for one chunk, at most: a minute of speech makes some 10 KiB.
const OUTPUT_BYTES: usize = 4 << 20;

/// The program and its model.
#[derive(Debug, Clone)]
pub(super) struct PocketSphinx {
    program: PathBuf,
    /// Acoustic model, language model and dictionary.
    model: [PathBuf; 3],
}

impl PocketSphinx {
    /// Finds the engine of this machine, when both the program and its model are installed.
    pub(super) fn found(given: Option<&Path>) -> Option<Self> {
        let program = executable(given, "pocketsphinx_continuous")?;
        let model = ["en-us", "en-us.lm.bin", "cmudict-en-us.dict"].map(|name| Path::new(MODEL_DIR).join(name));
        model.iter().all(|file| file.exists()).then_some(Self { program, model })
    }

    /// Returns the words of a chunk, in seconds of the chunk.
    pub(super) async fn words(&self, chunk: &Chunk, tools: &MediaTools, ctx: &JobCtx) -> Result<Vec<Word>, ReadError> {
        let samples: Vec<u8> = chunk.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        let input = tokio::task::spawn_blocking(move || nameless(&samples)).await.map_err(|_| ReadError::Crashed)??;
        let [acoustic, language, dictionary] = &self.model;
        let arguments: [&OsStr; 12] = [
            "-infile".as_ref(),
            input_path().as_ref(),
            "-time".as_ref(),
            "yes".as_ref(),
            "-hmm".as_ref(),
            acoustic.as_ref(),
            "-lm".as_ref(),
            language.as_ref(),
            "-dict".as_ref(),
            dictionary.as_ref(),
            "-logfn".as_ref(),
            "/dev/null".as_ref(),
        ];
        let (output, ending) = whole_output(&self.program, arguments, &input, tools, OUTPUT_BYTES, ctx).await?;
        if !ending.status.success() {
            tracing::warn!(pocketsphinx.status = %ending.status, pocketsphinx.stderr = ending.stderr, "pocketsphinx failed");
            return Err(ReadError::Crashed);
        }
        Ok(String::from_utf8_lossy(&output).lines().filter_map(word).collect())
    }
}

/// Parses a line such as `leisure(2) 2.260 2.710 0.454575`; none for sentences, silence and noise.
fn word(line: &str) -> Option<Word> {
    let mut parts = line.split_ascii_whitespace();
    let word = parts.next()?;
    let mut number = || parts.next()?.parse::<f64>().ok().filter(|number| number.is_finite());
    let (start, end, confidence) = (number()?, number()?, number()?);
    if parts.next().is_some() || word.starts_with(['<', '[', '+']) {
        return None;
    }
    // The number of a pronunciation is not part of the word.
    let word = word.split_once('(').map_or(word, |(word, _)| word).to_owned();
    Some(Word { word, start, end, confidence: Some(confidence.clamp(0.0, 1.0)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_sentences_and_silence() {
        let found = Word { word: "leisure".to_owned(), start: 2.26, end: 2.71, confidence: Some(0.454_575) };
        assert_eq!(word("leisure(2) 2.260 2.710 0.454575"), Some(found));
        for line in ["he was not", "<s> 0.000 0.140 0.999400", "<sil> 1 2 0.5", "[NOISE] 1 2 0.5", "", "a b c d", "one"]
        {
            assert_eq!(word(line), None, "{line}");
        }
    }
}
