// Drives a Hearth server with one of Sentry's SDKs: a small program of its language reports, and what has come of it is looked
// at through the API. One line a step. The arguments are the SDK's kind and the command of the program.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api, step } from '../step.ts';

const run = promisify(execFile);
const [kind = '', ...sender] = process.argv.slice(2);
const command = sender.length > 0 ? sender : [process.env.CLIENT ?? ''];

/** What differs from language to language. Defaults: the level is `error`, sessions are reported, and frames have the lines around the call. */
interface Kind {
  readonly platform: string;
  /** Matches the title of the error of a division. */
  readonly division: RegExp;
  readonly level?: 'fatal';
  readonly sessions?: false;
  readonly contextLines?: false;
}
const KINDS: Readonly<Record<string, Kind>> = {
  python: { platform: 'python', division: /^ZeroDivisionError: / },
  'python-raven': { platform: 'python', division: /^ZeroDivisionError: /, sessions: false },
  node: { platform: 'node', division: /^RangeError: / },
  // This SDK cannot read the source of a module.
  'node-raven': { platform: 'node', division: /^RangeError: /, sessions: false, contextLines: false },
  browser: { platform: 'javascript', division: /^RangeError: /, contextLines: false },
  ruby: { platform: 'ruby', division: /^ZeroDivisionError: / },
  'ruby-raven': { platform: 'ruby', division: /^ZeroDivisionError: /, sessions: false },
  // A recovered panic is fatal.
  go: {
    platform: 'go',
    division: /integer divide by zero$/,
    level: 'fatal',
    sessions: false,
    contextLines: false,
  },
  rust: { platform: 'native', division: /^panic: attempt to divide by zero$/, level: 'fatal', contextLines: false },
  java: { platform: 'java', division: /^ArithmeticException: /, contextLines: false },
  'java-1': { platform: 'java', division: /^ArithmeticException: /, sessions: false, contextLines: false },
};
const { platform, division, level = 'error', sessions = true, contextLines = true } = KINDS[kind]!;

interface Listed {
  readonly id: number;
  readonly title: string;
  readonly count: number;
  readonly culprit: string | null;
  readonly [field: string]: unknown;
}
interface Shown {
  readonly release: string;
  readonly environment: string;
  readonly user: { readonly id: string | null } | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly stacktrace: readonly { readonly function: string; readonly context: readonly [number, string][] }[];
}

const project = `/projects/${((await json('POST', '/projects', { name: `by ${kind}` })) as { id: number }).id}`;
const tracking = `${project}/error_tracking`;
const key = (await json('POST', `${tracking}/client_keys`)) as { id: number; sentry_dsn: string };

async function json(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await api(method, path, body);
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

const errors = async () => (await json('GET', `${tracking}/errors?per_page=100`)) as Listed[];

async function error(title: RegExp): Promise<Listed> {
  const all = await errors();
  const found = all.filter((one) => title.test(one.title));
  assert.equal(found.length, 1, `${title}: ${JSON.stringify(all.map((one) => one.title))}`);
  return found[0]!;
}

const latest = async ({ id }: Listed) => (await json('GET', `${tracking}/errors/${id}/events/latest`)) as Shown;

const send = (dsn: string) =>
  run(command[0]!, command.slice(1), { env: { ...process.env, DSN: dsn }, timeout: 60_000 });

await step('the program reports and ends', () => send(key.sentry_dsn));

await step('an exception is one error, counted as often as it was raised', async () => {
  const found = await error(division);
  assert.deepEqual([found.count, found.user_count, found.type, found.level], [2, 1, 'error', level]);
  assert.deepEqual([found.platform, found.status], [platform, 'unresolved']);
});

await step('an event says where it happened, to whom and in what', async () => {
  const { release, environment, user, tags, stacktrace } = await latest(await error(division));
  assert.deepEqual([release, environment, user?.id, tags.shop], ['shop@1.2.3', 'production', '42', 'Größe ☃']);
  assert.ok(stacktrace.some((frame) => /divide|\//.test(frame.function)));
  if (contextLines) assert.ok(stacktrace.some(({ context }) => context.some(([, line]) => /\/ 0/.test(line))));
});

await step('a message is an error by its first line', async () => {
  const found = (await errors()).find(({ message }) => message === 'Größe ☃ 😀\nand more')!;
  assert.deepEqual([found.level, found.count], ['warning', 1]);
  assert.deepEqual([found.type, found.title], ['default', 'Größe ☃ 😀']);
});

await step('a large report comes whole', async () => {
  const { stacktrace } = await latest(await error(/TooLarge/));
  const calls = stacktrace.filter((one) => one.function.includes('deeper'));
  assert.ok(calls.length >= 40, `${calls.length}`);
  // Older SDKs shorten the frames in the middle.
  if (contextLines) assert.ok(calls.some(({ context }) => context.length > 5));
});

await step(
  'one fingerprint makes one error of two exceptions, called as the newer one, which has an attachment',
  async () => {
    assert.equal((await error(/OtherWay/)).count, 2);
  },
);

await step('nothing else has become an error', async () => {
  assert.equal((await errors()).length, 4);
});

if (sessions)
  await step('the session is counted', async () => {
    const counted = (await json('GET', `${tracking}/sessions`)) as { release: string; total: number }[];
    assert.equal(counted.length, 1);
    assert.equal(counted[0]!.release, 'shop@1.2.3');
    assert.ok(counted[0]!.total >= 1);
  });

await step('with the DSN as other servers give it out it is the same', async () => {
  const { origin, pathname } = new URL(key.sentry_dsn);
  const userOf = key.sentry_dsn.replace(/^(\w+:\/\/\w+@).*/, '$1');
  const host = origin.replace(/^\w+:\/\//, '');
  const id = pathname.split('/').at(-1);
  for (const path of [`/api/v4/error_tracking/collector/${id}`, `/${id}`]) await send(`${userOf}${host}${path}`);
  assert.equal((await error(division)).count, 6);
});

await step('a resolved error is unresolved when it happens again', async () => {
  const { id } = await error(division);
  await json('PUT', `${tracking}/errors/${id}`, { status: 'resolved' });
  await send(key.sentry_dsn);
  assert.equal((await error(division)).count, 8);
});

await step('a program whose key was deleted goes on, and nothing is stored', async () => {
  await json('DELETE', `${tracking}/client_keys/${key.id}`);
  await send(key.sentry_dsn);
  assert.equal((await error(division)).count, 8);
});
