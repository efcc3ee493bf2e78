//! `mws boards`: columns of cards about items.

use super::Context;
use super::api::input;
use super::confirm::confirm;
use super::documents::Based;
use super::pages::{Pages, of_tool};
use super::without_nulls;
use crate::failure::Failure;
use crate::output::{Column, plain, print};
use clap::Subcommand;
use serde_json::{Value, json};

const COLUMNS: [Column; 6] = [
    Column::new("ID", "/id"),
    Column::new("NAME", "/name"),
    Column::new("COLUMNS", "/columns"),
    Column::new("CARDS", "/cards"),
    Column::new("REVISION", "/revision"),
    Column::new("CHANGED", "/updated_at"),
];

/// Commands about boards.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the workspace's boards, newest first.
    List(Pages),
    /// Create a board without columns.
    Create {
        /// The board's name.
        name: String,
    },
    /// Show a board with its cards.
    Show {
        /// Its id.
        id: String,
    },
    /// Change a board: a JSON list of operations, all done or none.
    #[command(after_help = "Operations, with what each needs; the rest may be left out:
  add_column     name (column_id, position)
  update_column  column_id (name, position)
  remove_column  column_id
  add_card       column_id (card_id, position, ref, text, note, assignee, due)
  move_card      card_id, column_id (position)
  update_card    card_id (ref, text, note, assignee, due)
  remove_card    card_id

Example:
  echo '[{\"op\":\"add_column\",\"name\":\"To do\"}]' | mws boards edit brd_01J… --input -")]
    Edit {
        /// Its id.
        id: String,
        /// File with the operations; - for standard input.
        #[arg(long, value_name = "FILE", required_unless_present = "name")]
        input: Option<String>,
        /// A new name.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        based: Based,
    },
    /// Undo the latest change of a board.
    Undo {
        /// Its id.
        id: String,
        #[command(flatten)]
        based: Based,
    },
    /// Delete a board. Items that its cards are about stay.
    Delete {
        /// Its id.
        id: String,
    },
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let client = &context.client;
    match command {
        Command::List(pages) => {
            let list = of_tool(context, "list_boards", "boards", json!({}), pages).await?;
            context.out.list(&list, "id", &COLUMNS)
        }
        Command::Create { name } => print_board(context, &client.tool("create_board", &json!({ "name": name })).await?),
        Command::Show { id } => print_board(context, &client.tool("get_board", &json!({ "board_id": id })).await?),
        Command::Edit { id, input: from, name, based: Based { if_revision } } => {
            let ops = input(from.as_deref())?;
            let edit = json!({ "board_id": id, "ops": ops, "name": name, "if_revision": if_revision });
            print_board(context, &client.tool("edit_board", &without_nulls(edit)).await?)
        }
        Command::Undo { id, based: Based { if_revision } } => {
            let undo = without_nulls(json!({ "board_id": id, "if_revision": if_revision }));
            print_board(context, &client.tool("undo_board", &undo).await?)
        }
        Command::Delete { id } => {
            confirm(context, &format!("Delete the board {id}?"))?;
            let deleted = client.tool("delete_board", &json!({ "board_id": id })).await?;
            context.out.done(&deleted, &format!("Deleted {id}."))
        }
    }
}

/// Prints the board as text: a line for each column, and below it a line for each of its cards.
fn print_board(context: &Context, answer: &Value) -> Result<(), Failure> {
    let board = &answer["board"];
    if !context.out.in_words() {
        return context.out.record(board, "id", &[]);
    }
    let mut lines = vec![format!("{}  {}  revision {}", plain(&board["id"]), plain(&board["name"]), board["revision"])];
    for column in board["columns"].as_array().into_iter().flatten() {
        lines.push(format!("{}  ({})", plain(&column["name"]), plain(&column["id"])));
        for card in column["cards"].as_array().into_iter().flatten() {
            let item = if card["item_deleted"] == true { "deleted item".to_owned() } else { plain(&card["ref"]) };
            let parts = [plain(&card["id"]), item, plain(&card["text"]), plain(&card["assignee"]), plain(&card["due"])];
            lines.push(format!(
                "  {}",
                parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
            ));
        }
    }
    print(&lines.join("\n"))
}
