//! Report answers: the API responses that the pages of a report request, by address.
//!
//! These are the addresses that the modules of `web/app/` request. A test opens reports in a
//! browser, and finds missing ones.

use std::collections::{BTreeMap, BTreeSet};

use form_urlencoded::Serializer;
use serde_json::{Map, Value};

/// Trials of each kind of failure that a report contains with their messages.
const FAILURES: u32 = 5;

/// A provider of the HTTP API's answers.
pub trait ApiProvider {
    /// The error of a request.
    type Error;

    /// Returns the JSON at an address; none if it does not exist.
    fn get(&self, address: &str) -> impl Future<Output = Result<Option<String>, Self::Error>>;

    /// Returns the JSON for a JSON body; none if the service refuses it.
    fn post(
        &self,
        address: &str,
        body: &str,
    ) -> impl Future<Output = Result<Option<String>, Self::Error>>;
}

/// The answers of a report, by address.
pub(crate) struct ReportAnswers<'a, S> {
    service: &'a S,
    /// JSON by address; for a POST request, by address and body.
    pub(crate) answers: BTreeMap<String, String>,
}

/// The page that a report opens with.
pub(crate) struct ReportStart {
    pub(crate) title: String,
    pub(crate) address: String,
}

impl<'a, S: ApiProvider> ReportAnswers<'a, S> {
    pub(crate) fn new(service: &'a S) -> ReportAnswers<'a, S> {
        ReportAnswers {
            service,
            answers: BTreeMap::new(),
        }
    }

    /// Collects everything of a study; none if no study has this number.
    pub(crate) async fn study(&mut self, study: i64) -> Result<Option<ReportStart>, S::Error> {
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
        Ok(Some(ReportStart {
            title: format!("Study {study}, {problem}"),
            address: format!("#/study/{study}"),
        }))
    }

    /// Collects everything of a problem and its studies; none if it has no studies.
    pub(crate) async fn problem(
        &mut self,
        problem: &str,
        target: Option<&str>,
    ) -> Result<Option<ReportStart>, S::Error> {
        let records = self
            .keep(&query("/api/v1/records", &[("problem", problem)]))
            .await?;
        let studies: Vec<&Value> = records["studies"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        let Some(newest) = studies.first() else {
            return Ok(None);
        };
        let shown = target.unwrap_or_else(|| text(newest, "target")).to_owned();
        self.keep("/api/v1/devices").await?;
        let targets: BTreeSet<&str> = studies.iter().map(|study| text(study, "target")).collect();
        for target in targets {
            let question = [("problem", problem), ("target", target)];
            self.known(&query("/api/v1/rankings", &question)).await?;
            let body = question.map(|(name, value)| (name.to_owned(), Value::from(value)));
            let body = Map::from_iter(body);
            self.posted("/api/v1/problems:check", &body).await?;
            let questions = Value::from(vec![Value::from(body)]);
            let body = Map::from_iter([("questions".to_owned(), questions)]);
            self.posted("/api/v1/configurations:batch", &body).await?;
        }
        // The page of a problem shows the times of both clocks.
        for clock in ["measured", "modelled"] {
            let question = [("problem", problem), ("clock", clock), ("sort", "time")];
            self.keep(&query("/api/v1/tuned", &question)).await?;
        }
        for study in &studies {
            self.study(study["id"].as_i64().unwrap_or_default()).await?;
        }
        let place = query("#/problem", &[("problem", problem), ("target", &shown)]);
        Ok(Some(ReportStart {
            title: problem.to_owned(),
            address: place,
        }))
    }

    /// Collects the trials as columns, and a few trials of each failure with their messages.
    async fn trials(&mut self, study: i64) -> Result<(), S::Error> {
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
        // A wrong result is a verdict of its own, and no kind of failure.
        for (name, value) in reasons.chain([("status", "wrong")]) {
            let limit = FAILURES.to_string();
            let address = query(
                &format!("{base}/trials"),
                &[(name, value), ("limit", &limit)],
            );
            self.keep(&address).await?;
        }
        Ok(())
    }

    /// Collects the best trial and the default of a study.
    async fn configurations(&mut self, study: i64, record: &Value) -> Result<(), S::Error> {
        let best = record["best"]["ordinal"].as_i64();
        let base = format!("/api/v1/studies/{study}/trials");
        self.keep(&query(&base, &[("role", "default"), ("limit", "1")]))
            .await?;
        // Trial 0 is the default; the set has it once if it is also the best.
        for ordinal in BTreeSet::from_iter([Some(0), best].into_iter().flatten()) {
            let trial = self.known(&format!("{base}/{ordinal}")).await?;
            if let Some(trial) = trial {
                self.explanations(record, &trial).await?;
            }
        }
        Ok(())
    }

    /// Collects the explanation of a trial's kernel, if there is one. A kernel of IREE has no
    /// stages of ours, and a machine without LLVM builds none.
    async fn explanations(&mut self, record: &Value, trial: &Value) -> Result<(), S::Error> {
        let mut body = Map::new();
        for name in ["problem", "target", "generator"] {
            body.insert(name.to_owned(), record[name].clone());
        }
        if !trial["configuration"].is_null() {
            body.insert("configuration".to_owned(), trial["configuration"].clone());
        }
        self.posted("/api/v1/explanations", &body).await?;
        body.insert("device".to_owned(), record["device"].clone());
        self.posted("/api/v1/explanations:kernel", &body).await
    }

    /// Collects the answer to a body, if there is one. The key is the address and the body with
    /// its keys in order.
    async fn posted(&mut self, address: &str, body: &Map<String, Value>) -> Result<(), S::Error> {
        let body = Value::Object(body.clone()).to_string();
        if let Some(answer) = self.service.post(address, &body).await? {
            self.answers.insert(format!("{address} {body}"), answer);
        }
        Ok(())
    }

    /// Collects the answer at an address that exists unless somebody deletes it meanwhile.
    async fn keep(&mut self, address: &str) -> Result<Value, S::Error> {
        Ok(self.known(address).await?.unwrap_or_default())
    }

    /// Collects the answer at an address, if it exists.
    async fn known(&mut self, address: &str) -> Result<Option<Value>, S::Error> {
        let Some(answer) = self.service.get(address).await? else {
            return Ok(None);
        };
        let value = serde_json::from_str(&answer).unwrap_or_default();
        self.answers.insert(address.to_owned(), answer);
        Ok(Some(value))
    }
}

/// Returns a text field of an answer; empty if it is missing.
fn text<'a>(answer: &'a Value, name: &str) -> &'a str {
    answer[name].as_str().unwrap_or_default()
}

/// Returns an address with a query.
fn query(address: &str, asked: &[(&str, &str)]) -> String {
    let asked = Serializer::new(String::new()).extend_pairs(asked).finish();
    format!("{address}?{asked}")
}
