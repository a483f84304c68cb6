//! What a page asks the service, gathered: the answer of each address.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use form_urlencoded::Serializer;
use serde_json::{Map, Value};
use server::{Alone, Refusal};

/// Trials of each kind of failure whose words are kept.
const FAILURES: u32 = 5;

/// Where a report opens.
pub(super) struct Place {
    pub(super) title: String,
    pub(super) address: String,
}

/// The answers, by address.
pub(super) struct Gathered<'a> {
    alone: &'a Alone,
    /// JSON of each address; of what is posted, the address and the body.
    pub(super) answers: BTreeMap<String, String>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(alone: &'a Alone) -> Gathered<'a> {
        Gathered {
            alone,
            answers: BTreeMap::new(),
        }
    }

    /// All of a study; none where there is none with this number.
    pub(super) async fn study(&mut self, study: i64) -> anyhow::Result<Option<Place>> {
        let Some(mut known) = self.known(&format!("/api/v1/records/{study}")).await? else {
            return Ok(None);
        };
        let record = known["study"].take();
        let problem = text(&record, "problem").to_owned();
        let others = query(
            "/api/v1/records",
            &[("problem", &problem), ("device", text(&record, "device"))],
        );
        self.keep(&others).await?;
        self.trials(study).await?;
        self.configurations(study, &record).await?;
        Ok(Some(Place {
            title: format!("Study {study}, {problem}"),
            address: format!("#/study/{study}"),
        }))
    }

    /// All of a problem, with the studies that are known of it; none where there are none.
    pub(super) async fn problem(
        &mut self,
        problem: &str,
        target: Option<&str>,
    ) -> anyhow::Result<Option<Place>> {
        let records = self.keep(&query("/api/v1/records", &[("problem", problem)])).await?;
        let studies: Vec<&Value> = records["studies"].as_array().into_iter().flatten().collect();
        let Some(newest) = studies.first() else {
            return Ok(None);
        };
        let shown = target.unwrap_or_else(|| text(newest, "target")).to_owned();
        self.keep("/api/v1/devices").await?;
        let targets: BTreeSet<&str> = studies.iter().map(|study| text(study, "target")).collect();
        for target in targets {
            let question = [("problem", problem), ("target", target)];
            for address in ["/api/v1/configurations", "/api/v1/rankings"] {
                self.known(&query(address, &question)).await?;
            }
            let body = question.map(|(name, value)| (name.to_owned(), Value::from(value)));
            self.posted("/api/v1/problems:check", &Map::from_iter(body)).await;
        }
        for clock in ["measured", "modelled"] {
            let question = [("problem", problem), ("clock", clock), ("sort", "time")];
            self.keep(&query("/api/v1/tuned", &question)).await?;
        }
        for study in &studies {
            self.study(study["id"].as_i64().context("a study has a number")?).await?;
        }
        let place = query("#/problem", &[("problem", problem), ("target", &shown)]);
        Ok(Some(Place {
            title: problem.to_owned(),
            address: place,
        }))
    }

    /// The trials as columns, and the words of some that failed.
    async fn trials(&mut self, study: i64) -> anyhow::Result<()> {
        let base = format!("/api/v1/studies/{study}");
        let mut from = Some(0);
        let mut failures = BTreeSet::new();
        while let Some(place) = from {
            let columns = self.keep(&format!("{base}/columns?from={place}")).await?;
            let names = columns["failures"].as_array().into_iter().flatten();
            failures.extend(names.filter_map(Value::as_str).map(str::to_owned));
            from = columns["next"].as_i64();
        }
        let reasons = failures.iter().map(|name| ("failure", name.as_str()));
        for (name, value) in reasons.chain([("status", "wrong")]) {
            let limit = FAILURES.to_string();
            let address = query(&format!("{base}/trials"), &[(name, value), ("limit", &limit)]);
            self.keep(&address).await?;
        }
        Ok(())
    }

    /// The best and the default of a study.
    async fn configurations(&mut self, study: i64, record: &Value) -> anyhow::Result<()> {
        let best = record["best"]["ordinal"].as_i64();
        let base = format!("/api/v1/studies/{study}/trials");
        self.keep(&query(&base, &[("role", "default"), ("limit", "1")])).await?;
        for ordinal in BTreeSet::from_iter([Some(0), best].into_iter().flatten()) {
            let trial = self.known(&format!("{base}/{ordinal}")).await?;
            if let Some(trial) = trial {
                self.explanations(record, &trial).await;
            }
        }
        Ok(())
    }

    /// How the kernel of a trial comes about, where it can be told: a kernel of IREE has no stages of ours, and a machine
    /// without LLVM builds none.
    async fn explanations(&mut self, record: &Value, trial: &Value) {
        let mut body = Map::new();
        for name in ["problem", "target", "generator"] {
            body.insert(name.to_owned(), record[name].clone());
        }
        if !trial["configuration"].is_null() {
            body.insert("configuration".to_owned(), trial["configuration"].clone());
        }
        self.posted("/api/v1/explanations", &body).await;
        body.insert("device".to_owned(), record["device"].clone());
        self.posted("/api/v1/explanations:kernel", &body).await;
    }

    /// Keeps what comes of a body, where something does: the address and the body with its keys in order.
    async fn posted(&mut self, address: &str, body: &Map<String, Value>) {
        let body = Value::Object(body.clone()).to_string();
        if let Ok(answer) = self.alone.post(address, &body).await {
            self.answers.insert(format!("{address} {body}"), answer);
        }
    }

    /// Keeps what is at an address, which is there.
    async fn keep(&mut self, address: &str) -> anyhow::Result<Value> {
        let known = self.known(address).await?;
        known.with_context(|| format!("{address} has no answer"))
    }

    /// Keeps what is at an address, where something is.
    async fn known(&mut self, address: &str) -> anyhow::Result<Option<Value>> {
        let answer = match self.alone.get(address).await {
            Err(Refusal { status: 404, .. }) => return Ok(None),
            answer => answer.with_context(|| address.to_owned())?,
        };
        let value = serde_json::from_str(&answer)?;
        self.answers.insert(address.to_owned(), answer);
        Ok(Some(value))
    }
}

/// A field of an answer that is text.
fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().unwrap_or_default()
}

/// An address with what is asked.
fn query(address: &str, asked: &[(&str, &str)]) -> String {
    let asked = Serializer::new(String::new()).extend_pairs(asked).finish();
    format!("{address}?{asked}")
}
