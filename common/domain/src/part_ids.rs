//! The ids of a document's parts of one kind (contract §4.9), kept while operations change the parts: an id is found
//! without a look at all parts, however many are added.

use crate::document::MOST_ID_CHARACTERS;
use std::collections::{BTreeSet, HashSet};

/// The ids that a document's parts of one kind have.
#[derive(Debug, Clone)]
pub struct PartIds {
    /// The word for such a part. Ids that nobody chose begin with it: `card-1`.
    part: &'static str,
    taken: HashSet<String>,
    /// The numbers in those that look as if nobody chose them.
    numbers: HashSet<usize>,
    /// All numbers below `next` that no part has.
    free: BTreeSet<usize>,
    /// The first number that was not looked at: each one below it is in `numbers` or in `free`.
    next: usize,
}

impl PartIds {
    /// Returns the ids of these parts.
    pub fn of<'a>(part: &'static str, taken: impl Iterator<Item = &'a str>) -> Self {
        let mut ids = Self { part, taken: HashSet::new(), numbers: HashSet::new(), free: BTreeSet::new(), next: 1 };
        taken.for_each(|id| ids.take(id));
        ids
    }

    /// Returns the id that is asked for, or the first that is free. It stays free until it is taken.
    ///
    /// # Errors
    /// Why the id is malformed or taken, in words; `noun` is the word for the document.
    pub fn choose(&mut self, noun: &str, asked: Option<String>) -> Result<String, String> {
        let Some(id) = asked else { return Ok(self.first_free()) };
        let part = self.part;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if id.is_empty() || id.len() > MOST_ID_CHARACTERS || !id.chars().all(plain) {
            return Err(format!("`{part}_id`: expected 1 to {MOST_ID_CHARACTERS} letters, digits, `-` and `_`"));
        }
        if self.taken.contains(&id) { Err(format!("the {noun} has a {part} `{id}` already")) } else { Ok(id) }
    }

    /// Notes that a part has this id.
    pub fn take(&mut self, id: &str) {
        self.take_number(id);
        self.taken.insert(id.to_owned());
    }

    fn take_number(&mut self, id: &str) {
        if let Some(number) = self.number(id) {
            self.free.remove(&number);
            self.numbers.insert(number);
        }
    }

    /// Notes that no part has this id any more.
    pub fn release(&mut self, id: &str) {
        self.taken.remove(id);
        if let Some(number) = self.number(id)
            && self.numbers.remove(&number)
            && number < self.next
        {
            self.free.insert(number);
        }
    }

    fn first_free(&mut self) -> String {
        while self.numbers.contains(&self.next) {
            self.next += 1;
        }
        let number = self.free.first().unwrap_or(&self.next);
        format!("{}-{number}", self.part)
    }

    /// Returns the number in an id that nobody chose.
    fn number(&self, id: &str) -> Option<usize> {
        let digits = id.strip_prefix(self.part)?.strip_prefix('-')?;
        let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_plain { digits.parse().ok() } else { None }
    }
}

/// Gives the first free ids to parts whose ids are those of earlier parts. Equal ids come to equal results.
pub fn tell_apart(part: &'static str, ids: &mut [&mut String]) {
    let all: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    let mut seen = HashSet::new();
    let doubles: Vec<usize> =
        all.iter().enumerate().filter(|(_, id)| !seen.insert(**id)).map(|(place, _)| place).collect();
    if doubles.is_empty() {
        return;
    }
    let mut free = PartIds::of(part, all.into_iter());
    for place in doubles {
        let id = free.first_free();
        free.take(&id);
        *ids[place] = id;
    }
}

/// Returns the id that is asked for, or the first that is free. `taken` are the ids of the document's other parts of
/// this kind, all of which are looked at: [`PartIds`] does so once for many.
///
/// # Errors
/// Why the id is malformed or taken, in words.
pub fn free_id<'a>(
    noun: &str,
    part: &'static str,
    asked: Option<String>,
    taken: impl Iterator<Item = &'a str>,
) -> Result<String, String> {
    let mut ids = PartIds::of(part, std::iter::empty());
    match &asked {
        Some(id) => taken.filter(|other| other == id).for_each(|other| ids.take(other)),
        None => taken.for_each(|other| ids.take_number(other)),
    }
    ids.choose(noun, asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taken(ids: &mut PartIds, asked: Option<&str>) -> Result<String, String> {
        let id = ids.choose("board", asked.map(str::to_owned))?;
        ids.take(&id);
        Ok(id)
    }

    #[test]
    fn the_first_free_number_is_given_and_one_that_was_let_go_is_free_again() {
        let mut ids = PartIds::of("card", ["card-2", "card-04", "mine"].into_iter());
        for id in ["card-1", "card-3", "card-4"] {
            assert_eq!(taken(&mut ids, None).as_deref(), Ok(id));
        }
        ids.release("card-2");
        ids.release("card-1");
        assert_eq!(taken(&mut ids, Some("card-1")).as_deref(), Ok("card-1"));
        assert_eq!(taken(&mut ids, None).as_deref(), Ok("card-2"));
        assert_eq!(taken(&mut ids, None).as_deref(), Ok("card-5"));
        assert_eq!(taken(&mut ids, Some("mine")), Err("the board has a card `mine` already".to_owned()));
        for wrong in ["", "a b", &"x".repeat(MOST_ID_CHARACTERS + 1)] {
            assert!(taken(&mut ids, Some(wrong)).unwrap_err().starts_with("`card_id`: expected 1 to 64"), "{wrong}");
        }
    }

    #[test]
    fn an_id_alone_is_chosen_as_one_of_many_is() {
        let others = ["card-1", "card-3", "mine"];
        for asked in [None, Some("card-3"), Some("mine"), Some("card-2"), Some("card-"), Some("a b")] {
            let asked = || asked.map(str::to_owned);
            let of_many = PartIds::of("card", others.into_iter()).choose("board", asked());
            assert_eq!(free_id("board", "card", asked(), others.into_iter()), of_many, "{:?}", asked());
        }
        assert_eq!(free_id("board", "card", None, others.into_iter()).as_deref(), Ok("card-2"));
    }

    #[test]
    fn thousands_of_parts_get_their_ids_without_a_look_at_all_others_for_each() {
        // In pairs, these would be minutes of work.
        let mut ids = PartIds::of("card", std::iter::empty());
        for number in 1..=40_000 {
            assert_eq!(taken(&mut ids, None), Ok(format!("card-{number}")));
        }
    }

    proptest! {
        #[test]
        fn the_first_free_number_is_found_whatever_was_before(steps in prop::collection::vec(0_usize..12, 0..60)) {
            let (mut ids, mut kept) = (PartIds::of("card", std::iter::empty()), BTreeSet::new());
            for step in steps {
                let id = format!("card-{step}");
                if kept.remove(&id) {
                    ids.release(&id);
                } else if step % 2 == 0 {
                    ids.take(&id);
                    kept.insert(id);
                }
                let first = (1_usize..=100).map(|number| format!("card-{number}")).find(|id| !kept.contains(id));
                prop_assert_eq!(ids.choose("board", None).ok(), first.clone());
                if step % 3 == 0 {
                    let first = first.unwrap_or_default();
                    ids.take(&first);
                    kept.insert(first);
                }
            }
        }
    }
}
