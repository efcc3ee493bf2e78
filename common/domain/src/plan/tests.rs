//! The rules of `prepare_media`, one by one.

use super::*;

fn fleet() -> Fleet {
    Fleet {
        configured: Read::ALL.into_iter().collect(),
        paused: HashSet::new(),
        rates: Rates::default(),
        max_media_ms: 86_400_000,
    }
}

fn minute_of_video() -> KnownItem {
    KnownItem {
        id: ItemId::mint(),
        status: ItemStatus::Ready,
        duration_ms: 60_000,
        has_audio: true,
        has_video: true,
        leased: false,
        stored: HashSet::new(),
        owned: HashMap::new(),
    }
}

fn reason(item: &KnownItem, read: Read, fleet: &Fleet) -> Option<Reason> {
    match triage(item, &[read], fleet, JobId::mint).remove(0) {
        Triaged::Answered(Answer::Not(reason)) => Some(reason),
        _ => None,
    }
}

#[test]
fn answers_take_the_documented_precedence() {
    let live = LiveJob { id: JobId::mint(), estimate: Minutes::from_whole(1) };
    let mut item = minute_of_video();
    item.has_audio = false;
    item.leased = true;
    let mut fleet = fleet();
    fleet.configured.clear();
    item.stored.insert(Read::Levels);
    item.owned.insert(Read::Levels, live);
    assert_eq!(triage(&item, &[Read::Levels], &fleet, JobId::mint), [Triaged::Answered(Answer::Ready)]);
    item.stored.clear();
    let already = Answer::joined(live);
    assert_eq!(triage(&item, &[Read::Levels], &fleet, JobId::mint), [Triaged::Answered(already)]);
    item.owned.clear();
    assert_eq!(reason(&item, Read::Levels, &fleet), Some(Reason::NoAudio));
    item.has_audio = true;
    assert_eq!(reason(&item, Read::Levels, &fleet), Some(Reason::ReadingOnComputer));
    item.leased = false;
    fleet.paused.insert(Read::Levels);
    assert_eq!(reason(&item, Read::Levels, &fleet), Some(Reason::ReadsPaused));
    fleet.paused.clear();
    assert_eq!(reason(&item, Read::Levels, &fleet), Some(Reason::EngineNotConfigured));
}

#[test]
fn an_image_skips_all_six() {
    let image = KnownItem { has_audio: false, has_video: false, duration_ms: 0, ..minute_of_video() };
    for read in Read::ALL {
        let expected = if read == Read::SearchIndex { Reason::NotVideo } else { Reason::NoAudio };
        assert_eq!(reason(&image, read, &fleet()), Some(expected), "{read}");
    }
}

#[test]
fn beats_need_two_seconds_and_the_others_a_tenth() {
    let item = KnownItem { duration_ms: 1_999, ..minute_of_video() };
    assert_eq!(reason(&item, Read::Beats, &fleet()), Some(Reason::TooShort));
    assert_eq!(reason(&item, Read::Levels, &fleet()), None);
    let item = KnownItem { duration_ms: 99, ..minute_of_video() };
    assert_eq!(reason(&item, Read::Levels, &fleet()), Some(Reason::TooShort));
}

#[test]
fn an_item_that_is_not_ready_failed_or_is_too_long_is_refused() {
    let of = |status, duration_ms| KnownItem { status, duration_ms, ..minute_of_video() };
    assert_eq!(reason(&of(ItemStatus::Processing, 0), Read::Levels, &fleet()), Some(Reason::ItemNotReady));
    assert_eq!(reason(&of(ItemStatus::Failed, 0), Read::Levels, &fleet()), Some(Reason::ItemFailed));
    assert_eq!(reason(&of(ItemStatus::Ready, 86_400_001), Read::Levels, &fleet()), Some(Reason::TooLong));
    assert_eq!(reason(&of(ItemStatus::Ready, 86_400_000), Read::Levels, &fleet()), None);
}

fn candidates(item: &KnownItem, reads: &[Read]) -> Vec<Candidate> {
    triage(item, reads, &fleet(), JobId::mint)
        .into_iter()
        .filter_map(|one| match one {
            Triaged::Candidate(candidate) => Some(candidate),
            Triaged::Answered(_) => None,
        })
        .collect()
}

#[test]
fn speakers_pays_for_speech_only_where_no_one_else_does() {
    let rates = Rates::default();
    let mut item = minute_of_video();
    let alone = candidates(&item, &[Read::Speakers]);
    assert_eq!(alone[0].owns().collect::<Vec<_>>(), [Read::Speakers, Read::Speech]);
    assert_eq!(alone[0].price(&rates), Minutes::from_hundredths(75));
    let both = candidates(&item, &[Read::Speakers, Read::Speech]);
    let total: Minutes = both.iter().map(|candidate| candidate.price(&rates)).sum();
    assert_eq!((both.len(), total), (2, Minutes::from_hundredths(75)));
    item.stored.insert(Read::Speech);
    assert_eq!(candidates(&item, &[Read::Speakers])[0].price(&rates), Minutes::from_hundredths(50));
}

/// What an account has that may do ten things.
fn means() -> Means {
    Means { left: Minutes::from_whole(10), bought: Minutes::ZERO, credits: Credits::ZERO, room: 10, places: 20 }
}

/// A job that costs no minutes and so many hundredths of a credit.
fn of_a_model(credits: i64) -> Candidate {
    let credits = Credits::from_hundredths(credits);
    let job = JobId::mint();
    Candidate { job, item: None, task: Task::Render, with_speech: false, duration_ms: None, credits }
}

#[test]
fn jobs_are_held_in_both_units_and_none_starts_that_one_of_them_does_not_reach_for() {
    let mut both = candidates(&minute_of_video(), &[Read::Transcript]);
    both[0].credits = Credits::from_hundredths(40);
    let mut means = Means { left: Minutes::from_hundredths(150), credits: Credits::from_hundredths(100), ..means() };
    let asked = [both.clone(), vec![of_a_model(61), of_a_model(60)], both].concat();
    let decided = decide(asked, &mut means, &Rates::default());
    let held = |start: &Start| (start.held().hundredths(), start.held_credits.hundredths());
    let held: Vec<_> = decided.iter().map(|one| one.as_ref().map(held)).collect();
    let too_dear = Reason::InsufficientCredits { needs: Credits::from_hundredths(61) };
    let too_long = Reason::InsufficientMinutes { needs: Minutes::from_hundredths(100) };
    assert_eq!(held, [Ok((100, 40)), Err(&too_dear), Ok((0, 60)), Err(&too_long)]);
    assert_eq!((means.left, means.credits), (Minutes::from_hundredths(50), Credits::ZERO));
}

#[test]
fn jobs_start_in_order_while_the_minutes_reach_and_the_month_pays_first() {
    let item = minute_of_video();
    let asked = candidates(&item, &[Read::Levels, Read::Transcript, Read::SearchIndex, Read::Beats]);
    let mut means =
        Means { left: Minutes::from_hundredths(60), bought: Minutes::from_hundredths(80), places: 1, ..means() };
    let decided = decide(asked, &mut means, &Rates::default());
    let held: Vec<_> = decided
        .iter()
        .map(|one| one.as_ref().map(|start| (start.held_month.hundredths(), start.held_bought.hundredths())))
        .collect();
    let short = Reason::InsufficientMinutes { needs: Minutes::from_hundredths(100) };
    assert_eq!(held, [Ok((10, 0)), Ok((50, 50)), Err(&short), Ok((0, 25))]);
    let admitted: Vec<_> = decided.iter().flatten().map(|start| start.admitted).collect();
    assert_eq!(admitted, [true, false, false]);
    assert_eq!((means.left, means.bought), (Minutes::ZERO, Minutes::from_hundredths(5)));
}

#[test]
fn past_the_room_left_reads_are_refused_as_queue_full() {
    let asked = candidates(&minute_of_video(), &[Read::Levels, Read::Beats]);
    let mut means = Means { room: 1, ..means() };
    let decided = decide(asked, &mut means, &Rates::default());
    assert!(decided[0].is_ok());
    assert_eq!(decided[1], Err(Reason::QueueFull));
}
