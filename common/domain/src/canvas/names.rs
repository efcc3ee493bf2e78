//! What a brand kit has, by name. An edit or a render makes this once, as it may look up thousands of names.

use crate::brand_kit::BrandKit;
use crate::ids::ItemId;
use std::collections::HashMap;

/// The colours, fonts and logos of a brand kit, by their names in any case.
#[derive(Debug, Default)]
pub struct KitNames<'a> {
    colors: HashMap<String, &'a str>,
    fonts: HashMap<String, &'a str>,
    logos: HashMap<String, ItemId>,
}

impl<'a> KitNames<'a> {
    /// Returns those of this kit.
    pub fn of(kit: &'a BrandKit) -> Self {
        Self {
            colors: named(kit.colors.iter().map(|color| (&*color.name, &*color.hex))),
            fonts: named(kit.fonts.iter().map(|font| (&*font.name, &*font.family))),
            logos: named(kit.logos.iter().map(|logo| (&*logo.name, logo.item))),
        }
    }

    /// Returns the value of the colour of this name.
    pub(super) fn color(&self, name: &str) -> Option<&'a str> {
        self.colors.get(&lower(name)).copied()
    }

    /// Returns the family of the font of this name.
    pub(super) fn family(&self, name: &str) -> Option<&'a str> {
        self.fonts.get(&lower(name)).copied()
    }

    /// Returns the item of the logo of this name.
    pub(super) fn logo(&self, name: &str) -> Option<ItemId> {
        self.logos.get(&lower(name)).copied()
    }
}

fn lower(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Where several have one name, the first counts.
fn named<'a, V>(entries: impl Iterator<Item = (&'a str, V)>) -> HashMap<String, V> {
    let mut all = HashMap::new();
    for (name, value) in entries {
        all.entry(name.to_lowercase()).or_insert(value);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand_kit::Color;

    #[test]
    fn a_name_is_found_in_any_case_and_the_first_of_several_counts() {
        let color = |name: &str, hex: &str| Color { name: name.to_owned(), hex: hex.to_owned() };
        let colors = vec![color("ΛΟΓΟΣ", "#111111"), color("Deep Ink", "#222222"), color("deep ink", "#333333")];
        let kit = BrandKit { colors, ..BrandKit::default() };
        let names = KitNames::of(&kit);
        for (name, value) in [("λογος", Some("#111111")), (" DEEP INK ", Some("#222222")), ("ink", None)] {
            assert_eq!(names.color(name), value, "{name}");
        }
        assert_eq!((names.family("deep ink"), names.logo("deep ink")), (None, None));
    }
}
