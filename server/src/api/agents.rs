//! Agents: who has been heard of, and what they can be asked for.

use std::sync::Arc;

use answers::runs::{
    Agent, Agents, Condition, Control, ControlState, Doing, Leased, Offer, Quarantine, Toolchain,
};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use fleet::{Task, Watched};

use crate::error::json;
use crate::refused::Refused;
use crate::{ApiError, Service};

/// The agents that were heard of within the last minute.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    responses(
        (status = 200, description = "By name", body = ref("#/components/schemas/Agents")),
        Refused,
    ),
)]
pub(crate) async fn agents(State(service): State<Arc<Service>>) -> Result<Response, ApiError> {
    let present = service.fleet()?.agents();
    let agents = present.into_iter().map(|agent| Agent {
        name: agent.name,
        silent_s: agent.silent.as_secs_f64(),
        offers: agent.offered.offers.iter().map(offer).collect(),
        builds: agent.offered.builds.iter().map(toolchain).collect(),
        devices: agent.offered.devices.into_iter().map(condition).collect(),
        leases: agent.leases.into_iter().map(leased).collect(),
    });
    let agents = agents.collect();
    Ok(json(StatusCode::OK, &Agents { agents }))
}

fn offer(offer: &fleet::Offer) -> Offer {
    let made = &offer.provenance;
    Offer {
        target: made.target.name,
        device: made.device.clone(),
        generator: made.generator,
        generator_version: made.generator_line(),
        compiler: format!("{} {}", made.compiler, made.compiler_line()),
        driver: made.driver_line(),
        clock: made.clock,
    }
}

fn condition(device: fleet::wire::Condition) -> Condition {
    Condition {
        device: device.device,
        control: device.watched.map(control),
        quarantine: device.quarantine.map(|quarantine| Quarantine {
            reason: quarantine.reason,
            left_s: quarantine.left_s,
        }),
    }
}

fn leased(task: Task) -> Leased {
    Leased {
        study: task.study,
        doing: match task.doing {
            fleet::Doing::Build => Doing::Build,
            fleet::Doing::Try => Doing::Try,
            fleet::Doing::Finals => Doing::Finals,
        },
        configurations: task.configurations,
        held_s: task.since.elapsed().unwrap_or_default().as_secs_f64(),
    }
}

fn control(watched: Watched) -> Control {
    let (state, measured) = match watched {
        Watched::Steady(control) => (ControlState::Steady, Some(control)),
        Watched::Unsteady(control) => (ControlState::Unsteady, Some(control)),
        Watched::Wrong => (ControlState::Wrong, None),
    };
    Control {
        state,
        noise: measured.map(|control| control.noise),
        slowdown: measured.map(|control| control.slowdown),
    }
}

fn toolchain(with: &fleet::Toolchain) -> Toolchain {
    let compiler = [&with.compiler, &with.compiler_version, &with.linker].map(String::as_str);
    Toolchain {
        generator: with.generator,
        generator_version: with.generator_version.clone(),
        compiler: compiler.join(" ").trim_end().to_owned(),
        compile_limit_s: with.compile_limit_s,
    }
}
