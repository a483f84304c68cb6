// @ts-check
// Writes `api.d.ts`, the types of the HTTP API, from its committed OpenAPI description. No package
// for OpenAPI 3.1 types runs on TypeScript 7, and the description uses few keywords. An unknown
// keyword is an error, so that no type is too weak.

import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** @typedef {Record<string, any>} Schema a schema of JSON Schema 2020-12 */

const SCHEMAS = /^#\/(?:components\/schemas|\$defs)\//;

/** Keywords that form a type, and keywords that types cannot express. */
const KNOWN = new Set(["$ref", "const", "enum", "oneOf", "anyOf", "type", "prefixItems", "items", "properties", "required", "additionalProperties",
  "$schema", "$defs", "title", "description", "default", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"]);

const SCALARS = /** @type {Record<string, string>} */ ({ string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" });

/** Returns the type of a schema. @param {Schema} schema @returns {string} */
function typed(schema) {
  const unknown = Object.keys(schema).filter((word) => !KNOWN.has(word));
  if (unknown.length > 0) throw new Error(`no type is known of ${unknown.join(", ")} in ${JSON.stringify(schema)}`);
  if ("$ref" in schema) return named(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if ("enum" in schema) return union(schema.enum.map((/** @type {unknown} */ value) => JSON.stringify(value)));
  const either = schema.oneOf ?? schema.anyOf;
  if (either !== undefined) return union(either.map(typed));
  if (schema.type === undefined) throw new Error(`no type is known of ${JSON.stringify(schema)}`);
  return union([schema.type].flat().map((type) => ofType(type, schema)));
}

/** Returns the name of a referenced schema. @param {string} reference */
function named(reference) {
  if (!SCHEMAS.test(reference)) throw new Error(`${reference} is no schema`);
  return reference.replace(SCHEMAS, "");
}

/** Returns the union of types. @param {string[]} types */
function union(types) {
  const each = [...new Set(types)];
  return each.length === 1 ? each[0] : `(${each.join(" | ")})`;
}

/** Returns the type for a value of `type`. @param {string} type @param {Schema} schema */
function ofType(type, schema) {
  if (type === "object") return object(schema);
  if (type === "array") return array(schema);
  if (!(type in SCALARS)) throw new Error(`${type} is no type`);
  return SCALARS[type];
}

/** Returns the type of an array or tuple. @param {Schema} schema */
function array({ prefixItems, items, minItems, maxItems }) {
  if (prefixItems !== undefined) return `[${prefixItems.map(typed).join(", ")}]`;
  if (minItems !== undefined && minItems === maxItems) return `[${Array(minItems).fill(typed(items)).join(", ")}]`;
  return `${typed(items)}[]`;
}

/** Returns the type of an object. @param {Schema} schema */
function object({ properties = {}, required = [], additionalProperties }) {
  const fields = Object.entries(properties).map(([name, schema]) => `${said(schema)}${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typed(schema)};`);
  const other = additionalProperties ?? fields.length === 0;
  if (other !== false) fields.push(`[name: string]: ${other === true ? "unknown" : typed(other)};`);
  return `{\n${fields.join("\n")}\n}`;
}

/** Returns a schema's description as a comment, which editors show. @param {Schema} schema */
function said({ description }) {
  return description === undefined ? "" : `/** ${description.replaceAll("*/", "* /")} */\n`;
}

/** Returns the type of the JSON in an answer or body; null if it has none. @param {any} message */
function json(message) {
  const schema = message?.content?.["application/json"]?.schema;
  return schema === undefined ? null : typed(schema);
}

/**
 * Returns key, answer, query and body types of an address. Numbers in it are numbers:
 * `/studies/7/trials` is no study.
 * @param {string} path
 * @param {any} operation
 */
function asked(path, operation) {
  const answer = json(Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1]);
  /** @type {{ in: string, name: string, schema: Schema }[]} */
  const parameters = operation.parameters ?? [];
  const address = path.replace(/\{(\w+)\}/g, (_, name) => `\${${parameters.find((one) => one.name === name)?.schema.type === "integer" ? "number" : "string"}}`);
  const query = parameters.filter((one) => one.in === "query").map((one) => JSON.stringify(one.name));
  const key = address === path ? JSON.stringify(path) : `[address: \`${address}\`]`;
  return { key, answer, query: query.length === 0 ? "never" : query.join(" | "), body: json(operation.requestBody) ?? "{}" };
}

/**
 * Returns the text of `api.d.ts`.
 * @param {any} api OpenAPI description
 * @param {Schema} event schema of a study's event, which the description has only as a text stream
 */
function declared(api, event) {
  const schemas = Object.entries({ ...event.$defs, RunEvent: event, ...api.components.schemas }).map(([name, schema]) => `${said(schema)}type ${name} = ${typed(schema)};\n`);
  const of = (/** @type {string} */ method) => Object.entries(api.paths).flatMap(([path, one]) => (one[method] === undefined ? [] : [asked(path, one[method])]));
  const gets = of("get").filter((one) => one.answer !== null || one.query !== "never");
  const posts = of("post").filter((one) => one.answer !== null);
  return `// Written by generate.js; not to be edited or committed.

declare namespace Api {
${schemas.join("\n")}
/** The answer of each address. */
interface Get {
${gets.filter((one) => one.answer !== null).map((one) => `${one.key}: ${one.answer};`).join("\n")}
}

/** The query parameters of each address. */
interface Query {
${gets.map((one) => `${one.key}: ${one.query};`).join("\n")}
}

/** The body and the answer of each address. */
interface Post {
${posts.map((one) => `${one.key}: { body: ${one.body}; answer: ${one.answer} };`).join("\n")}
}
}
`;
}

const here = new URL("./", import.meta.url);
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(`../../${path}`, here), "utf8"));
const text = declared(read("server/openapi.json"), read("answers/schema/run_event.json"));
// A rename is atomic, so that concurrent readers see one complete file.
const draft = new URL(`api.d.ts.${process.pid}`, here);
writeFileSync(draft, text);
renameSync(draft, new URL("api.d.ts", here));
