//! `mws` as people and programs run it: the program itself, beside a real api.

mod admin_bulk;
mod admin_jobs;
mod admin_keys;
mod admin_webhooks;
mod demo;
mod detach;
mod doctor;
mod download;
mod errors;
mod health;
mod listen;
mod manual;
mod operator;
mod readme;
mod renders;
mod scenario;
mod settings;
mod top;
mod upload;
mod verify;
