// `npm run examples` calls every endpoint once as its example says, and writes requests and responses to
// src/http/documents/examples.jsonl, one operation a line. `npm run examples -- src/api/planning/milestones` calls only the
// endpoints of this folder and keeps the other lines.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { getEntityName, type OperationExample } from '#http/documents/example-reader.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { isSecretName } from '#security/redaction.ts';
import { allExamples, type Exemplified } from '#test/examples/all.ts';
import { ask } from '#test/examples/call.ts';
import { createCallers, createScene } from '#test/examples/scene.ts';
import type { HttpExchange } from '#test/support/caller.ts';
import { findSecrets } from '#test/support/response-secrets.ts';
import { world } from '#test/support/world.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'src/http/documents/examples.jsonl');
const [folder] = process.argv.slice(2);
const selectedFolder = folder === undefined ? undefined : relative(join(root, 'src/api'), resolve(folder));

/** Longer texts are cut, as are lists of a response after their first object or third value. */
const MAX_TEXT_LENGTH = 200;
const MAX_LIST_LENGTH = 3;

/** Longer examples have no response: statuses of sites with hundreds of counters, and the OpenAPI document itself. */
const MAX_EXAMPLE_LENGTH = 8000;

/** Operations that always answer with an error (contract/runners.md §3.8, §4.10). */
const ALWAYS_REFUSED: ReadonlySet<string> = new Set(['discoverRouter', 'listPackagePipelines']);

test('writes the examples', async () => {
  const here = await world();
  const scene = await createScene(here, await createCallers(here), 'private');
  const { registry } = here.server;
  const written = selectedFolder === undefined ? new Map<string, OperationExample>() : await readWritten();
  const exchanges: HttpExchange[] = [];
  here.listen((exchange) => void exchanges.push(exchange));

  async function callExample({ endpoint, builds: [build] }: Exemplified): Promise<OperationExample> {
    const example = await build(scene);
    exchanges.length = 0;
    const { status, body } = await ask(here, endpoint, example, scene.callers[example.by]);
    const isRefused = status >= 400;
    if (isRefused && !ALWAYS_REFUSED.has(endpoint.name))
      throw new Error(`${endpoint.name} answers ${status} ${JSON.stringify(body)}`);
    const response = isJson(endpoint) && !isRefused && status !== 204 ? shorten(body) : undefined;
    const { path, params } = example;
    const redact = createRedaction(endpoint.name, here.server.address, exchanges);
    const whole = redact({ operation: endpoint.name, path, params, response }) as OperationExample;
    return JSON.stringify(whole).length <= MAX_EXAMPLE_LENGTH ? whole : withoutResponse(whole);
  }

  const examples: [Endpoint, OperationExample][] = [];
  for (const exemplified of await allExamples(registry)) {
    const { endpoint } = exemplified;
    if (endpoint.outsideApi || endpoint.method === 'HEAD') continue;
    const isSelected = selectedFolder === undefined || endpoint.folder === selectedFolder;
    const example = isSelected ? await callExample(exemplified) : written.get(endpoint.name);
    if (example !== undefined) examples.push([endpoint, example]);
  }
  const entityOperations = chooseEntityOperations(examples);
  const lines = examples.map(([endpoint, example]) => {
    const entity = getEntityName(endpoint);
    const isShown = entity === undefined || [undefined, endpoint.name].includes(entityOperations.get(entity));
    return JSON.stringify(isShown ? example : withoutResponse(example));
  });
  await writeFile(file, `${lines.join('\n')}\n`);
  console.log(`Wrote ${relative(root, file)}: ${lines.length} examples`);
});

async function readWritten(): Promise<Map<string, OperationExample>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const examples = lines.map((line) => JSON.parse(line) as OperationExample);
  return new Map(examples.map((example) => [example.operation, example]));
}

const withoutResponse = ({ response: _, ...request }: OperationExample): OperationExample => request;

/** Returns which operation has the example of each entity: the first that gets a single one, else the first that returns one. */
function chooseEntityOperations(examples: readonly (readonly [Endpoint, OperationExample])[]): Map<string, string> {
  const isSingleRead = ([{ method, response }]: readonly [Endpoint, OperationExample]) =>
    method === 'GET' && response.kind === 'entity';
  const operations = new Map<string, string>();
  for (const [endpoint, { response }] of [...examples.filter(isSingleRead), ...examples]) {
    const entity = getEntityName(endpoint);
    const item = Array.isArray(response) ? response[0] : response;
    if (entity !== undefined && item !== undefined && !operations.has(entity)) operations.set(entity, endpoint.name);
  }
  return operations;
}

const isJson = ({ response: { schema } }: Endpoint) => schema !== null;

/** Returns one item of each list of objects, and the first values of other lists. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value) && typeof value[0] === 'object') {
    // Linters take an object with `type: array` for a schema.
    return [value.find((item) => item?.type !== 'array') ?? value[0]].map(shorten);
  }
  if (Array.isArray(value)) return value.slice(0, MAX_LIST_LENGTH);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}

/**
 * Returns a function that replaces what differs from run to run: the address of the server, secrets, and ids that are hashes or
 * random. Equal values of one operation stay equal.
 */
function createRedaction(operation: string, address: string, exchanges: readonly HttpExchange[]) {
  const { host } = new URL(address);
  const secrets = exchanges.flatMap((exchange) => [...findSecrets(exchange)]);
  const replacements = new Map<string, string>();
  const replace = (text: string) => {
    const digest = createHash('sha512').update(`${operation} ${replacements.size}`).digest('hex');
    const replacement = replacements.get(text) ?? digest.slice(0, text.length);
    replacements.set(text, replacement);
    return replacement;
  };
  const redactText = (text: string): string => {
    let redacted = text.replaceAll(address, 'https://hearth.example.com');
    redacted = redacted.replaceAll(host, 'hearth.example.com').replaceAll('127.0.0.1', 'hearth.example.com');
    for (const secret of secrets) redacted = redacted.replaceAll(secret, '<secret>');
    redacted = redacted
      .replaceAll(/\b(?:gl[a-z]+-[\w.-]{8,}|GR1348941[\w-]{8,})/g, '<secret>')
      .replaceAll(/ssh-ed25519 [\w+/=]+/g, 'ssh-ed25519 <key>')
      .replaceAll(/(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{16})(?![0-9a-f])/g, replace)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) =>
        replace(id).replaceAll(/^(.{8}).(.{4}).(.{4}).(.{4}).(.{12})$/g, '$1-$2-$3-$4-$5'),
      );
    return redacted.length > MAX_TEXT_LENGTH ? `${redacted.slice(0, MAX_TEXT_LENGTH)}...` : redacted;
  };
  const redact = (value: unknown, name = ''): unknown => {
    if (typeof value === 'string') return isSecretName(name) && value !== '' ? '<secret>' : redactText(value);
    if (Array.isArray(value)) return value.map((item) => redact(item, name));
    if (typeof value !== 'object' || value === null) return value;
    const redacted = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner, key)]));
    // The short id of a commit is the beginning of the id that has replaced its own.
    return 'short_id' in redacted ? { ...redacted, short_id: String(redacted.id).slice(0, 8) } : redacted;
  };
  return redact;
}
