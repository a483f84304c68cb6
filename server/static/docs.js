"use strict";
// A form for each operation of the OpenAPI document. All text is set as text: nothing of the document or of an answer
// becomes HTML.

/** An element with these properties and children. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Resolves a reference of the document. */
function resolved(api, schema) {
  if (!schema.$ref) return schema;
  const path = schema.$ref.slice(2).split("/");
  return resolved(api, path.reduce((place, key) => place[key], api));
}

/** A body to begin with: required fields, and those alone. */
function sample(api, schema) {
  const meant = resolved(api, schema);
  const type = [meant.type].flat()[0];
  if (type === "array") return [sample(api, meant.items ?? {})];
  if (type === "object") {
    const required = meant.required ?? [];
    const fields = Object.entries(meant.properties ?? {}).filter(([name]) => required.includes(name));
    return Object.fromEntries(fields.map(([name, field]) => [name, sample(api, field)]));
  }
  return { string: "", boolean: false, integer: 0, number: 0 }[type] ?? null;
}

/** A labelled field for a parameter. */
function field(id, parameter) {
  const input = element("input", { id, type: "text", required: parameter.required ?? false });
  input.value = parameter.required ? (parameter.example ?? "") : "";
  input.setAttribute("aria-describedby", `${id}-help`);
  const name = `${parameter.name}${parameter.required ? " (required)" : ""}`;
  const label = element("label", { htmlFor: id }, name);
  const help = element("small", { id: `${id}-help` }, parameter.description ?? "");
  return [input, element("p", {}, label, " ", input, element("br"), help)];
}

/** The request that a form asks for. */
function request(path, method, inputs, body) {
  const address = new URL(path, location.href);
  const headers = {};
  let place = path;
  for (const [parameter, input] of inputs) {
    if (input.value === "") continue;
    if (parameter.in === "query") address.searchParams.append(parameter.name, input.value);
    if (parameter.in === "header") headers[parameter.name] = input.value;
    if (parameter.in === "path") {
      place = place.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    }
  }
  if (body) headers["Content-Type"] = "application/json";
  const token = document.getElementById("token").value.trim();
  if (token) headers["Authorization"] = `Bearer ${token}`;
  return [place + address.search, { method, headers, body: body?.value }];
}

/** An answer as text: its status, its headers, its body. */
async function shown(answer) {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  let text = await answer.text();
  if ((answer.headers.get("content-type") ?? "").includes("json")) {
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It is shown as it came.
    }
  }
  return `${answer.status} ${answer.statusText}\n${headers.join("\n")}\n\n${text}`;
}

/** A section with the form of an operation. */
function section(api, path, method, operation) {
  const id = operation.operationId;
  const form = element("form");
  const inputs = (operation.parameters ?? []).map((parameter) => {
    const [input, labelled] = field(`${id}-${parameter.name}`, parameter);
    form.append(labelled);
    return [parameter, input];
  });
  let body = null;
  if (operation.requestBody) {
    const schema = operation.requestBody.content["application/json"].schema;
    body = element("textarea", { id: `${id}-body`, rows: 8, cols: 72 });
    body.value = JSON.stringify(sample(api, schema), null, 2);
    form.append(element("p", {}, element("label", { htmlFor: body.id }, "body"), element("br"), body));
  }
  const answer = element("pre");
  answer.setAttribute("aria-live", "polite");
  form.append(element("button", { type: "submit" }, "Send"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [address, options] = request(path, method.toUpperCase(), inputs, body);
    answer.textContent = `${options.method} ${address} …`;
    try {
      answer.textContent = `${options.method} ${address}\n\n${await shown(await fetch(address, options))}`;
    } catch (error) {
      answer.textContent = `${options.method} ${address}\n\n${error}`;
    }
  });
  const heading = element("h2", { id }, element("code", {}, `${method.toUpperCase()} ${path}`));
  const scopes = (operation.security ?? []).flatMap((scheme) => scheme.token ?? []);
  const needs = scopes.map((scope) => `Requires the scope ${scope}, if the service requires tokens.`);
  const meaning = element("p", {}, [operation.summary, operation.description, ...needs].filter(Boolean).join(" "));
  const whole = element("section", {}, heading, meaning, form, answer);
  whole.setAttribute("aria-labelledby", id);
  return whole;
}

async function main() {
  const api = await (await fetch("/api/v1/openapi.json")).json();
  const sections = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => section(api, path, method, operation)),
  );
  document.getElementById("operations").replaceChildren(...sections);
}

main().catch((error) => {
  document.getElementById("operations").textContent = String(error);
});
