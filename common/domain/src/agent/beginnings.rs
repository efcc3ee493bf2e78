//! Which footage is shown from its beginning where no word is found, and which stretches of it.

use super::cutting::MOST_READ;
use super::library::Item;
use super::memory::Memory;
use super::moments::{Moment, SHORTEST_MS, Stretch};

impl Memory {
    /// Returns the footage that is shown from its beginning if no word is found: that which the brief names, or all if
    /// it names nothing to look for. Where something is to be left out, it is footage that was to be read.
    pub(super) fn shown_from_beginning(&self) -> Vec<&Item> {
        let takes_all = self.wishes.words.is_empty();
        let named = self.footage.iter().filter(|item| takes_all || self.among.contains(&item.id));
        let most = if self.wishes.left_out().is_empty() { usize::MAX } else { MOST_READ };
        named.take(self.most_beginnings().min(most)).collect()
    }

    /// Returns how many of the shortest scenes a film has room for.
    fn most_beginnings(&self) -> usize {
        usize::try_from(self.length_ms() / SHORTEST_MS).unwrap_or(1).max(1)
    }

    /// Returns the beginnings of the footage that is shown from its beginning, without what is left out.
    pub(super) fn beginnings(&self) -> Vec<Moment> {
        let named = self.shown_from_beginning();
        let mut missing = self.length_ms();
        let mut moments = Vec::new();
        for (place, item) in named.iter().enumerate() {
            let rest = i64::try_from(named.len() - place).unwrap_or(1);
            for (start, end) in self.beginning(item, (missing / rest).min(item.ms)) {
                missing -= end - start;
                moments.push(Moment { item: item.id.clone(), start, end, text: String::new(), silent: 0 });
            }
        }
        moments.retain(|moment| moment.ms() > 0);
        moments.truncate(self.most_beginnings());
        moments
    }

    /// Returns the first stretch of an item that lasts so long without what is left out, or as many shorter ones as are
    /// needed.
    fn beginning(&self, item: &Item, ms: i64) -> Vec<Stretch> {
        let apart = self.apart.get(&item.id).map(Vec::as_slice).unwrap_or_default();
        let starts = std::iter::once(0).chain(apart.iter().map(|one| one.1));
        let free = starts.zip(apart.iter().map(|one| one.0).chain([item.ms]));
        let free: Vec<Stretch> = free.filter(|(start, end)| end - start >= SHORTEST_MS.min(item.ms)).collect();
        if let Some((start, _)) = free.iter().find(|(start, end)| end - start >= ms) {
            return vec![(*start, start + ms)];
        }
        let mut left = ms;
        let parts = free.into_iter().map(|(start, end)| {
            let part = (end - start).min(left);
            left -= part;
            (start, start + part)
        });
        parts.filter(|(start, end)| end - start >= SHORTEST_MS).collect()
    }
}
