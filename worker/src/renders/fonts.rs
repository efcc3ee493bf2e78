//! The fonts for letters in films and in pictures: the files of Debian's `fonts-dejavu-core`. No other font of the
//! machine is used, so that a text looks the same everywhere. `domain::letters` knows which letters they have.

use domain::lines::Family;
use std::path::{Path, PathBuf};

/// The folder in which Debian installs the fonts.
const FOLDER: &str = "/usr/share/fonts/truetype/dejavu";
/// Their files; a letter that one lacks is taken from those before it.
const FILES: [&str; 6] = [
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
    "DejaVuSerif.ttf",
    "DejaVuSerif-Bold.ttf",
];

/// Returns the paths of all font files.
pub(super) fn paths() -> impl Iterator<Item = PathBuf> {
    FILES.into_iter().map(|file| Path::new(FOLDER).join(file))
}

/// Returns the path of a family's font.
pub(super) fn of(family: Family) -> PathBuf {
    Path::new(FOLDER).join(match family {
        Family::Sans => FILES[0],
        Family::Mono => FILES[2],
        Family::Serif => FILES[4],
    })
}

/// Whether all font files exist.
pub(super) fn are_here() -> bool {
    paths().all(|path| path.is_file())
}
