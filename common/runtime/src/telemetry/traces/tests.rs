use super::*;

#[test]
fn a_collector_is_named_by_the_standard_variables_and_an_empty_one_is_none() {
    let found = |set: &[(&str, &str)]| {
        endpoint(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    let (common, own) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    assert_eq!(found(&[]), None);
    assert_eq!(found(&[(common, "")]), None);
    assert_eq!(found(&[(common, "http://c:4318/")]).as_deref(), Some("http://c:4318/v1/traces"));
    assert_eq!(found(&[(common, "http://c:4318"), (own, "http://d/x")]).as_deref(), Some("http://d/x"));
    assert_eq!(found(&[(own, "http://d/x"), ("OTEL_TRACES_EXPORTER", "none")]), None);
    assert_eq!(found(&[(own, "http://d/x"), ("OTEL_SDK_DISABLED", "TRUE")]), None);
}

#[test]
fn what_a_client_sends_bears_no_mark_of_ours() {
    assert_eq!(of_client(Some("00-a-b-01"), &[]).as_deref(), Some("00-a-b-01"));
    for wrong in ["00-a-b-01;mws=1795737752", "00-a-b-01;tracestate=a=1", &"x".repeat(129)] {
        assert_eq!(of_client(Some(wrong), &[]), None, "{wrong}");
    }
}

#[test]
fn a_tracestate_is_kept_whole_or_not_at_all() {
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let stored = |lines: &[&str]| of_client(Some(parent), lines).expect("the parent is kept whatever the state is");
    let kept = stored(&["rojo=00f067,,t61@v=x", " congo=a b "]);
    assert_eq!(kept, format!("{parent};tracestate=rojo=00f067,t61@v=x,congo=a b"));
    let longest = format!("a={},b={}", "x".repeat(254), "y".repeat(253));
    assert_eq!((longest.len(), stored(&[&longest])), (512, format!("{parent};tracestate={longest}")));
    let members = |many: usize| (0..many).map(|n| format!("k{n}=1")).collect::<Vec<_>>().join(",");
    assert!(stored(&[&members(32)]).ends_with("k31=1"));
    for dropped in ["", " , ", "a", "a=", "=1", "A=1", "a=1=2", "ok=1,a", &members(33), &format!("{longest}z")] {
        assert_eq!(stored(&[dropped]), parent, "{dropped}");
    }
    assert_eq!(of_client(None, &["a=1"]), None);
    assert_eq!(of_client(Some("nonsense"), &["a=1"]).as_deref(), Some("nonsense"));
}

#[test]
fn a_context_is_read_as_it_is_written_and_what_is_none_is_left_out() {
    let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let context = parsed(text, TraceState::NONE).unwrap();
    assert_eq!(context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
    assert!(context.is_sampled() && context.is_remote());
    assert!(parsed("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-later", TraceState::NONE).is_some());
    for wrong in [
        "",
        "00",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c8031-b7ad6b7169203331-01",
        "00-zzf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ] {
        assert!(parsed(wrong, TraceState::NONE).is_none(), "{wrong}");
    }
}
