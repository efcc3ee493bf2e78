//! Reads HTML as a stream of tokens: the facts in a page's head, and the plain text of a fragment. No tree is built, so
//! that deep nesting costs nothing.

use crate::MOST_ENTITIES;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::{Cell, RefCell};

/// Elements whose text is not shown to readers.
const HIDDEN: [&str; 7] = ["script", "style", "template", "noscript", "iframe", "svg", "textarea"];
/// Elements that begin and end a line.
const BLOCKS: [&str; 22] = [
    "p",
    "br",
    "div",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "section",
    "article",
    "pre",
    "figure",
    "figcaption",
    "hr",
    "dd",
];
/// Facts of a head that are kept at most, of each kind.
const MOST_FACTS: usize = 200;
/// Tags that are read of a page for the facts in its head, and those behind the head: some sites put facts there.
const MOST_TAGS: usize = 20_000;
/// Bytes that are read for them: text that is nearly a tag costs as much as tags do.
const MOST_BYTES: usize = 512 << 10;
const MOST_TAGS_BEHIND: usize = 2_000;
/// Bytes that are given to the tokenizer at once.
pub(crate) const CHUNK: usize = 1 << 10;
/// Separators between attributes that may come before a tag ends: the tokenizer compares each attribute of a tag with
/// all others.
const MOST_SEPARATORS: usize = 4_000;
/// Such comparisons in all tags together.
const MOST_COMPARISONS: usize = 1_000_000;

/// The facts in a page's head.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// The text of `<title>`.
    pub(crate) title: String,
    /// `property` or `name` of each `<meta>`, in lower case, with its `content`.
    pub(crate) metas: Vec<(String, String)>,
    /// `rel`, `type` and `href` of each `<link>`.
    pub(crate) links: Vec<(String, String, String)>,
    /// What a `<meta>` says of the page's encoding: its `charset`, or the media type that it has in place of a header.
    pub(crate) encodings: Vec<String>,
}

/// Returns the plain text of some HTML, one line per block, of at most `most` characters.
pub(crate) fn plain(html: &str, most: usize) -> String {
    let sink = TextSink(RefCell::new(Text { most, ..Text::default() }));
    let text = run(html, sink).0.into_inner().read;
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n").chars().filter(|letter| *letter == '\n' || !letter.is_control()).take(most).collect()
}

/// Returns the facts in a page's head. Of the body only the beginning is read.
pub(crate) fn head(html: &str) -> Head {
    let beginning = &html[..html.floor_char_boundary(MOST_BYTES)];
    run(beginning, HeadSink(RefCell::default())).0.into_inner().head
}

/// Passes the HTML to a sink. It stops when the sink has all that it keeps, and early when a page would take more time
/// than any that a person wrote.
fn run<S: Sink>(html: &str, sink: S) -> S {
    let input = BufferQueue::default();
    let tokenizer =
        Tokenizer::new(Counting { sink, spent: Cell::default(), tokens: Cell::default() }, TokenizerOpts::default());
    let (mut rest, mut separators, mut tokens, mut entities) = (html, 0, 0, 0);
    while !rest.is_empty() && !tokenizer.sink.sink.is_full() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(CHUNK));
        rest = after;
        input.push_back(StrTendril::from_slice(chunk));
        // A sink without scripts is never asked to run one.
        while !matches!(tokenizer.feed(&input), html5ever::TokenizerResult::Done) {}
        let counted = tokenizer.sink.tokens.get();
        if counted != tokens {
            (tokens, separators) = (counted, 0);
        }
        let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'');
        separators += chunk.bytes().filter(between).count();
        entities += chunk.bytes().filter(|byte| *byte == b'&').count();
        let is_slow = separators > MOST_SEPARATORS + CHUNK || tokenizer.sink.spent.get() > MOST_COMPARISONS;
        if is_slow || entities > MOST_ENTITIES {
            return tokenizer.sink.sink;
        }
    }
    tokenizer.end();
    tokenizer.sink.sink
}

/// A receiver of tokens.
trait Sink {
    fn take(&self, token: Token) -> TokenSinkResult<()>;

    /// Whether it keeps nothing of what follows.
    fn is_full(&self) -> bool {
        false
    }
}

/// Counts the tokens and the cost of their attributes, on the way to a sink.
struct Counting<S> {
    sink: S,
    spent: Cell<usize>,
    tokens: Cell<usize>,
}

impl<S: Sink> TokenSink for Counting<S> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        self.tokens.set(self.tokens.get() + 1);
        if let Token::TagToken(tag) = &token {
            self.spent.set(self.spent.get() + tag.attrs.len() * tag.attrs.len());
        }
        self.sink.take(token)
    }
}

/// Returns how the text of an element is tokenized: a script's text, for example, may contain what looks like tags.
fn raw(tag: &Tag) -> TokenSinkResult<()> {
    match (tag.kind, &*tag.name) {
        (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
        (TagKind::StartTag, "style" | "noscript" | "iframe") => TokenSinkResult::RawData(RawKind::Rawtext),
        (TagKind::StartTag, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
        _ => TokenSinkResult::Continue,
    }
}

#[derive(Debug, Default)]
struct Text {
    read: String,
    most: usize,
    /// The name of the hidden element that is open, and how many more of the same name are open within it.
    hidden: Option<(String, usize)>,
}

struct TextSink(RefCell<Text>);

impl Sink for TextSink {
    fn take(&self, token: Token) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => {
                if state.hidden.is_none() && !state.is_full() {
                    state.read.push_str(&text);
                }
                TokenSinkResult::Continue
            }
            Token::TagToken(tag) => {
                state.tag(&tag);
                raw(&tag)
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn is_full(&self) -> bool {
        self.0.borrow().is_full()
    }
}

impl Text {
    /// Four bytes a character at most, and white space that will be folded.
    const fn is_full(&self) -> bool {
        self.read.len() >= self.most * 8
    }

    fn tag(&mut self, tag: &Tag) {
        let name = &*tag.name;
        if let Some((hidden, depth)) = &mut self.hidden {
            if hidden == name {
                match tag.kind {
                    TagKind::StartTag => *depth += 1,
                    TagKind::EndTag if *depth == 0 => self.hidden = None,
                    TagKind::EndTag => *depth -= 1,
                }
            }
            return;
        }
        if tag.kind == TagKind::StartTag && !tag.self_closing && HIDDEN.contains(&name) {
            self.hidden = Some((name.to_owned(), 0));
        } else if BLOCKS.contains(&name) && !self.is_full() {
            self.read.push('\n');
        }
    }
}

#[derive(Debug, Default)]
struct Reading {
    head: Head,
    in_title: bool,
    has_title: bool,
    /// Tags that were read.
    tags: usize,
    /// Tags that had been read when the head ended; none before that.
    tags_of_head: Option<usize>,
}

struct HeadSink(RefCell<Reading>);

impl Sink for HeadSink {
    fn take(&self, token: Token) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) if state.in_title && state.head.title.len() < 4_096 => {
                state.head.title.push_str(&text);
                TokenSinkResult::Continue
            }
            Token::TagToken(tag) => {
                state.tag(&tag);
                raw(&tag)
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn is_full(&self) -> bool {
        let reading = self.0.borrow();
        let is_behind = reading.tags_of_head.is_some_and(|head| reading.tags > head + MOST_TAGS_BEHIND);
        reading.tags > MOST_TAGS || is_behind
    }
}

impl Reading {
    fn tag(&mut self, tag: &Tag) {
        self.tags += 1;
        let value = |name: &str| {
            let found = tag.attrs.iter().find(|attribute| &*attribute.name.local == name);
            found.map(|attribute| attribute.value.to_string()).unwrap_or_default()
        };
        match (&*tag.name, tag.kind) {
            ("head", TagKind::EndTag) | ("body", TagKind::StartTag) => {
                self.tags_of_head.get_or_insert(self.tags);
            }
            ("title", TagKind::StartTag) if !self.has_title => (self.in_title, self.has_title) = (true, true),
            ("title", TagKind::EndTag) => self.in_title = false,
            ("meta", TagKind::StartTag) if self.head.metas.len() < MOST_FACTS => {
                let is_header = value("http-equiv").eq_ignore_ascii_case("content-type");
                let said = if is_header { value("content") } else { value("charset") };
                if !said.is_empty() && self.head.encodings.len() < MOST_FACTS {
                    self.head.encodings.push(said);
                }
                let name = [value("property"), value("name")].into_iter().find(|name| !name.is_empty());
                if let Some(name) = name {
                    self.head.metas.push((name.to_ascii_lowercase(), value("content")));
                }
            }
            ("link", TagKind::StartTag) if self.head.links.len() < MOST_FACTS => {
                self.head.links.push((value("rel").to_ascii_lowercase(), value("type"), value("href")));
            }
            _ => {}
        }
    }
}
