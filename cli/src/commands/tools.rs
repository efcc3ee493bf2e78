//! `mws tools`: lists the service's tools, and calls any of them.

use super::Context;
use super::api::input;
use crate::client::{ApiRequest, part};
use crate::failure::Failure;
use crate::output::{Column, document};
use clap::Subcommand;
use reqwest::Method;
use serde_json::json;

const COLUMNS: [Column; 4] = [
    Column::new("NAME", "/name"),
    Column::new("TAG", "/tag"),
    Column::new("CLOUD", "/cloud"),
    Column::new("DESCRIPTION", "/description"),
];

/// Commands about tools.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the tools.
    List,
    /// Call a tool and print its whole answer.
    #[command(after_help = "Example:
  echo '{\"job_ids\":[\"job_01J…\"]}' | mws tools call get_jobs --input -")]
    Call {
        /// The tool's name.
        name: String,
        /// File with the JSON arguments; - for standard input. Without it: no arguments.
        #[arg(long, value_name = "FILE")]
        input: Option<String>,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::List => {
            let answer = context.client.get("/tools").await?;
            let list = if answer["data"].is_array() { answer } else { json!({ "data": answer["tools"] }) };
            context.out.list(&list, "name", &COLUMNS)
        }
        Command::Call { name, input: from } => {
            let arguments = input(from.as_deref())?.unwrap_or_else(|| json!({}));
            let path = format!("/tools/{}", part(&name));
            let call = ApiRequest { method: Method::POST, path: &path, body: Some(&arguments), headers: &[] };
            document(&context.client.call(call).await?)
        }
    }
}
