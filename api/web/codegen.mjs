// Writes src/generated/operations.ts: one typed operation for each in src/operations/*.graphql, checked against the
// schema that the service prints. Run by every build; the result is not tracked.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { codegen } from "@graphql-codegen/core";
import * as operationTypes from "@graphql-codegen/typescript-operations";
import { Kind, buildSchema, parse, print, printSchema, validate, visit } from "graphql";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const schema = buildSchema(readFileSync(process.argv[2] ?? here("../schema.graphql"), "utf8"));
const documents = readdirSync(here("src/operations"))
  .filter((name) => name.endsWith(".graphql"))
  .sort()
  .map((name) => ({ location: name, document: parse(readFileSync(here(`src/operations/${name}`), "utf8")) }));
const definitions = documents.flatMap(({ document }) => document.definitions);

const errors = validate(schema, { kind: Kind.DOCUMENT, definitions });
if (errors.length > 0) {
  for (const error of errors) console.error(`${error.message}\n  in ${print(error.nodes[0])}`);
  process.exit(1);
}

const types = await codegen({
  filename: "operations.ts",
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents,
  config: { enumType: "string-literal", scalars: { DateTime: "string", ID: "string" }, nonOptionalTypename: false, skipTypename: true },
  plugins: [{ operations: {} }],
  pluginMap: { operations: operationTypes },
});

const fragments = new Map(definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).map((each) => [each.name.value, each]));

// An operation travels with the fragments it spreads, and with nothing else.
function withFragments(operation) {
  const needed = new Set();
  const follow = (node) =>
    visit(node, {
      FragmentSpread({ name }) {
        if (needed.has(name.value)) return;
        needed.add(name.value);
        follow(fragments.get(name.value));
      },
    });
  follow(operation);
  return [operation, ...[...needed].map((name) => fragments.get(name))].map(print).join("\n");
}

const constants = definitions
  .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  .map((operation) => {
    const name = operation.name.value;
    const suffix = operation.operation[0].toUpperCase() + operation.operation.slice(1);
    return `export const ${name}: Operation<${name}${suffix}, ${name}${suffix}Variables> = ${JSON.stringify(withFragments(operation))} as Operation<${name}${suffix}, ${name}${suffix}Variables>;`;
  });

mkdirSync(here("src/generated"), { recursive: true });
writeFileSync(
  here("src/generated/operations.ts"),
  ["// Written by codegen.mjs.", 'import type { Operation } from "../connection/operation";', types, ...constants, ""].join("\n"),
);
