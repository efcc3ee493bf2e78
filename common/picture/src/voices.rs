//! The look of each speaker: a colour, a pattern and a letter, any two of which tell speakers apart.

/// How one speaker is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The colour in a picture; dark enough for white letters (4.5:1).
    pub color: &'static str,
    /// The pattern over the colour, as the SVG content of a tile of 8 × 8; empty for a plain one.
    pub tile: &'static str,
    /// The colour's ANSI code in a terminal.
    pub terminal: &'static str,
}

const LOOKS: [Look; 6] = [
    Look { color: "#0b5fae", tile: "", terminal: "34" },
    Look { color: "#a3401b", tile: r#"<path d="M-2 2 2-2M0 8 8 0M6 10l4-4"/>"#, terminal: "31" },
    Look { color: "#1f6b3a", tile: r#"<circle cx="4" cy="4" r="1.2"/>"#, terminal: "32" },
    Look { color: "#6c3483", tile: r#"<path d="M0 4h8"/>"#, terminal: "35" },
    Look { color: "#7a5c00", tile: r#"<path d="M4 0v8"/>"#, terminal: "33" },
    Look { color: "#00646b", tile: r#"<path d="M0 4h8M4 0v8"/>"#, terminal: "36" },
];

/// Returns the look of a speaker by number. The seventh has the look of the first, but another letter.
pub fn look(number: usize) -> Look {
    LOOKS[number % LOOKS.len()]
}

/// Returns all looks with their numbers, to define them in a picture.
pub fn looks() -> impl Iterator<Item = (usize, Look)> {
    LOOKS.into_iter().enumerate()
}
