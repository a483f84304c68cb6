//! A client with a simulated service: its requests, and its reading of the answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use answers::models::ModelGain;

use crate::{Client, ClientError, ClientSettings, FollowEvent, ModelRequest, SubmissionRequest};
use store::{AccessToken, ModelState, RunState};

/// Serves these answers, each on a connection of its own. Returns the address and the requests.
fn service(answers: &[&'static str]) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answers = answers.to_vec();
    let served = thread::spawn(move || {
        let served = answers.into_iter().map(|answer| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            while !request.ends_with("\r\n\r\n") {
                lines.read_line(&mut request).unwrap();
            }
            let head = request.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
            lines.read_exact(&mut body).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            request + &String::from_utf8(body).unwrap()
        });
        served.collect()
    });
    (address, served)
}

/// Returns a client with a token.
fn client(address: &str) -> Client {
    Client::new(ClientSettings {
        server: address.to_owned(),
        program: "test",
        token: Some(token()),
        authorities: None,
    })
}

fn token() -> AccessToken {
    AccessToken::new([7; 32])
}

/// Checks that a request presents the token, once.
#[track_caller]
fn check_token(request: &str) {
    let header = format!("authorization: Bearer {}\r\n", token().reveal());
    assert_eq!(request.matches(&header).count(), 1, "{request}");
}

const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// Formats an event of a study in this state, with so many trials of 9.
macro_rules! event {
    ($id:literal, $state:literal, $done:literal) => {
        concat!(
            "event: study\nid: ", $id, "\ndata: {\"study\":1,\"state\":\"", $state, "\",\"progress\":{\"done\":", $done,
            ",\"total\":9,\"default_us\":2.0,\"best_us\":null,\"is_in_finals\":false},\"trials\":[]}\n\n"
        )
    };
}

#[test]
fn a_study_is_followed_over_several_connections() {
    let first = concat!(
        event!("a.1", "running", 1),
        ": alive\n\n",
        event!("a.2", "running", 2),
        "data: {\"broken\n"
    );
    let first: &'static str = format!("{STREAM}{first}").leak();
    let away = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let last = format!("{STREAM}{}", event!("a.9", "done", 9)).leak();
    let (address, served) = service(&[first, away, last]);
    let (mut done, mut lost) = (Vec::new(), 0);
    let end = client(&address).follow(1, |heard| match heard {
        FollowEvent::Event(event) => done.push(event.progress.unwrap().done),
        FollowEvent::Lost(_) => lost += 1,
    });
    let end = end.unwrap();
    assert_eq!((end.state, done, lost), (RunState::Done, vec![1, 2, 9], 1));
    let heard: Vec<Option<String>> = (served.join().unwrap().iter())
        .map(|request| {
            check_token(request);
            assert!(
                request.starts_with("GET /api/v1/studies/1/events HTTP/1.1\r\n"),
                "{request}"
            );
            let id = request
                .lines()
                .find_map(|line| line.strip_prefix("last-event-id: "));
            id.map(str::to_owned)
        })
        .collect();
    assert_eq!(
        heard,
        [None, Some("a.2".to_owned()), Some("a.2".to_owned())]
    );
}

fn wanted() -> SubmissionRequest {
    SubmissionRequest {
        problems: ["argmax:[8]xf32".to_owned()],
        target: "gfx942".to_owned(),
        device: "hip:0".to_owned(),
        generator: "native".to_owned(),
        strategy: "random".to_owned(),
        budget: 8,
        effort: None,
        seed: 0,
        ties: "fold".to_owned(),
    }
}

/// A client without an answer repeats the request with the same key.
#[test]
fn a_request_that_nobody_answered_is_sent_again() {
    let made = r#"{"studies":[{"id":7,"problem":"argmax:[8]xf32","target":"gfx942","device":"hip:0","generator":"native",
        "clock":null,"strategy":"random","seed":0,"budget":8,"ties":"fold","is_urgent":false,"state":"waiting",
        "asked":"2026-11-29T00:00:00Z","changed":"2026-11-29T00:00:00Z"}],"next":null}"#;
    let made: &'static str =
        format!("HTTP/1.1 201 Created\r\nConnection: close\r\n\r\n{made}").leak();
    let (address, served) = service(&["", made]);
    let study = client(&address).submit(&wanted(), "once");
    assert_eq!(study.map(|study| (study.id, study.warning)), Ok((7, None)));
    let requests = served.join().unwrap();
    for request in &requests {
        check_token(request);
        assert!(request.contains("idempotency-key: once\r\n"), "{request}");
        assert!(request.contains("user-agent: test/"), "{request}");
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let words: String = body.split_whitespace().collect();
        let begin = r#"{"problems":["argmax:[8]xf32"],"target":"gfx942","device":"hip:0","#;
        assert!(words.starts_with(begin), "{body}");
    }
    assert_eq!(requests.len(), 2);
}

/// Checks an answer, and if a retry may succeed.
#[track_caller]
fn check(answer: &'static str, passes: bool, said: &str) {
    let (address, _served) = service(&[answer]);
    let error = client(&address).cancel(3).unwrap_err();
    assert_eq!(error.passes(), passes, "{error}");
    let told = error.to_string();
    assert!(told.starts_with(&address) && told.contains(said), "{told}");
    if let ClientError::Refused { status, kind, .. } = error {
        assert_eq!(kind.is_empty(), status != 409);
    }
}

#[test]
fn a_refusal_is_told_from_a_service_that_is_away() {
    check(
        "HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 61\r\n\r\n{\"type\":\"/problems/wrong-state\",\"detail\":\"study 3 is done\"  }",
        false,
        "study 3 is done",
    );
    check(
        "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 27\r\n\r\n{\"detail\":\"it has expired\"}",
        false,
        "it has expired; check the token in WAVETUNE_TOKEN",
    );
    check(
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnope",
        false,
        "status 404",
    );
    check(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnope",
        false,
        "expected",
    );
    check(
        "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        true,
        "status 503",
    );
    check(
        "HTTP/1.1 302 Found\r\nLocation: /x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        false,
        "302",
    );
    check("garbage\r\n\r\n", true, "");
    check("", true, "");
}

#[test]
fn a_model_is_submitted_and_looked_at() {
    let model = |state: &str, gain: &str| {
        format!(
            r#"{{"id":"a1","name":null,"target":"gfx942","device":"emulated:mi300x","counts":"1..4","options":[],
            "compiler":"3.13.0","state":"{state}","profiles":0,{gain}"asked":"2026-11-29T00:00:00Z",
            "changed":"2026-11-29T00:00:00Z"}}"#
        )
    };
    let queued = model("queued", "");
    let accepted: &'static str =
        format!("HTTP/1.1 202 Accepted\r\nConnection: close\r\n\r\n{queued}").leak();
    let gain = r#""gain":{"calls":1,"before_us":9.5,"after_us":4.75,"kept":1,"left_alone":0,"untimed":0},"#;
    let done: &'static str = format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{{\"model\":{},\"comparison\":null}}",
        model("done", gain)
    )
    .leak();
    let refused =
        "HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    let (address, served) = service(&[accepted, done, refused]);
    let client = client(&address);
    let request = ModelRequest {
        module: "module {}",
        name: None,
        target: "gfx942",
        device: None,
        counts: Some("1..4"),
        options: &["--iree-opt-level=O3"],
    };
    let submitted = client.submit_model(&request).unwrap();
    assert_eq!(
        (&*submitted.id, submitted.state),
        ("a1", ModelState::Queued)
    );
    let gain = client.model("a1").unwrap().gain.unwrap();
    let gain: ModelGain = serde_json::from_str(gain.get()).unwrap();
    assert_eq!((gain.before_us, gain.after_us), (Some(9.5), 4.75));
    client.submit_model(&request).unwrap_err();
    let requests = served.join().unwrap();
    assert!(
        requests[0].starts_with("POST /api/v1/models "),
        "{}",
        requests[0]
    );
    assert!(
        requests[0].contains(r#""counts": "1..4""#),
        "{}",
        requests[0]
    );
    assert!(
        requests[1].starts_with("GET /api/v1/models/a1 "),
        "{}",
        requests[1]
    );
    check_token(&requests[0]);
}
