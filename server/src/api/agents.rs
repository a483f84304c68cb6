//! Agents: those of the last minute, and their capabilities.

use std::sync::Arc;

use answers::runs::{
    Agent, AgentActivity, Agents, Condition, Control, ControlState, HeldLease, Offer, Quarantine,
    Toolchain,
};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use server_fleet::{DriftStatus, LeaseSummary};

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::{ApiError, ServiceState};

/// Lists the agents that contacted the service within the last minute.
#[utoipa::path(
    get,
    path = "/api/v1/agents",
    responses(
        (status = 200, description = "The agents, by name", body = ref("#/components/schemas/Agents")),
        CommonErrors,
    ),
)]
pub(crate) async fn agents(State(service): State<Arc<ServiceState>>) -> Result<Response, ApiError> {
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

fn offer(offer: &server_fleet::Offer) -> Offer {
    let made = &offer.provenance;
    Offer {
        target: made.target.name.into(),
        device: made.device.clone(),
        generator: made.generator,
        generator_version: made.generator_line(),
        compiler: format!("{} {}", made.compiler, made.compiler_line()),
        driver: made.driver_line(),
        clock: made.clock,
    }
}

fn condition(device: server_fleet::wire::Condition) -> Condition {
    Condition {
        device: device.device,
        control: device.watched.map(control),
        quarantine: device.quarantine.map(|quarantine| Quarantine {
            reason: quarantine.reason,
            left_s: quarantine.left_s,
        }),
    }
}

fn leased(task: LeaseSummary) -> HeldLease {
    HeldLease {
        study: task.study,
        doing: match task.doing {
            server_fleet::LeaseActivity::Build => AgentActivity::Build,
            server_fleet::LeaseActivity::Try => AgentActivity::Try,
            server_fleet::LeaseActivity::Finals => AgentActivity::Finals,
        },
        configurations: task.configurations,
        // Clocks of replicas differ, so a lease may seem to begin in the future.
        held_s: task.since.elapsed().unwrap_or_default().as_secs_f64(),
    }
}

fn control(watched: DriftStatus) -> Control {
    let (state, measured) = match watched {
        DriftStatus::Steady(control) => (ControlState::Steady, Some(control)),
        DriftStatus::Unsteady(control) => (ControlState::Unsteady, Some(control)),
        // The time of a wrong kernel means nothing.
        DriftStatus::Wrong => (ControlState::Wrong, None),
    };
    Control {
        state,
        noise: measured.map(|control| control.noise),
        slowdown: measured.map(|control| control.slowdown),
    }
}

fn toolchain(with: &server_fleet::Toolchain) -> Toolchain {
    let compiler = [&with.compiler, &with.compiler_version, &with.linker].map(String::as_str);
    Toolchain {
        generator: with.generator,
        generator_version: with.generator_version.clone(),
        // The linker is empty if it is part of the compiler.
        compiler: compiler.join(" ").trim_end().to_owned(),
        compile_limit_s: with.compile_limit_s,
    }
}
