//! As much of a shell as documentation uses: simple commands and their words. Nothing is run or replaced.

use std::mem;

/// Words before a command that are none of it.
const KEYWORDS: [&str; 10] = ["$", "!", "do", "else", "if", "sudo", "then", "time", "until", "while"];

/// The simple commands of a script, each as its words, those of `$(…)` among them. Assignments before a command,
/// redirections, here-documents and comments are left out; a `<placeholder>` is a word.
pub(super) fn commands(script: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::default();
    let mut rest = script;
    while let Some(next) = rest.chars().next() {
        rest = reader.take(next, rest);
    }
    reader.end_command();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Vec<String>>,
    command: Vec<String>,
    word: Option<String>,
    /// Whether the next word is where a redirection leads.
    redirected: bool,
    /// What ends the here-documents that begin with the next line.
    documents: Vec<String>,
}

impl Reader {
    /// Takes what begins with `next`, and returns what follows it.
    fn take<'a>(&mut self, next: char, rest: &'a str) -> &'a str {
        let behind = &rest[next.len_utf8()..];
        match next {
            '\\' => match behind.chars().next() {
                Some('\n') | None => behind.get(1..).unwrap_or_default(),
                Some(plain) => self.add(plain, behind),
            },
            '\'' => {
                let (quoted, behind) = behind.split_once('\'').unwrap_or((behind, ""));
                self.word().push_str(quoted);
                behind
            }
            '"' => self.double_quoted(behind),
            '$' if behind.starts_with('(') => self.substitution(&behind[1..]),
            '#' if self.word.is_none() => &behind[behind.find('\n').unwrap_or(behind.len())..],
            '\n' => {
                self.end_command();
                self.behind_documents(behind)
            }
            '|' | '&' | ';' | '(' | ')' => {
                self.end_command();
                behind
            }
            '<' => self.input(behind),
            '>' => self.output(behind),
            blank if blank.is_whitespace() => {
                self.end_word();
                behind
            }
            plain => self.add(plain, rest),
        }
    }

    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    /// Adds the first letter of `rest` to the word, and returns what follows it.
    fn add<'a>(&mut self, letter: char, rest: &'a str) -> &'a str {
        self.word().push(letter);
        &rest[letter.len_utf8()..]
    }

    fn double_quoted<'a>(&mut self, mut rest: &'a str) -> &'a str {
        self.word();
        while let Some(next) = rest.chars().next() {
            rest = match next {
                '"' => return &rest[1..],
                '$' if rest.starts_with("$(") => self.substitution(&rest[2..]),
                '\\' => match rest[1..].chars().next() {
                    Some(plain) => self.add(plain, &rest[1..]),
                    None => "",
                },
                plain => self.add(plain, rest),
            };
        }
        rest
    }

    /// Takes the commands within `$(` and its `)`.
    fn substitution<'a>(&mut self, rest: &'a str) -> &'a str {
        let mut open = 1;
        let end = rest.char_indices().find(|(_, letter)| {
            match letter {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let end = end.map_or(rest.len(), |(at, _)| at);
        self.found.extend(commands(&rest[..end]));
        self.word().push_str("$(…)");
        rest.get(end + 1..).unwrap_or_default()
    }

    fn input<'a>(&mut self, rest: &'a str) -> &'a str {
        if let Some(text) = rest.strip_prefix("<<") {
            self.end_word();
            self.redirected = true;
            text
        } else if let Some(document) = rest.strip_prefix('<') {
            self.end_word();
            let document = document.trim_start_matches(['-', ' ']);
            let end = document.find(char::is_whitespace).unwrap_or(document.len());
            self.documents.push(document[..end].trim_matches(['\'', '"']).to_owned());
            &document[end..]
        } else if let Some((name, behind)) = rest.split_once('>').filter(|(name, _)| is_placeholder(name)) {
            self.word().push_str(name);
            behind
        } else {
            self.end_word();
            self.redirected = true;
            rest
        }
    }

    fn output<'a>(&mut self, rest: &'a str) -> &'a str {
        // `2>`: the number is none of the command's words.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|letter| letter.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.redirected = true;
        rest.trim_start_matches(['>', '&'])
    }

    fn behind_documents<'a>(&mut self, mut rest: &'a str) -> &'a str {
        for end in mem::take(&mut self.documents) {
            while !rest.is_empty() {
                let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
                rest = behind;
                if line.trim() == end {
                    break;
                }
            }
        }
        rest
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take()
            && !mem::take(&mut self.redirected)
        {
            self.command.push(word);
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.redirected = false;
        let mut command = mem::take(&mut self.command);
        let before = command.iter().take_while(|word| is_assignment(word) || KEYWORDS.contains(&word.as_str())).count();
        command.drain(..before);
        if !command.is_empty() {
            self.found.push(command);
        }
    }
}

fn is_placeholder(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || "…_-. |".contains(letter))
        && !name.starts_with(' ')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

#[test]
fn commands_are_found_where_a_shell_finds_them() {
    let script = "A=1 mws up --log \"$LEVEL\" 2>&1 # its log\n\
                  mws get \\\n  itm_… | jq -r '.a # b' >out; echo \"$(mws items list --ids <<<\"$X\")\" && make test\n\
                  mws tools call x --input - <<'END' | head -1\nmws nothing\nEND\nuntil mws jobs show <id>; do :; done\n";
    let found: Vec<_> = commands(script).iter().map(|words| words.join("·")).collect();
    let expected = [
        "mws·up·--log·$LEVEL",
        "mws·get·itm_…",
        "jq·-r·.a # b",
        "mws·items·list·--ids",
        "echo·$(…)",
        "make·test",
        "mws·tools·call·x·--input·-",
        "head·-1",
        "mws·jobs·show·id",
        ":",
        "done",
    ];
    assert_eq!(found, expected);
}
