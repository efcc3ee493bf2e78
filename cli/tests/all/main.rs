//! `mws` as people and programs run it: the program itself, beside a real api.

mod download;
mod listen;
mod scenario;
mod settings;
mod upload;
