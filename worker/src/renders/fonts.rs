//! The fonts that letters are drawn with in films and in pictures: those of Debian's `fonts-dejavu-core`, by their
//! files. No other font of the machine is looked for, so that one text looks the same everywhere. Which letters they
//! have is `domain::letters`'.

use domain::lines::Family;
use std::path::{Path, PathBuf};

/// The folder where Debian has them.
const FOLDER: &str = "/usr/share/fonts/truetype/dejavu";
/// Their files; what one lacks is taken from those before it.
const FILES: [&str; 6] = [
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSerif-Bold.ttf",
];

/// The paths of these files.
pub(super) fn paths() -> impl Iterator<Item = PathBuf> {
    FILES.into_iter().map(|file| Path::new(FOLDER).join(file))
}

/// The path of a family's font.
pub(super) fn of(family: Family) -> PathBuf {
    Path::new(FOLDER).join(match family {
        Family::Sans => FILES[0],
        Family::Mono => FILES[2],
        Family::Serif => FILES[4],
    })
}

/// Whether all of them are there.
pub(super) fn are_here() -> bool {
    paths().all(|path| path.is_file())
}
