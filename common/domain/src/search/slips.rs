//! How far a word is from another that is spelled nearly alike.

/// Returns the edit distance of two words, in slips; none when it is too large for their length, or one has fewer than
/// four letters. A slip is one letter added, left out or replaced, or two neighbours that changed places.
pub(super) fn slips(one: &str, other: &str) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let allowed = match one.len().min(other.len()) {
        0..4 => return None,
        4..8 => 1,
        _ => 2,
    };
    if one.len().abs_diff(other.len()) > allowed {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, its) in other.iter().enumerate() {
            let wrong = row[j] + usize::from(letter != its);
            let mut least = wrong.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *its {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|slips| *slips <= allowed)
}
