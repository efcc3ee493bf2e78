//! The lines of documents that other programs wrote.

/// Returns the lines of a document. Each ends with a line feed, a carriage return, or both, as `WebVTT` has it.
/// Carriage returns before a line feed are its own, however many a program has put there.
pub(crate) fn lines_of(document: &str) -> impl Iterator<Item = &str> {
    document.split('\n').flat_map(|line| line.trim_end_matches('\r').split('\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_end_ends_one_line() {
        let lines = |document: &'static str| lines_of(document).collect::<Vec<_>>();
        for ends in ["a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc", "a\rb\n\nc\r", "a\r\r\nb\r\r\n\r\r\nc"] {
            assert_eq!(lines(ends), ["a", "b", "", "c"], "{ends:?}");
        }
    }
}
