//! Checks of the resources for the Prometheus Operator: they scrape the Service and load the same
//! rules as Prometheus alone.

use expect_test::expect_file;

use super::kubernetes::{FOLDER, manifests, of, workload};
use super::monitoring::RULES;
use super::{documents, items, read, text, texts};

/// Returns the only document of a file.
fn resource(name: &str) -> yaml_rust2::Yaml {
    let mut documents = documents(&format!("{FOLDER}/monitoring/{name}"));
    assert_eq!(documents.len(), 1, "{name}");
    documents.remove(0)
}

/// Returns the rules of Prometheus as a resource of the operator.
fn prometheus_rule() -> String {
    let rules = read(RULES);
    let (_, groups) = rules.split_once("\ngroups:\n").expect("groups");
    let indented = format!("groups:\n{groups}");
    let lines = indented.lines().map(|line| format!("  {line}\n"));
    format!(
        "\
# Generated from {RULES}:
# UPDATE_EXPECT=1 cargo nextest run -p wavetune -E 'test(operator)'
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: wavetune
spec:
{}",
        lines.collect::<String>()
    )
}

#[test]
fn the_operator_loads_the_rules_of_prometheus() {
    expect_file!["../../../shipping/kubernetes/monitoring/prometheusrule.yaml"]
        .assert_eq(&prometheus_rule());
    let rule = resource("prometheusrule.yaml");
    assert_eq!(rule["kind"].as_str(), Some("PrometheusRule"));
    assert_eq!(rule["spec"]["groups"], documents(RULES)[0]["groups"]);
}

#[test]
fn the_operator_scrapes_the_service() {
    let manifests = manifests();
    let service = of(&manifests, "Service", "wavetune");
    let monitor = resource("servicemonitor.yaml");
    assert_eq!(monitor["kind"].as_str(), Some("ServiceMonitor"));
    let selected = &monitor["spec"]["selector"]["matchLabels"];
    assert_eq!(selected, &service["metadata"]["labels"]);
    // The operator names the job after the Service, and the rules select that job.
    let job = text(&service["metadata"]["name"], "the Service");
    let job = format!("job=\"{job}\"");
    for selector in read(RULES).split("job=\"").skip(1) {
        let selector = format!("job=\"{selector}");
        assert!(selector.starts_with(&job), "{selector}");
    }
    let [endpoint] = items(&monitor["spec"]["endpoints"]) else {
        panic!("one endpoint")
    };
    assert_eq!(
        endpoint["port"],
        items(&service["spec"]["ports"])[0]["name"]
    );
    // The service of the manifests has a certificate, so it answers only TLS.
    assert_eq!(endpoint["scheme"].as_str(), Some("https"));
    assert!(read("server/openapi.json").contains("\"/metrics\""));
    assert_eq!(endpoint["path"].as_str(), Some("/metrics"));
    let tls = &endpoint["tlsConfig"];
    let server = workload("server", of(&manifests, "Deployment", "wavetune"));
    let name = text(&tls["serverName"], "the server's name");
    assert!(server.names().contains(&name), "{name}");
    let made = read("docs/deploy.md");
    for secret in [
        &endpoint["authorization"]["credentials"],
        &tls["ca"]["secret"],
    ] {
        let (name, key) = (
            text(&secret["name"], "a secret"),
            text(&secret["key"], "a key"),
        );
        let create = format!("create secret generic {name} ");
        let line = made.lines().find(|line| line.contains(&create));
        let line = line.unwrap_or_else(|| panic!("{name} is made nowhere"));
        assert!(line.contains(&format!("--from-file={key}=")), "{line}");
    }
}

#[test]
fn the_operators_resources_are_applied() {
    let kustomization = resource("kustomization.yaml");
    let mut named = texts(&kustomization["resources"]);
    named.push("kustomization.yaml".to_owned());
    named.sort_unstable();
    let folder = super::root().join(FOLDER).join("monitoring");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut there: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort_unstable();
    assert_eq!(there, named);
    let base = &documents(&format!("{FOLDER}/kustomization.yaml"))[0];
    assert_eq!(kustomization["namespace"], base["namespace"]);
    let apply = format!("kubectl apply --kustomize {FOLDER}/monitoring");
    assert!(read("docs/deploy.md").contains(&apply));
}
