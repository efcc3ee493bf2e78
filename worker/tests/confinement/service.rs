//! The service of a row: secrets, media of two tenants, sockets, a neighbour's decoder at work, and then the attack.

use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use worker::readers::{JobCtx, MediaLimits, MediaSource, MediaTools, NoDecoder, ReaderSettings};

/// What the neighbour's media begins with; its decoder then stays.
pub const NEIGHBOUR: &str = "VICTIM-TENANT PRIVATE MEDIA BYTES";
const SECRET: &str = "the-secret-of-the-service";

/// Runs a row, and prints what came of it.
pub fn run(umask: &str, namespaces: bool) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(u32::from_str_radix(umask, 8).unwrap()));
    runtime::process::close_to_others().unwrap();
    if !namespaces {
        forbid_namespaces();
    }
    let settings = ReaderSettings {
        ffprobe: Some(std::env::current_exe().unwrap()),
        limits: MediaLimits { streams: 1 << 20, ..MediaLimits::default() },
        ..ReaderSettings::default()
    };
    let full = ReaderSettings { confinement: runtime::config::Confinement::Full, ..settings.clone() };
    if let Err(NoDecoder::Unconfined { .. }) = MediaTools::found(&full) {
        println!("asked for full: refused");
    }
    let tools = match MediaTools::found(&settings) {
        Ok(tools) => std::sync::Arc::new(tools),
        Err(error) => {
            println!("level: refused\n{error}");
            return;
        }
    };
    println!("level: {}", tools.confinement().name());
    // The real ones need more of a system than the attacker does.
    match MediaTools::found(&ReaderSettings { confinement: tools.confinement(), ..ReaderSettings::default() }) {
        Ok(real) => println!("real: {}", real.confinement().name()),
        Err(error) => println!("real: {error}"),
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(attacked(tools));
}

/// Starts a neighbour's decoder, prints its number, and waits to be killed.
pub fn wait_with_a_decoder(media: &Path) {
    let settings = ReaderSettings { ffprobe: Some(std::env::current_exe().unwrap()), ..ReaderSettings::default() };
    let tools = std::sync::Arc::new(MediaTools::found(&settings).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ctx = JobCtx::new(Instant::now() + Duration::from_mins(2), CancellationToken::new());
    let media = media.to_owned();
    let decoding = runtime.spawn(async move { MediaSource::open(&media, &tools, &ctx).await.map(drop) });
    let program = std::env::current_exe().unwrap();
    loop {
        if let Some(pid) = child_of(std::process::id(), &program) {
            println!("{pid}");
            break;
        }
        assert!(!decoding.is_finished(), "the decoder ended");
        std::thread::yield_now();
    }
    let _ended = runtime.block_on(decoding);
}

/// Prints how long a confined ffprobe takes on a media, and one that is started as any program is, in milliseconds, by
/// turns.
pub fn measure(media: &Path) {
    let tools = std::sync::Arc::new(MediaTools::found(&ReaderSettings::default()).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (mut confined, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        let began = Instant::now();
        let ctx = JobCtx::new(began + Duration::from_mins(1), CancellationToken::new());
        runtime.block_on(MediaSource::open(media, &tools, &ctx)).unwrap();
        confined.push(began.elapsed());
        let began = Instant::now();
        let mut command = std::process::Command::new("ffprobe");
        command.args(["-v", "warning", "-print_format", "json", "-show_entries", "format:stream", "-i"]).arg(media);
        assert!(command.output().unwrap().status.success());
        bare.push(began.elapsed());
    }
    for (name, mut times) in [(tools.confinement().name(), confined), ("bare", bare)] {
        times.sort();
        println!("{name}: median {:?}, least {:?}", times[times.len() / 2], times[0]);
    }
}

/// As a container's default profile does.
fn forbid_namespaces() {
    use seccompiler::{SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule};
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
    ];
    let rules = || {
        let rule = |flag: &libc::c_int| {
            let flag = u64::from(flag.cast_unsigned());
            let asked = SeccompCmpOp::MaskedEq(flag);
            SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Dword, asked, flag).unwrap()]).unwrap()
        };
        flags.iter().map(rule).collect()
    };
    let calls = [(libc::SYS_clone, rules()), (libc::SYS_unshare, rules())].into_iter().collect();
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refuse, arch).unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter_all_threads(&filter).unwrap();
}

async fn attacked(tools: std::sync::Arc<MediaTools>) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    for secret in ["secrets.env", "credentials.json"] {
        fs::write(data.join(secret), SECRET).unwrap();
    }
    fs::DirBuilder::new().mode(0o700).create(data.join("run")).unwrap();
    let _database = UnixListener::bind(data.join("run/.s.PGSQL.5432")).unwrap();
    let name = format!("mws-attacked-{}", std::process::id());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    fs::write(data.join("victim"), NEIGHBOUR).unwrap();
    let ctx = JobCtx::new(Instant::now() + Duration::from_mins(2), CancellationToken::new());
    let neighbour = {
        let (path, tools, ctx) = (data.join("victim"), tools.clone(), ctx.clone());
        tokio::spawn(async move { MediaSource::open(&path, &tools, &ctx).await.map(drop) })
    };
    let program = std::env::current_exe().unwrap();
    let neighbours_pid = loop {
        if let Some(pid) = child_of(std::process::id(), &program) {
            break pid;
        }
        assert!(!neighbour.is_finished(), "the neighbour's decoder ended: {:?}", neighbour.await);
        tokio::task::yield_now().await;
    };
    let targets = serde_json::json!({
        "files": [data.join("secrets.env"), data.join("credentials.json"), data.join("victim"), "/etc/passwd", "/etc/shadow"],
        "folders": [data, "/tmp", "/etc", "/"],
        "sockets": [data.join("run/.s.PGSQL.5432")],
        "abstract": name,
        "port": tcp.local_addr().unwrap().port(),
        "processes": [std::process::id(), neighbours_pid, 1],
        "full": tools.confinement() == runtime::config::Confinement::Full,
    });
    fs::write(data.join("attack"), targets.to_string()).unwrap();
    match MediaSource::open(&data.join("attack"), &tools, &ctx).await {
        Ok(media) => tell(&media),
        Err(error) => println!("the attack ended in {error:?}"),
    }
    neighbour.abort();
    assert_eq!(fs::read_to_string(data.join("secrets.env")).unwrap(), SECRET);
}

/// What the attacker wrote into the streams' numbers, and what became of the codec's name that it gave.
fn tell(media: &MediaSource) {
    let streams = &media.probe().streams;
    let bytes: Vec<u8> = streams.iter().skip(1).flat_map(|stream| stream.index.to_le_bytes()).collect();
    println!("{}", String::from_utf8_lossy(&bytes).trim_end_matches('\0'));
    println!("codec: {}", streams[0].codec.as_deref().unwrap_or("none"));
}

/// The child of this process that runs the program, once it does.
fn child_of(parent: u32, program: &Path) -> Option<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut numbers = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|pid| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let is_child = status.lines().any(|line| line.split_whitespace().eq(["PPid:", &parent.to_string()]));
        // Before it is its program it has this process's arguments.
        is_child
            && line.starts_with(program.as_os_str().as_encoded_bytes())
            && line.windows(7).any(|part| part == b"warning")
    })
}
