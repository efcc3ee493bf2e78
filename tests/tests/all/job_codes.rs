//! The codes that a job can end with: each is somebody's fault, and each is documented.

use anyhow::Context;
use domain::job::fault::FAULTS;
use std::path::Path;

#[test]
fn each_is_somebodys_fault_and_documented() -> anyhow::Result<()> {
    let read = |path: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path));
    let errors = read("worker/src/readers/error.rs")?;
    let mut codes: Vec<String> = Vec::new();
    for function in ["const fn code(", "const fn job_error_code("] {
        let body = errors.split_once(function).and_then(|(_, rest)| rest.split_once("\n    }\n")).context("no body")?.0;
        codes.extend(body.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    for path in ["worker/src/jobs/ends.rs", "scheduler/src/rescue_jobs.rs"] {
        let ends = read(path)?;
        let code = ends.split("code: \"").nth(1).and_then(|rest| rest.split('"').next()).context("no code")?;
        codes.push(code.to_owned());
    }
    codes.sort_unstable();
    codes.dedup();
    let mut known = FAULTS.map(|(code, _)| code);
    known.sort_unstable();
    assert_eq!(codes, known);
    let docs = format!("{}{}", read("docs/contract.md")?, read("docs/generation.md")?);
    assert!(codes.iter().all(|code| docs.contains(&format!("`{code}`"))), "{codes:?}");
    Ok(())
}
