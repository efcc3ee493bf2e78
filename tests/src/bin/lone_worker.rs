//! A worker as a process of its own, for tests that kill it with -9 (`world::processes`).

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    mws_tests::world::processes::be_a_worker().await
}
