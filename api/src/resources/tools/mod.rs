//! The tools: `POST /tools/<name>` with a JSON body, answered in the tool envelope (contract §4). Each family has a
//! file or a folder.

pub mod boards;
pub mod brand_kit;
pub mod calendar;
pub mod calling;
pub mod canvases;
mod caption_style;
pub mod comments;
pub mod dubs;
pub mod edits;
pub mod generation;
pub mod jobs;
pub mod library;
pub mod list;
mod making;
pub mod prepare_media;
pub mod public_links;
pub mod readings;
pub mod research;
pub mod search_footage;
pub mod session;
pub mod settings;
mod shown_items;
pub mod skills;
pub mod stored_read;
pub mod templates;
pub mod timelines;
mod written;
