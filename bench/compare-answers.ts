// `node bench/compare-answers.ts DATA_DIR [postgres://...] --build=CHECKOUT`: sends 1,280 requests of four callers, each to this
// checkout and to another one, on the data of `first-reads.ts`, and compares status, headers and body byte for byte. Prints the
// requests whose answers differ, and exits with 1 if there is one.
import { cpSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { defineReads, fill, prepareReads, userToken } from './first-reads-data.ts';
import { startHearth } from './processes.ts';
import { SEED_TOKEN } from './seed.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string' }, urls: { type: 'string', default: '10000' } },
});
const [dataDir = '', databaseUrl] = positionals;
const urlCount = Number(values.urls);
const REQUESTS_PER_CALLER = 320;

/** The callers by name, with the token that they send. */
const callers: Readonly<Record<string, string | undefined>> = {
  administrator: SEED_TOKEN,
  user: userToken(4_711),
  'caller with a false token': 'glpat-false',
  'anonymous caller': undefined,
};

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Reads a path of a server. Masks what differs between two servers: its address, the time, and the id of the request. */
async function read(address: string, path: string, token: string | undefined): Promise<Answer> {
  const response = await fetch(`${address}/api/v4${path}`, {
    headers: token === undefined ? {} : { 'PRIVATE-TOKEN': token },
    redirect: 'manual',
  });
  const mask = (text: string) => text.replaceAll(address, 'ADDRESS').replaceAll(new URL(address).host, 'HOST');
  const body = mask(await response.text());
  // The ETag is a hash of the body, which contains the address.
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'etag'].includes(name));
  return { status: response.status, headers: mask(JSON.stringify(headers)), body };
}

const copy = `${dataDir}-copy`;
const data = { dataDir, url: databaseUrl, urlCount };
await fill(data);
const found = await prepareReads(data);
// The version contains the commit of the build.
const { version: _version, ...reads } = defineReads(found, urlCount);
const project = (index: number) => `/projects/${found.ids[index % found.ids.length]}`;
const paths: readonly ((index: number) => string)[] = [
  ...Object.values(reads).map(({ path }) => path),
  (index) => `${project(index)}/issues?state=opened&labels=bug&with_labels_details=true&per_page=3&page=2`,
  (index) => `${project(index)}/merge_requests`,
  (index) => `${project(index)}/labels`,
  (index) => `${project(index)}/milestones`,
  (index) => `${project(index)}/members/all`,
  (index) => `/projects?per_page=5&page=${1 + (index % 50)}&order_by=name`,
  (index) => `/projects?simple=true&per_page=5&page=${1 + (index % 50)}&statistics=true`,
  (index) => `/issues?scope=all&per_page=5&page=${1 + (index % 20)}`,
  (index) => `/users?per_page=5&page=${1 + (index % 50)}`,
  (index) => `/groups?per_page=2&page=${1 + (index % 10)}`,
];

// A server locks its data directory.
rmSync(copy, { recursive: true, force: true });
cpSync(dataDir, copy, { recursive: true });
const settings = databaseUrl === undefined ? {} : { HEARTH_DATABASE_URL: databaseUrl };
const server = await startHearth(dataDir, settings);
const other = await startHearth(copy, settings, values.build);
let differences = 0;
try {
  for (const [name, token] of Object.entries(callers)) {
    for (let index = 0; index < REQUESTS_PER_CALLER; index++) {
      // Every second request repeats an earlier one, so that caches answer some.
      const path = paths[index % paths.length]!(Math.floor(index / paths.length / 2) * 17);
      const answer = await read(server.address, path, token);
      const expected = await read(other.address, path, token);
      if (JSON.stringify(answer) === JSON.stringify(expected)) continue;
      differences++;
      process.stdout.write(
        `${name}: ${path}\n  this:  ${JSON.stringify(answer)}\n  other: ${JSON.stringify(expected)}\n`,
      );
    }
  }
} finally {
  await Promise.all([server.stop(), other.stop()]);
  rmSync(copy, { recursive: true, force: true });
}
const requests = REQUESTS_PER_CALLER * Object.keys(callers).length;
process.stdout.write(`${requests} requests, ${differences} different answers\n`);
process.exitCode = differences === 0 ? 0 : 1;
