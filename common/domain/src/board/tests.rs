//! Boards: what each operation changes, what is refused, and how large a board may be.

use super::*;
use crate::document::{OpList, edited};
use serde_json::{Value, json};

fn done(board: &Board, ops: &Value) -> Result<Board, String> {
    let (ops, mut cards) = (ops.as_array().expect("a list"), board.card_ids());
    let apply = |board: &mut Board, op| board.apply(op, &mut cards);
    edited(board, OpList::Ops, ops, apply).map_err(|error| error.to_string())
}

/// Its columns as `id: card card`.
fn shape(board: &Board) -> Vec<String> {
    let cards = |column: &Column| column.cards.iter().map(|card| card.id.as_str()).collect::<Vec<_>>().join(" ");
    board.columns.iter().map(|column| format!("{}: {}", column.id, cards(column))).collect()
}

fn two_columns() -> Board {
    done(
        &Board::default(),
        &json!([
            { "op": "add_column", "name": "To do" },
            { "op": "add_column", "column_id": "done", "name": "Done" },
            { "op": "add_card", "column_id": "column-1", "text": "cut" },
            { "op": "add_card", "column_id": "column-1", "text": "mix", "position": 0 },
            { "op": "add_card", "column_id": "done", "card_id": "brief", "due": "2026-12-01" },
        ]),
    )
    .expect("a board")
}

#[test]
fn cards_move_and_columns_too() {
    let board = two_columns();
    assert_eq!(shape(&board), ["column-1: card-2 card-1", "done: brief"]);
    let moved = done(
        &board,
        &json!([
            { "op": "move_card", "card_id": "card-1", "column_id": "done", "position": 0 },
            { "op": "move_card", "card_id": "card-1", "column_id": "done", "position": 99 },
            { "op": "update_column", "column_id": "done", "position": 0, "name": "Finished" },
            { "op": "remove_card", "card_id": "card-2" },
        ]),
    )
    .expect("moved");
    assert_eq!(shape(&moved), ["done: brief card-1", "column-1: "]);
    assert_eq!(moved.columns[0].name, "Finished");
    let gone = done(&moved, &json!([{ "op": "remove_column", "column_id": "done" }])).expect("removed");
    assert_eq!(shape(&gone), ["column-1: "]);
}

#[test]
fn a_new_card_has_an_id_of_its_own_whatever_the_order_of_the_others() {
    let new = json!({ "op": "add_card", "column_id": "done", "text": "new" });
    let board = done(&two_columns(), &json!([new, new])).expect("added");
    assert_eq!(shape(&board), ["column-1: card-2 card-1", "done: brief card-3 card-4"]);
    let one_less = json!({ "op": "remove_card", "card_id": "card-1" });
    let board = done(&board, &json!([one_less, new])).expect("an id that was let go");
    assert_eq!(shape(&board), ["column-1: card-2", "done: brief card-3 card-4 card-1"]);
    let column_less = json!({ "op": "remove_column", "column_id": "column-1" });
    let board = done(&board, &json!([column_less, new])).expect("so are those of a column");
    assert_eq!(shape(&board), ["done: brief card-3 card-4 card-1 card-2"]);
}

#[test]
fn stored_cards_that_have_one_id_are_told_apart_and_none_is_lost() {
    let card = |id: &str, text: &str| json!({ "id": id, "text": text });
    let stored = json!({ "columns": [
        { "id": "todo", "name": "To do", "cards": [card("card-2", "a"), card("card-1", "b")] },
        { "id": "todo", "name": "Done", "cards": [card("card-2", "c"), card("card-3", "d"), card("card-2", "e")] },
    ] });
    let read = || serde_json::from_value::<Board>(stored.clone()).expect("a board");
    assert_eq!(shape(&read()), ["todo: card-2 card-1", "column-1: card-4 card-3 card-5"]);
    assert_eq!(read(), read());
    let board = done(&read(), &json!([{ "op": "remove_card", "card_id": "card-4" }])).expect("removed");
    let kept: Vec<&str> =
        board.columns.iter().flat_map(|column| &column.cards).filter_map(|card| card.text.as_deref()).collect();
    assert_eq!(kept, ["a", "b", "d", "e"]);
    let written = serde_json::to_value(&board).expect("JSON");
    assert_eq!(serde_json::from_value::<Board>(written).expect("a board"), board, "it is as it stands from then on");
}

#[test]
fn a_card_keeps_what_an_update_does_not_name_and_loses_what_it_empties() {
    let ops = json!([
        { "op": "update_card", "card_id": "brief", "text": "the brief", "assignee": "Ada" },
        { "op": "update_card", "card_id": "brief", "text": "" },
    ]);
    let board = done(&two_columns(), &ops).expect("updated");
    let card = &board.columns[1].cards[0];
    assert_eq!((card.text.as_deref(), card.assignee.as_deref()), (None, Some("Ada")));
    assert_eq!(card.due, NaiveDate::from_ymd_opt(2026, 12, 1));
    let board = done(&board, &json!([{ "op": "update_card", "card_id": "brief", "due": "" }])).expect("updated");
    assert_eq!(board.columns[1].cards[0].due, None);
    let item = ItemId::mint();
    let about = |id: &str| json!([{ "op": "update_card", "card_id": "brief", "item_id": id }]);
    let board = done(&board, &about(&item.to_string())).expect("updated");
    assert_eq!(board.columns[1].cards[0].item, Some(item));
    let board = done(&board, &about("")).expect("updated");
    assert_eq!(board.columns[1].cards[0].item, None);
}

#[test]
fn what_can_not_be_done_changes_nothing_and_says_why() {
    let board = two_columns();
    for (op, said) in [
        (json!({ "op": "add_card", "column_id": "nowhere" }), "the board has no column `nowhere`"),
        (json!({ "op": "add_card", "column_id": "done", "card_id": "brief" }), "the board has a card `brief` already"),
        (json!({ "op": "add_column", "column_id": "a b", "name": "x" }), "letters, digits"),
        (json!({ "op": "add_column", "name": " \n" }), "`name`: expected 1 to 200 characters"),
        (json!({ "op": "move_card", "card_id": "no", "column_id": "done" }), "no card `no`"),
        (json!({ "op": "update_card", "card_id": "brief", "note": "x".repeat(5_001) }), "at most 5000"),
        (json!({ "op": "add_card", "column_id": "done", "due": "tomorrow" }), "`due`: expected a day such as"),
    ] {
        let first = json!({ "op": "remove_card", "card_id": "card-1" });
        let error = done(&board, &json!([first, op])).expect_err("refused");
        assert!(error.starts_with("`ops[1]`: ") && error.contains(said), "{error}");
    }
}

#[test]
fn a_board_is_bounded() {
    let columns: Vec<Value> = (0..MOST_COLUMNS).map(|_| json!({ "op": "add_column", "name": "c" })).collect();
    let full = done(&Board::default(), &columns.into()).expect("full");
    assert!(done(&full, &json!([{ "op": "add_column", "name": "c" }])).is_err_and(|said| said.contains("at most 50")));
    let mut board = Board { columns: vec![full.columns[0].clone()] };
    let mut cards = board.card_ids();
    for number in 0..MOST_CARDS {
        let op = json!({ "op": "add_card", "column_id": "column-1", "card_id": number.to_string() });
        board.apply(serde_json::from_value(op).expect("an operation"), &mut cards).expect("room");
    }
    let more = done(&board, &json!([{ "op": "add_card", "column_id": "column-1" }]));
    assert!(more.is_err_and(|said| said.contains("at most 1000 cards")));
}
