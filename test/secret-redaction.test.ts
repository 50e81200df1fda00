import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getSession } from '#database/sessions.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { isSecretName } from '#security/redaction.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { findSecrets } from './support/response-secrets.ts';
import { world } from './support/world.ts';

// Calls every endpoint with its examples, and then with secrets in wrong places. The tests search for these secrets in the
// log, the database, the error responses and the documentation.

const here = await world({ env: { HEARTH_LOG_LEVEL: 'debug' } });
const { server, anonymous } = here;
const { database, config } = server.services;

/** Stands for secrets in the examples of the OpenAPI document. */
const PLACEHOLDER = '<secret>';
const secrets = new Set(['correct-horse-battery']);
let exchanges = 0;
/** The bodies of error responses. */
const errorTexts: string[] = [];
here.listen((exchange) => {
  exchanges++;
  const { status, body, text } = exchange.response;
  if (status >= 400 && body !== null) errorTexts.push(text);
  for (const secret of findSecrets(exchange)) if (secret !== PLACEHOLDER) secrets.add(secret);
});

const scene = await createScene(here, await createCallers(here), 'private');
const examples = ourShare(await allExamples(server.registry));
for (const { endpoint, builds } of examples) {
  for (const build of builds) {
    const example = await build(scene);
    await ask(here, endpoint, example, scene.callers[example.by]);
  }
}
await here.runJobs();

/** These secrets are never valid; requests only try them. */
let marks = 0;
const MARK_END = '-velvet-octopus';
const mark = () => `lamp-${++marks}${MARK_END}`;

for (const { endpoint, builds } of examples) {
  const names = Object.keys(getDeclaredParameters(endpoint)).filter(isSecretName);
  for (const name of names) {
    const { params, raw: content, ...example } = await builds[0](scene);
    // Raw bodies, such as logs, are stored unchanged, so the parameters are in the query.
    const raw = endpoint.body === 'raw' ? content : undefined;
    for (const value of [mark(), { [mark()]: mark() }, [mark()], `${mark()}\u0000`]) {
      await ask(here, endpoint, { ...example, raw, params: { ...params, [name]: value } }, scene.callers[example.by]);
    }
  }
}

const PATHS = [
  '/user',
  '/nowhere',
  '/projects/1',
  '//oauth/token',
  '//oauth/token/info',
  '//users/sign_in',
  '//x/y.git/info/refs',
];
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const deep = (depth: number): string => (depth === 0 ? `"${mark()}"` : `{"password":${deep(depth - 1)}}`);

for (const path of PATHS) {
  const type = { 'Content-Type': 'application/json' };
  await anonymous.get(`${path}?private_token=${mark()}&service=git-upload-pack&code=${mark()}`);
  await anonymous.get(`${path}?access_token=${mark()}&password=%zz${mark()}`);
  for (const Authorization of [`Bearer ${mark()}`, basic(`${mark()}:${mark()}`), mark()]) {
    await anonymous.get(`${path}?service=git-receive-pack`, {}, { Authorization });
  }
  await anonymous.get(path, {}, { 'PRIVATE-TOKEN': mark(), Cookie: `_service_session=${mark()}` });
  await anonymous.get(path, {}, { 'JOB-TOKEN': mark(), 'DEPLOY-TOKEN': mark() });
  for (const raw of [`{"password":"${mark()}"`, `{"password":${deep(40)}}`, `[{"password":"${mark()}"}]`]) {
    await anonymous.send('POST', path, { raw, headers: type });
  }
  await anonymous.send('POST', path, { raw: `password=${mark()}`, headers: { 'Content-Type': 'text/plain' } });
}

const tried = () => Array.from({ length: marks }, (_, index) => `lamp-${index + 1}${MARK_END}`);

/** Returns where the text contains secrets, with the first six characters of each. */
function leaks(text: string | Buffer, where: string): string[] {
  // One search excludes all marks.
  const all = text.includes(MARK_END) ? [...secrets, ...tried()] : [...secrets];
  return all.filter((secret) => text.includes(secret)).map((secret) => `${where}: ${secret.slice(0, 6)}…`);
}

async function rowsOf(): Promise<[table: string, rows: string][]> {
  const { engine, connection } = getSession(database.reader);
  const read = (sql: string) => connection.execute({ sql, parameters: [] });
  const names =
    engine.name === 'sqlite'
      ? "select name from sqlite_schema where type = 'table' and sql not like 'create virtual%'"
      : "select table_name as name from information_schema.tables where table_schema = 'public'";
  const { rows: tables } = await read(names);
  return Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await read(`select * from "${name}"`);
      const text = JSON.stringify(rows, (_, value) => (ArrayBuffer.isView(value) ? String(value) : value));
      return [String(name), text] as [string, string];
    }),
  );
}

test('the test has secrets to search for', () => {
  assert.ok(secrets.size > 100, `${secrets.size} secrets`);
  assert.ok(marks > 100, `${marks} marks`);
});

test('no secret is logged', () => {
  const log = here.logged();
  assert.ok(log.split('\n').length >= exchanges, 'every request is logged');
  assert.deepEqual(leaks(log, 'log'), []);
});

test('no error response contains a secret', () => {
  assert.ok(errorTexts.length > 100, `${errorTexts.length} error responses`);
  assert.deepEqual(leaks(errorTexts.join('\n'), 'error responses'), []);
});

test('the database contains no secret in plain text', async () => {
  const tables = await rowsOf();
  assert.ok(tables.length > 20, `${tables.length} tables`);
  assert.deepEqual(
    tables.flatMap(([table, rows]) => leaks(rows, table)),
    [],
  );
});

test('no file of the data directory contains a secret, including freed database pages', () => {
  const entries = readdirSync(config.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.flatMap((file) => leaks(readFileSync(file), file.slice(config.dataDir.length))),
    [],
  );
});

test('the documentation contains no secret', async () => {
  const document = await anonymous.get('/openapi.json');
  assert.deepEqual(leaks(document.text, 'openapi.json'), []);
  assert.deepEqual(leaks((await anonymous.get('//api/docs')).text, 'docs'), []);
});
