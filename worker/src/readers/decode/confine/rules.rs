//! The Landlock ruleset of a confined child. The child may open what its program needs and its input, and write to a
//! folder of its own. It may open no other file, whoever owns it and whatever its mode.
//!
//! Rules are about files and folders as such, not about names, so they hold in the private root (`root`) as well as
//! outside. The ruleset is made before the child, which only has to apply it. It also forbids the network, and signals
//! and abstract sockets to processes outside, where the kernel can.

use super::Start;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The newest version of Landlock that is asked for.
const NEWEST: ABI = ABI::V6;
/// The folders that systems keep libraries in.
const LIBRARIES: [&str; 9] =
    ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store", "/gnu/store"];
/// Files that the dynamic loader reads.
const LOADER: [&str; 2] = ["/etc/ld.so.cache", "/etc/ld.so.preload"];
/// The models of the engines that run as children.
const MODELS: [&str; 3] = ["/usr/share/pocketsphinx", "/usr/share/tesseract-ocr", "/usr/share/apertium"];
/// Devices that hold nothing.
pub(super) const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];
/// Bytes of a program in which the name of its interpreter is looked for.
const FIRST_LINE: u64 = 256;

/// The ruleset of a child; an error when this kernel has no Landlock.
pub(super) fn ruleset(start: &Start<'_>) -> io::Result<OwnedFd> {
    let made = made(start).map_err(io::Error::other)?;
    Option::<OwnedFd>::from(made).ok_or_else(|| io::Error::from_raw_os_error(libc::EOPNOTSUPP))
}

fn made(start: &Start<'_>) -> Result<RulesetCreated, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for folder in LIBRARIES.iter().map(PathBuf::from).chain(beside(start.program)) {
        rules = allowed(rules, &folder, read | AccessFs::Execute)?;
    }
    for program in programs(start.program) {
        rules = allowed(rules, &program, AccessFs::ReadFile | AccessFs::Execute)?;
    }
    for file in LOADER {
        rules = allowed(rules, Path::new(file), AccessFs::ReadFile.into())?;
    }
    for device in DEVICES {
        rules = allowed(rules, Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    for models in MODELS {
        rules = allowed(rules, Path::new(models), read)?;
    }
    if let Some(input) = start.input {
        rules = rules.add_rule(PathBeneath::new(input.as_fd(), AccessFs::ReadFile))?;
    }
    if let Some(folder) = start.folder {
        let own = read | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::RemoveFile;
        rules = allowed(rules, folder, own)?;
    }
    Ok(rules)
}

/// Adds a rule for this path, if it exists.
fn allowed(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(path) {
        Ok(opened) => rules.add_rule(PathBeneath::new(opened, access)),
        Err(_) => Ok(rules),
    }
}

/// A program, and the interpreter that its first line names.
pub(super) fn programs(program: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let interpreter = interpreter(program).unwrap_or_default();
    [program.canonicalize().ok(), interpreter].into_iter().flatten()
}

fn interpreter(program: &Path) -> io::Result<Option<PathBuf>> {
    let mut first = Vec::new();
    File::open(program)?.take(FIRST_LINE).read_to_end(&mut first)?;
    let Some(line) = first.strip_prefix(b"#!") else { return Ok(None) };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let name = String::from_utf8_lossy(line).split_whitespace().next().map(PathBuf::from);
    name.map(|name| name.canonicalize()).transpose()
}

/// The folders of libraries beside the `bin` that a program is in.
pub(super) fn beside(program: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let program = program.canonicalize().unwrap_or_default();
    let prefix = program.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent).map(Path::to_owned);
    prefix
        .into_iter()
        .flat_map(|prefix| ["lib", "lib64"].map(|name| prefix.join(name)))
        .filter(|folder| folder.is_dir())
}
