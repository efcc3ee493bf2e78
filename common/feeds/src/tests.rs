//! Feeds and pages become posts, and hostile ones end.

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).expect("a URL")
}

fn feed(text: &str) -> Vec<Post> {
    match found(text.as_bytes(), Some("application/xml"), &url("https://a.example/feed"), 50) {
        Ok(FoundPosts::Feed(posts)) => posts,
        other => panic!("no feed: {other:?}"),
    }
}

const RSS: &str = r#"<?xml version="1.0"?>
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>River</title>
<item><title>Low &amp; slow</title><link>https://a.example/one?utm_source=x&amp;id=7#top</link>
<description>&lt;p&gt;First&lt;br&gt;second &lt;b&gt;bold&lt;/b&gt;&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</description>
<author>ada@a.example (Ada)</author><pubDate>Tue, 24 Nov 2026 09:30:00 GMT</pubDate>
<enclosure url="https://a.example/one.mp3" length="9" type="audio/mpeg"/></item>
<item><title>Nowhere</title></item>
</channel></rss>"#;

#[test]
fn a_feed_is_read_as_plain_posts() {
    let posts = feed(RSS);
    assert_eq!(posts.len(), 1, "what leads nowhere is no post");
    let post = &posts[0];
    assert_eq!(post.url.as_str(), "https://a.example/one?id=7");
    assert_eq!(post.title.as_deref(), Some("Low & slow"));
    assert_eq!(post.text, "First\nsecond bold");
    assert_eq!(post.published_at.map(|time| time.to_rfc3339()).as_deref(), Some("2026-11-24T09:30:00+00:00"));
    let media: Vec<_> = post.media.iter().map(|link| (link.url.as_str(), link.content_type.as_deref())).collect();
    assert_eq!(media, [("https://a.example/one.mp3", Some("audio/mpeg"))]);
}

#[test]
fn atom_and_json_feeds_are_read_and_relative_links_lead_on() {
    let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>a</title><id>urn:a</id><updated>2026-11-24T00:00:00Z</updated>
        <entry><id>urn:1</id><title>One</title><link href="/one"/><updated>2026-11-24T00:00:00Z</updated>
        <author><name>Ada</name></author><summary>Short.</summary></entry></feed>"#;
    let posts = feed(atom);
    assert_eq!((posts[0].url.as_str(), posts[0].author.as_deref()), ("https://a.example/one", Some("Ada")));
    let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"a","items":[
        {"id":"1","url":"https://a.example/1","title":"One","content_html":"<p>Hello</p>"},
        {"id":"2","url":"javascript:alert(1)","title":"Two","content_text":"x"}]}"#;
    let posts = feed(json);
    assert_eq!((posts.len(), posts[0].text.as_str()), (1, "Hello"));
}

#[test]
fn a_page_says_what_it_is_and_speaks_for_no_other() {
    let page = r#"<!doctype html><html><head><title>Plain</title>
        <meta property="og:title" content="The &quot;river&quot;"><meta name="description" content="Of <b>water</b>.">
        <meta property="og:url" content="https://evil.example/x"><link rel="canonical" href="/one">
        <meta property="og:image" content="/still.jpg"><meta property="og:video" content="https://p.example/player">
        <meta property="og:video:type" content="text/html"><meta property="article:published_time" content="2026-11-24T09:30:00Z">
        <link rel="alternate" type="application/json+oembed" href="/oembed?u=1">
        </head><body><script>document.write('<title>no</title><meta property="og:title" content="no">')</script></body></html>"#;
    let found = found(page.as_bytes(), Some("text/html; charset=utf-8"), &url("https://a.example/p?id=1"), 50);
    let Ok(FoundPosts::Page(post, more)) = found else { panic!("no page: {found:?}") };
    assert_eq!(post.title.as_deref(), Some("The \"river\""));
    assert_eq!(post.url.as_str(), "https://a.example/p?id=1", "a page of another host is not believed");
    assert_eq!(post.text, "Of water.");
    let media: Vec<_> = post.media.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(media, ["https://a.example/still.jpg"]);
    assert_eq!(more.as_ref().map(Url::as_str), Some("https://a.example/oembed?u=1"));
    let embedded = embed(br#"{"author_name":"Ada <i>L</i>","title":"x","html":"<script>"}"#).expect("an embed");
    assert_eq!(embedded.author.as_deref(), Some("Ada L"));
    assert_eq!(embed(b"[1]"), None);
}

#[test]
fn what_is_neither_says_so_and_what_is_hostile_ends() {
    let at = url("https://a.example/");
    assert_eq!(found(b"hello", Some("text/plain"), &at, 9), Err(FeedError::Neither));
    assert_eq!(found(b"<html><body>x</body></html>", Some("text/html"), &at, 9), Err(FeedError::Empty));
    assert_eq!(found(b"<rss><channel><item>", Some("text/xml"), &at, 9).map(|_| ()).err(), Some(FeedError::Broken));
    let laughs = r#"<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
        <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><rss version="2.0"><channel><title>x</title>
        <item><link>https://a.example/1</link><title>&c;</title></item></channel></rss>"#;
    // Ten thousand millions of letters, where somebody writes them out.
    let entity = |number: usize| {
        let inner = format!("&l{};", number - 1).repeat(10);
        format!("<!ENTITY l{number} \"{inner}\">")
    };
    let entities = (1..=9).map(entity).collect::<Vec<_>>().concat();
    let billions = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY l0 \"aaaaaaaaaa\">{entities}]><rss version=\"2.0\"><channel>\
         <title>x</title><item><link>https://a.example/1</link><title>&l9;</title></item></channel></rss>"
    );
    for laughs in [laughs, billions.as_str()] {
        if let Ok(FoundPosts::Feed(posts)) = found(laughs.as_bytes(), None, &at, 9) {
            assert!(posts.iter().all(|post| post.title.as_deref().is_none_or(|title| title.len() < 100)), "{posts:?}");
        }
    }
    let deep = format!("<html><head><title>t</title></head>{}", "<div>".repeat(300_000));
    assert!(matches!(found(deep.as_bytes(), Some("text/html"), &at, 9), Ok(FoundPosts::Page(..))));
    let nested = format!("<rss version=\"2.0\"><channel>{}", "<a>".repeat(200_000));
    assert!(found(nested.as_bytes(), None, &at, 9).is_err());
    let item = "<item><link>https://a.example/1</link><title>t</title></item>";
    let feed = |many| format!("<rss version=\"2.0\"><channel><title>x</title>{}</channel></rss>", item.repeat(many));
    assert!(matches!(found(feed(1_900).as_bytes(), None, &at, 50), Ok(FoundPosts::Feed(posts)) if posts.len() == 50));
    assert_eq!(found(feed(9_000).as_bytes(), None, &at, 50), Err(FeedError::TooLong));
    let json = format!(r#"{{"version":"https://jsonfeed.org/version/1.1","items":[{}{{}}]}}"#, "{},".repeat(11_000));
    assert_eq!(found(json.as_bytes(), None, &at, 50), Err(FeedError::TooLong));
    let entry = r#"{"id":"1","url":"https://a.example/1","title":"t","authors":[{"name":"A"}],"attachments":[]},"#;
    let head = r#"{"version":"https://jsonfeed.org/version/1.1","title":"x","items":["#;
    let usual = format!("{head}{}]}}", entry.repeat(1_500).trim_end_matches(','));
    assert!(matches!(found(usual.as_bytes(), None, &at, 50), Ok(FoundPosts::Feed(posts)) if posts.len() == 50));
    let prefixed = format!("<rdf:RDF xmlns:a=\"x\">{}", "<a:item/>".repeat(9_000));
    assert_eq!(found(prefixed.as_bytes(), None, &at, 50), Err(FeedError::TooLong));
    let wordy = format!("<p>{}</p>", "word ".repeat(100_000));
    assert_eq!(html::plain(&wordy, MOST_TEXT_CHARACTERS).chars().count(), MOST_TEXT_CHARACTERS);
}

#[test]
fn of_a_long_body_the_beginning_is_read_and_of_a_head_without_end_what_a_head_may_have() {
    let text = |page: &str| {
        let read = found(page.as_bytes(), Some("text/html"), &url("https://a.example/"), 9);
        let Ok(FoundPosts::Page(post, _)) = read else { panic!("no page: {read:?}") };
        post.text
    };
    let described = |tags: usize, between: &str| {
        let tags = "<b>x</b>".repeat(tags / 2);
        format!("<html><head><title>t</title>{between}{tags}<meta name=description content=said>")
    };
    for (tags, between, said) in [
        (1_000, "</head><body>", "said"),
        (200_000, "</head><body>", ""),
        (200_000, "<body>", ""),
        (10_000, "", "said"),
        (200_000, "", ""),
        // Text has no tags, and is read as long as a head may be.
        (0, &"x".repeat(500_000), "said"),
        (0, &"x".repeat(550_000), ""),
    ] {
        assert_eq!(text(&described(tags, between)), said, "{tags} tags behind `{between}`");
    }
}

#[test]
fn a_tag_of_very_many_attributes_costs_no_more_than_a_long_page() {
    let attributes = (0..100_000).map(|number| format!(" a{number}=1")).collect::<Vec<_>>().concat();
    let began = std::time::Instant::now();
    let page = format!("<html><head><title>t</title><meta{attributes}><meta name=description content=late></head>");
    let read = found(page.as_bytes(), Some("text/html"), &url("https://a.example/"), 9);
    let Ok(FoundPosts::Page(post, _)) = read else { panic!("no page: {read:?}") };
    assert_eq!((post.title.as_deref(), post.text.as_str()), (Some("t"), ""), "what stands before it is read");
    assert_eq!(html::plain(&format!("<p>before</p><i{attributes}>after</i>"), 99), "before");
    assert!(began.elapsed().as_secs() < 40, "it took {:?}; comparing all with all took a minute", began.elapsed());
    let image = format!("<p>one</p><img src=\"data:image/png;base64,{}\"><p>two</p>", "iVBORw0KGgo+/".repeat(10_000));
    assert!(html::plain(&image, 99).starts_with("one"));
    let usual = format!("<p>one</p><!-- {} --><p>two</p>", "some words ".repeat(1_000));
    assert_eq!(html::plain(&usual, 99), "one\ntwo");
}

#[test]
fn what_has_very_many_entities_is_not_read_to_its_end() {
    let at = url("https://a.example/");
    let feed = |entity: &str, many| {
        let text = entity.repeat(many);
        let item =
            format!("<item><link>https://a.example/1</link><title>t</title><description>{text}</description></item>");
        format!("<rss version=\"2.0\"><channel><title>x</title>{item}</channel></rss>")
    };
    for entity in ["&a;", "&amp;lt;", "&#65;"] {
        let hostile = feed(entity, MOST_ENTITIES + 1);
        assert_eq!(found(hostile.as_bytes(), None, &at, 50), Err(FeedError::TooLong), "{entity}");
    }
    let usual = feed("&lt;b&gt;a word&lt;/b&gt; ", 10_000);
    let Ok(FoundPosts::Feed(posts)) = found(usual.as_bytes(), None, &at, 50) else { panic!("no feed") };
    assert_eq!(posts[0].text.chars().count(), MOST_TEXT_CHARACTERS);
    let entities = "&amp;".repeat(MOST_ENTITIES + html::CHUNK);
    let page = |entities: &str| {
        let meta = "<meta name=description content=late>";
        format!("<html><head><title>t</title><meta name=x content=\"{entities}\">{meta}</head>")
    };
    for (entities, text) in [("&amp;".repeat(9), "late"), (entities, "")] {
        let read = found(page(&entities).as_bytes(), Some("text/html"), &at, 9);
        let Ok(FoundPosts::Page(post, _)) = read else { panic!("no page: {read:?}") };
        assert_eq!((post.title.as_deref(), &*post.text), (Some("t"), text), "what stands before them is read");
    }
}

#[test]
fn a_text_is_read_until_there_is_enough_of_it() {
    let long = format!("<p>{}</p>", "word <i>by</i> word ".repeat(500_000));
    let took = || {
        let began = std::time::Instant::now();
        assert_eq!(html::plain(&long, 10).chars().count(), 10);
        began.elapsed()
    };
    // The shortest of five: a busy machine does not keep each of them waiting.
    let least = (0..5).map(|_| took()).min().unwrap_or_default();
    assert!(least.as_millis() < 1_500, "it took {least:?}; all of it takes seconds");
}

/// Returns a feed with one entry, which has a link and these parts.
fn entry_with(parts: &str) -> String {
    format!(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>x</title><item>\
         <link>https://a.example/1</link><title>t</title>{parts}</item></channel></rss>"
    )
}

#[test]
fn media_within_media_do_not_end_the_process() {
    let at = url("https://a.example/");
    // The parser calls itself for each level.
    let nested = |many: usize| {
        let (open, close) = ("<media:content url=\"https://a.example/b\">", "</media:content>");
        entry_with(&(open.repeat(many) + &close.repeat(many)))
    };
    assert!(
        matches!(found(nested(20).as_bytes(), None, &at, 9), Ok(FoundPosts::Feed(posts)) if posts[0].media.len() == 1)
    );
    assert_eq!(found(nested(30_000).as_bytes(), None, &at, 9), Err(FeedError::Broken));
    let spaces = " ".repeat(3_000);
    assert!(found((spaces + &nested(1)).as_bytes(), None, &at, 9).is_ok(), "its beginning is looked for");
}

#[test]
fn groups_within_groups_neither_end_the_process_nor_fill_its_memory() {
    let (at, open, close) = (url("https://a.example/"), "<media:group>", "</media:group>");
    let nested = |many: usize| entry_with(&(open.repeat(many) + &close.repeat(many)));
    // This is as deep as is allowed. On a stack of the usual size, a call for each level would end the process.
    assert!(matches!(found(nested(380).as_bytes(), None, &at, 9), Ok(FoundPosts::Feed(posts)) if posts.len() == 1));
    assert!(found(entry_with(&open.repeat(700)).as_bytes(), None, &at, 9).is_err(), "none is closed");
    assert_eq!(found(entry_with(&open.repeat(40_000)).as_bytes(), None, &at, 9), Err(FeedError::TooLong));
    // Each of the groups would get a copy of all thumbnails.
    let thumbnails = "<media:thumbnail url=\"a\"/>".repeat(20_000);
    let groups = "<media:group><media:content url=\"b\"/></media:group>".repeat(400);
    assert_eq!(found(entry_with(&(thumbnails + &groups)).as_bytes(), None, &at, 9), Err(FeedError::TooLong));
    // A feed as sites have it: seventy entries, each with some sizes of one picture.
    let sizes = "<media:content medium=\"image\" url=\"https://a.example/b.jpg\"/>".repeat(10);
    let item = format!("<item><link>https://a.example/1</link><title>t</title>{open}{sizes}{close}</item>");
    let usual = entry_with("").replace("</channel>", &(item.repeat(70) + "</channel>"));
    let posts = feed(&usual);
    assert_eq!((posts.len(), posts[1].media.len()), (50, 1));
}

#[test]
fn categories_within_categories_are_dropped_where_they_were_parsed() {
    let nested = |many: usize| {
        let (open, close) = ("<itunes:category text=''>", "</itunes:category>");
        let rss =
            "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>x</title>";
        format!("{rss}{}{}</channel></rss>", open.repeat(many), close.repeat(many))
    };
    let at = url("https://a.example/");
    // Dropping these would overflow a stack of this size.
    let little = thread::Builder::new().stack_size(256 << 10);
    let read = little.spawn(move || found(nested(10_000).as_bytes(), None, &at, 9)).expect("a thread");
    assert_eq!(read.join().expect("it ends"), Ok(FoundPosts::Feed(Vec::new())));
}

#[test]
fn only_the_first_base_counts_and_what_is_joined_to_it_stays_short() {
    let at = url("https://a.example/");
    let nested = |base: &str, many: usize| entry_with(&(format!("<a xml:base='{base}'>").repeat(many)));
    // Each base would be joined to the one around it. Elements that are not closed make a feed broken.
    let mut deep = nested("bbbbbbbbb/", 10_000).into_bytes();
    assert_eq!(bounds::keep_one_base(&mut deep), 30);
    assert_eq!(String::from_utf8_lossy(&deep).matches("xml:base").count(), 1);
    for empty in ["", "b/?https://"] {
        let feed = nested(&"\u{e9}".repeat(900), 8) + &nested(empty, 40_000);
        assert!(found(feed.as_bytes(), None, &at, 9).is_err());
    }
    let mut text = b"<p>about xml:base</p><a xml:base = \"b/\"/><b xml:base='c'/>".to_vec();
    assert_eq!(bounds::keep_one_base(&mut text), 6);
    assert_eq!(text, b"<p>about xml:none</p><a xml:base = \"b/\"/><b xml:none='c'/>");
    // Many elements have a URL each, which is joined to a long one.
    let joined = "<media:content url='b'/>".repeat(20_000);
    let long = format!("<a xml:base='https://a.example/{}'>{joined}</a>", "b".repeat(1_900));
    assert_eq!(found(entry_with(&long).as_bytes(), None, &at, 9), Err(FeedError::TooLong));
    let far = url(&format!("https://a.example/{}", "b".repeat(4_000)));
    assert_eq!(found(entry_with(&joined).as_bytes(), None, &far, 9), Err(FeedError::TooLong));
    // Bases as feeds have them.
    let rooted = entry_with("<media:content url='b.mp3'/>").replace("<rss ", "<rss xml:base='https://b.example/c/' ");
    assert_eq!(feed(&rooted)[0].media[0].url.as_str(), "https://b.example/c/b.mp3");
    let relative = entry_with("<description xml:base = 'some/where/'>words</description>");
    assert_eq!(feed(&relative)[0].text, "words");
}

#[test]
fn of_many_links_to_media_the_first_are_looked_at() {
    let many = "<media:content url='ftp://a.example/b'/>".repeat(100) + "<media:content url='https://a.example/c'/>";
    assert_eq!(feed(&entry_with(&many))[0].media, []);
}

#[test]
fn utf_16_that_says_so_is_read_and_counted_as_any_text() {
    let at = url("https://a.example/feed");
    let declared = RSS.replace("?>", " encoding=\"UTF-16\"?>");
    let page = "<!doctype html><html><head><title>R\u{ed}o</title></head></html>";
    let crowded = entry_with(&"<media:group>".repeat(40_000));
    for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
        let written =
            |text: &str| -> Vec<u8> { std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes_of).collect() };
        assert_eq!(found(&written(&declared), Some("text/xml"), &at, 50), Ok(FoundPosts::Feed(feed(RSS))));
        let Ok(FoundPosts::Page(post, _)) = found(&written(page), None, &at, 9) else { panic!("no page") };
        assert_eq!(post.title.as_deref(), Some("R\u{ed}o"));
        assert_eq!(found(&written(&crowded), None, &at, 9), Err(FeedError::TooLong));
        assert_eq!(found(&written("<feed>\0</feed>"), None, &at, 9), Err(FeedError::Broken));
    }
    assert_eq!(found(b"\xff\xfe", None, &at, 9), Err(FeedError::Neither), "nothing behind its mark");
}

#[test]
fn what_an_encoding_would_hide_is_no_feed_and_an_endless_url_is_no_url() {
    let at = url("https://a.example/");
    for hidden in ["\0", "\u{1b}(B"] {
        let feed = entry_with(&format!("<media:gr{hidden}oup/>"));
        assert_eq!(found(feed.as_bytes(), None, &at, 9), Err(FeedError::Broken));
    }
    let attributes = (0..100_001).map(|number| format!(" a{number}=''")).collect::<Vec<_>>().concat();
    assert_eq!(found(entry_with(&format!("<a{attributes}/>")).as_bytes(), None, &at, 9), Err(FeedError::TooLong));
    let tracked = |many: usize| format!("https://a.example/1?{}", "utm_source=x&".repeat(many));
    assert_eq!(canonical(&tracked(100), &at).map(String::from).as_deref(), Some("https://a.example/1"));
    assert_eq!(canonical(&tracked(100_000), &at), None);
}

#[test]
fn years_that_nothing_is_published_in_are_none_and_urls_lose_their_user() {
    let at = |time: &str| {
        let dated = RSS.replace("Tue, 24 Nov 2026 09:30:00 GMT", time);
        feed(&dated)[0].published_at.map(|time| time.to_rfc3339())
    };
    assert_eq!(at("Mon, 01 Jun 99999 10:00:00 GMT"), None);
    assert_eq!((at("0001-01-01T00:00:00Z"), at("9999-12-31T23:00:00-05:00")), (None, None));
    assert_eq!(at("1851-09-18T00:00:00Z").as_deref(), Some("1851-09-18T00:00:00+00:00"));
    let page = "<html><head><title>t</title><meta property=\"og:published_time\" content=\"0001-01-01T00:00:00Z\">";
    let read = found(page.as_bytes(), None, &url("https://a.example/"), 9);
    assert!(matches!(&read, Ok(FoundPosts::Page(post, _)) if post.published_at.is_none()), "{read:?}");
    let posts = feed(&RSS.replace("https://a.example/one", "https://user:pw@a.example/one"));
    assert_eq!(posts[0].url.as_str(), "https://a.example/one?id=7");
    assert_eq!(posts[0].media[0].url.as_str(), "https://a.example/one.mp3");
}
