//! The private root of a confined child: an empty file system in memory with the system's libraries, its program, three
//! devices, its own entry of `/proc` and its folder in it. Names that are not there can't even be looked at.
//!
//! The steps are decided here, before the child is made; the child takes them one by one (`steps`) in a mount namespace
//! of its own, so that nothing is seen outside, and all is gone with the child.

use super::Start;
use super::rules::{DEVICES, beside, programs};
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders of the system, or links to one.
const SYSTEM: [&str; 9] = ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix", "/gnu"];
/// Files that lead to libraries: the loader's list, and the links by which Debian chooses among them.
const LOADER: [&str; 3] = ["/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/alternatives"];
/// The path of a child's own folder.
pub(super) const WORK: &str = "/work";
/// Folders on which the new root may be mounted until it is the root: nothing in them is taken into it.
const PLACES: [&str; 5] = ["/sys", "/mnt", "/srv", "/media", "/run"];

/// A step in making the root. Paths are those in the old root.
#[derive(Debug)]
pub(super) enum Step {
    /// Makes a folder, unless it is there.
    Folder(CString),
    /// Makes an empty file, unless it is there.
    File(CString),
    /// Makes a link, the second path, to the first.
    Link(CString, CString),
    /// Binds the first path to the second, with all that is mounted in it.
    Bind(CString, CString),
}

/// The instructions to make a root.
#[derive(Debug)]
pub(super) struct Root {
    /// The folder that it is mounted on at first.
    pub(super) place: CString,
    /// The steps that fill it.
    pub(super) steps: Vec<Step>,
}

impl Root {
    /// Returns the root for this child.
    pub(super) fn of(start: &Start<'_>) -> io::Result<Self> {
        let folder = start.folder.map(Path::canonicalize).transpose()?;
        let place = place_beside(start.program, folder.as_deref())?;
        let mut making = Making { place, steps: Vec::new() };
        for path in SYSTEM.map(Path::new) {
            making.as_it_is(path)?;
        }
        for path in LOADER.map(Path::new) {
            making.file_or_folder(path)?;
        }
        for path in DEVICES.map(Path::new) {
            making.file_or_folder(path)?;
        }
        let others = programs(start.program).chain(beside(start.program));
        for path in others.filter(|path| !SYSTEM.iter().any(|known| path.starts_with(known))) {
            making.file_or_folder(&path)?;
        }
        making.folders(Path::new("/proc/self"))?;
        making.bind(Path::new("/proc/self"), Path::new("/proc/self"))?;
        making.folders(Path::new(WORK))?;
        if let Some(folder) = &folder {
            making.bind(folder, Path::new(WORK))?;
        }
        Ok(Self { place: text(place)?, steps: making.steps })
    }
}

/// Where the new root may be mounted for a program and a folder.
fn place_beside(program: &Path, folder: Option<&Path>) -> io::Result<&'static Path> {
    let mut places = PLACES.iter().map(Path::new);
    let place = places.find(|place| {
        place.is_dir() && !program.starts_with(place) && !folder.is_some_and(|folder| folder.starts_with(place))
    });
    place.ok_or_else(|| io::Error::other("there is no folder to mount a new root on"))
}

struct Making<'a> {
    place: &'a Path,
    steps: Vec<Step>,
}

impl Making<'_> {
    /// Returns where a path of the new root is before it is the root.
    fn inside(&self, path: &Path) -> PathBuf {
        self.place.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Adds a folder of the system, or a link to one.
    fn as_it_is(&mut self, path: &Path) -> io::Result<()> {
        match path.read_link() {
            Ok(target) => self.steps.push(Step::Link(text(&target)?, text(&self.inside(path))?)),
            Err(_) => self.file_or_folder(path)?,
        }
        Ok(())
    }

    /// Adds the file or folder at this path, if there is one.
    fn file_or_folder(&mut self, path: &Path) -> io::Result<()> {
        let Ok(found) = path.metadata() else { return Ok(()) };
        if found.is_dir() {
            self.folders(path)?;
        } else {
            self.folders(path.parent().unwrap_or(path))?;
            self.steps.push(Step::File(text(&self.inside(path))?));
        }
        self.bind(path, path)
    }

    /// Adds a folder, with those above it.
    fn folders(&mut self, path: &Path) -> io::Result<()> {
        let mut above: Vec<&Path> = path.ancestors().filter(|folder| folder.parent().is_some()).collect();
        above.reverse();
        for folder in above {
            self.steps.push(Step::Folder(text(&self.inside(folder))?));
        }
        Ok(())
    }

    fn bind(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.steps.push(Step::Bind(text(from)?, text(&self.inside(to))?));
        Ok(())
    }
}

/// Returns a path as a C string.
pub(super) fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}
