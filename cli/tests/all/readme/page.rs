//! What a page shows in its fences: lines that are typed one by one, or a script.

use anyhow::{Context, ensure};

/// The programs with which lines begin that are typed one by one.
const TYPED: [&str; 3] = ["cargo ", "make ", "mws "];
/// Letters and digits of an id behind its kind.
const ID_LENGTH: usize = 26;

/// What a reader has bash do at once.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// One line, without its comment.
    Line(String),
    /// A block in which a line needs those before it.
    Script(String),
}

/// The steps of a page, in their order. A block that is for no shell is refused, since nobody would run it.
pub(super) fn steps(page: &str) -> anyhow::Result<Vec<Step>> {
    let mut found = Vec::new();
    ensure!(page.matches("```").count() == page.matches("\n```").count(), "a fence within a line would be overlooked");
    // Every second part is within a fence.
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').context("a fence at the end")?;
        ensure!(language == "sh", "a block for `{language}` that no test runs: {text}");
        let lines: Vec<_> = text.lines().map(command).filter(|line| !line.is_empty()).collect();
        if lines.iter().all(|line| TYPED.iter().any(|program| line.starts_with(program))) {
            found.extend(lines.into_iter().map(|line| Step::Line(line.to_owned())));
        } else {
            found.push(Step::Script(text.to_owned()));
        }
    }
    Ok(found)
}

/// The blocks of a page that are for a shell, whatever else it shows.
pub(super) fn scripts(page: &str) -> Vec<&str> {
    page.split("\n```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n")).collect()
}

/// A line without its comment.
fn command(line: &str) -> &str {
    let end = if line.starts_with('#') { Some(0) } else { line.find(" # ") };
    line[..end.unwrap_or(line.len())].trim_end()
}

/// The first word of a text that is an id of this kind (`itm`).
pub(super) fn id<'a>(kind: &str, printed: &'a str) -> Option<&'a str> {
    let mut words = printed.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.find(|word| word.split_once('_').is_some_and(|(of, id)| of == kind && id.len() == ID_LENGTH))
}

/// A command with an id in the place of each `itm_…`: the first of its kind that was printed before.
pub(super) fn filled(command: &str, printed: &str) -> anyhow::Result<String> {
    let mut parts = command.split("_…");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let begins = filled.rfind(|letter: char| !letter.is_ascii_lowercase()).map_or(0, |before| before + 1);
        let kind = filled.split_off(begins);
        let id = id(&kind, printed).with_context(|| format!("{command}: nothing before it printed a {kind}_…"))?;
        filled += id;
        filled += part;
    }
    Ok(filled)
}

#[test]
fn lines_and_scripts_are_told_apart_and_ids_take_their_places() {
    let page =
        "# A page\n\n```sh\nmws up  # all of it\n# more\nmws get itm_… dlv_…\n```\n\n```sh\nA=1\nmws $A # b\n```\n";
    let typed = |line: &str| Step::Line(line.to_owned());
    let expected = [typed("mws up"), typed("mws get itm_… dlv_…"), Step::Script("A=1\nmws $A # b".to_owned())];
    assert_eq!(steps(page).unwrap_or_default(), expected);
    assert!(steps("\n```python\nprint()\n```\n").is_err(), "nobody would run it");
    assert!(steps("- a list\n  ```sh\n  mws up\n  ```\n").is_err(), "it would be overlooked");

    let mixed = "\n```ini\na=b\n```\n\n```sh\nmws up\n```\n";
    assert_eq!(scripts(mixed), ["mws up"]);

    let (item, delivery) = (format!("itm_{}", "1".repeat(26)), format!("dlv_{}", "2".repeat(26)));
    let printed = format!("ID\n{item}\titm_{}\n({delivery})", "3".repeat(26));
    assert_eq!(filled("mws get itm_… dlv_…", &printed).ok(), Some(format!("mws get {item} {delivery}")));
    assert!(filled("mws get whe_…", &printed).is_err(), "none was printed");
}
