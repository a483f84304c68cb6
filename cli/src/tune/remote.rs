//! Tuning by a service: the service runs the studies, and this program shows their progress.

use std::pin::pin;
use std::sync::Arc;
use std::thread;

use answers::runs::{Offer, RunEvent};
use answers::tune::{ProblemRefusal, TuneOutcome};
use anyhow::{Context, bail};
use configgen::{Device, Problem};
use futures_util::{StreamExt as _, stream};
use server_client::{Client, ClientError, FollowEvent, SubmissionRequest};
use store::RunState;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tuner::TuneProgress;

use super::TuneArguments;
use super::progress::ProgressDisplay;
use crate::Exit;
use crate::output::{OutputFormat, command_line, print, print_json};
use crate::signals::{self, Signal};
use crate::verbosity::note;

/// Studies followed at once. A service has room for a few hundred connections.
const FOLLOWED: usize = 16;

/// The problem type of a service's answer to a problem that it refuses.
const REFUSED: &str = "/problems/problem-refused";

/// Submits the problems to a service, follows their studies, and prints the answers in order.
pub(super) async fn tune(
    arguments: &TuneArguments,
    client: Client,
    problems: Vec<Problem>,
) -> anyhow::Result<Exit> {
    let mut stop = signals::listen().context("cannot catch signals")?;
    let client = Arc::new(client);
    let overview = ProgressDisplay::new(problems.len());
    let mut asked = Vec::with_capacity(problems.len());
    let submitted = async {
        let target = target(arguments, &client).await?;
        for problem in problems {
            let study = submit(arguments, &client, &target, &problem).await?;
            asked.push((problem, study));
        }
        anyhow::Ok(())
    };
    let signal = match overview.watch(submitted, &mut stop).await {
        Ok(submitted) => {
            submitted?;
            None
        }
        Err(signal) => Some(signal),
    };
    let signal = match signal {
        Some(signal) => signal,
        None => match follow_all(arguments, &client, &asked, &overview, &mut stop).await? {
            Ok(exit) => return Ok(exit),
            Err(signal) => signal,
        },
    };
    overview.clear();
    eprint!("{}", detached(signal, client.server(), &asked));
    signals::end(signal)
}

/// Returns the ISA of the device, from the agents that offer it.
async fn target(arguments: &TuneArguments, client: &Arc<Client>) -> anyhow::Result<String> {
    let (device, generator) = (arguments.device.name(), arguments.builder.generator());
    let asked = Arc::clone(client);
    // The client blocks, and this thread must still notice a signal.
    let offers = spawn_blocking(move || asked.offers()).await??;
    let is_it = |offer: &&Offer| offer.device == device && offer.generator == generator;
    // An emulated device is known without an agent: the study waits for one.
    let emulated = device.strip_prefix("emulated:").and_then(Device::named);
    match (offers.iter().find(is_it), emulated) {
        (Some(offer), _) => Ok(offer.target.clone().into_owned()),
        (None, Some(device)) => Ok(device.target().name.to_owned()),
        (None, None) => {
            let mut known: Vec<String> = (offers.iter())
                .map(|offer| format!("{} kernels on {}", offer.generator, offer.device))
                .collect();
            known.sort();
            known.dedup();
            let known = match known.is_empty() {
                true => "it has no agent".to_owned(),
                false => format!("its agents offer {}", known.join(", ")),
            };
            let server = client.server();
            bail!(
                "{server} has no agent with {generator} kernels on {device}; {known}; see `wavetune agent --help`"
            )
        }
    }
}

/// The number of a submitted study, or the refusal of its problem.
type SubmissionResult = Result<i64, ProblemRefusal>;

async fn submit(
    arguments: &TuneArguments,
    client: &Arc<Client>,
    target: &str,
    problem: &Problem,
) -> anyhow::Result<SubmissionResult> {
    let wanted = SubmissionRequest {
        problems: [problem.to_string()],
        target: target.to_owned(),
        device: arguments.device.name().to_owned(),
        generator: arguments.builder.generator().name().to_owned(),
        strategy: arguments.strategy.name().to_owned(),
        budget: arguments.budget,
        seed: arguments.seed,
        ties: arguments.ties.index.name().to_owned(),
    };
    // The idempotency key: a retried request must not open a second study.
    let key = format!("{:032x}", rand::random::<u128>());
    let asked = Arc::clone(client);
    match spawn_blocking(move || asked.submit(&wanted, &key)).await? {
        Ok(submitted) => {
            if let Some(warning) = submitted.warning {
                note!("study {} waits for an agent: {warning}", submitted.id);
            }
            Ok(Ok(submitted.id))
        }
        // Only this problem is refused; the others can still be tuned.
        Err(ClientError::Refused {
            kind, rule, reason, ..
        }) if kind == REFUSED => Ok(Err(ProblemRefusal {
            problem: problem.clone(),
            generator: arguments.builder.generator(),
            rule,
            message: reason,
            best: (),
        })),
        Err(error) => Err(error.into()),
    }
}

/// Follows the studies to their ends, or until a signal arrives.
async fn follow_all<'a>(
    arguments: &TuneArguments,
    client: &Arc<Client>,
    asked: &'a [(Problem, SubmissionResult)],
    overview: &ProgressDisplay,
    stop: &mut mpsc::Receiver<Signal>,
) -> anyhow::Result<Result<Exit, Signal>> {
    let study =
        async |(place, (problem, study)): (usize, &'a (Problem, SubmissionResult))| match study {
            Ok(id) => {
                overview.begin(place, problem);
                let ended = follow(client, *id, |now| overview.show(place, now), overview).await;
                overview.end(place);
                Ok((*id, ended))
            }
            Err(refusal) => Err(refusal),
        };
    // `buffered` keeps the order of the problems.
    let mut studies = pin!(stream::iter(asked.iter().enumerate().map(study)).buffered(FOLLOWED));
    let (mut is_all_found, mut is_failed) = (true, false);
    loop {
        let next = match overview.watch(studies.next(), stop).await {
            Ok(next) => next,
            Err(signal) => return Ok(Err(signal)),
        };
        match next {
            None => break,
            Some(Ok((id, ended))) => {
                let ended = ended?;
                // A failed study is no reason to abandon the others.
                match report(arguments, client, id, &ended).await? {
                    Ok(report) => overview.suspend_bar(|| print(&report))?,
                    Err(reason) => {
                        is_failed = true;
                        overview.suspend_bar(|| eprintln!("error: study {id} {reason}"));
                    }
                }
                is_all_found &= ended.progress.is_some_and(|now| now.best_us.is_some());
            }
            Some(Err(refusal)) => {
                is_all_found = false;
                overview.suspend_bar(|| tell_refusal(arguments, refusal))?;
            }
        }
    }
    overview.clear();
    Ok(Ok(match (is_failed, is_all_found) {
        (true, _) => Exit::Error,
        (false, false) => Exit::NotFound,
        (false, true) => Exit::Found,
    }))
}

/// Follows a study, shows its progress and returns its last event.
async fn follow(
    client: &Arc<Client>,
    study: i64,
    show: impl Fn(&TuneProgress),
    overview: &ProgressDisplay,
) -> anyhow::Result<RunEvent> {
    let (send, mut heard) = mpsc::unbounded_channel();
    let asked = Arc::clone(client);
    let (end, ended) = oneshot::channel();
    // A plain thread: the program may end while it waits in a blocking read.
    thread::spawn(move || {
        let ended = asked.follow(study, |heard| drop(send.send(heard)));
        end.send(ended).ok();
    });
    let (mut others, mut is_lost) = (None, false);
    while let Some(heard) = heard.recv().await {
        match heard {
            FollowEvent::Event(RunEvent { progress, .. }) => {
                is_lost = false;
                // A waiting study has no progress yet.
                let Some(now) = progress else { continue };
                // The trials that were there at the first event do not count into this run's
                // pace.
                let others = *others.get_or_insert(now.done);
                show(&TuneProgress {
                    done: now.done,
                    others,
                    total: now.total,
                    default_us: now.default_us,
                    best_us: now.best_us,
                    finals: now.is_in_finals,
                });
            }
            // One line per interruption, however often the client retries.
            FollowEvent::Lost(error) if !is_lost => {
                is_lost = true;
                overview.suspend_bar(|| note!("no connection, retrying: {error}"));
            }
            FollowEvent::Lost(_) => {}
        }
    }
    Ok(ended
        .await
        .context("the thread that follows the study panicked")??)
}

/// Returns a study's report from the service, or the reason why it has none.
async fn report(
    arguments: &TuneArguments,
    client: &Arc<Client>,
    study: i64,
    ended: &RunEvent,
) -> anyhow::Result<Result<String, String>> {
    match ended.state {
        RunState::Done => {}
        RunState::Failed => {
            let reason = ended.reason.as_deref().unwrap_or("unknown reason");
            return Ok(Err(format!("failed: {reason}")));
        }
        // This program only follows: another client has ended or paused the study.
        state => return Ok(Err(format!("is {} by another client", state.name()))),
    }
    let kind = match arguments.output_format {
        OutputFormat::Json => "application/json",
        OutputFormat::Text => "text/plain",
    };
    let asked = Arc::clone(client);
    Ok(Ok(spawn_blocking(move || asked.report(study, kind)).await??))
}

fn tell_refusal(arguments: &TuneArguments, refusal: &ProblemRefusal) -> anyhow::Result<()> {
    eprintln!("{}: {}", refusal.generator, refusal.message);
    match arguments.output_format {
        OutputFormat::Json => print_json(&TuneOutcome::Refused(refusal.clone())),
        OutputFormat::Text => Ok(()),
    }
}

/// Formats the message of an interrupted client. Its studies continue on the service.
fn detached(signal: Signal, server: &str, asked: &[(Problem, SubmissionResult)]) -> String {
    let signal = signal.name();
    let ids: Vec<String> = (asked.iter())
        .filter_map(|(_, study)| study.as_ref().ok().map(i64::to_string))
        .collect();
    if ids.is_empty() {
        return format!("detached by {signal}; nothing was submitted to {server} yet\n");
    }
    let again = command_line();
    let (studies, all) = (ids.join(", "), ids.join(" "));
    format!(
        "detached by {signal}; {server} continues studies: {studies}\nto follow them: {again}\n\
         to cancel them: wavetune studies cancel {all} --server {server}\n"
    )
}
