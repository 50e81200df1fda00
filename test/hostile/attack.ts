import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ROOT, testPlace } from '../engines/engine.ts';
import type { Damage, Holdings, Order } from './target.ts';
import type { Bidding, Manners, Waited } from './well-behaved-client.ts';

/*
 * Attacks of hostile clients, and checks that other clients do not suffer from them.
 *
 * To add a case, write `test/hostile/<attack>.unit.test.ts` (it runs once, on SQLite), or `<attack>.test.ts` if the engine matters:
 *
 *     const target = await startTarget();
 *     const { id } = await target.done('POST', '/projects', { name: 'victim' });
 *
 *     attack('a sentence that can be false', target, async () => {
 *       await target.send('GET', `/projects/${id}/repository/tree?path=${'x///'.repeat(1000)}`);
 *     });
 *
 * Preparation before `attack` is not measured. During the attack a well-behaved client sends one request after the other, in
 * its own thread (`well-behaved-client.ts`). `attack` then asserts:
 * - no turn of the event loop took more than 50 ms (more on a slow or shared machine: `slowness`, `watchShare`);
 * - memory grew by at most 150 MB;
 * - the well-behaved client never waited for more than a second, and at the median for at most 100 ms (more on a busy machine);
 * - no git process and no file descriptor is left.
 * A case that needs other limits passes them in its last argument, with the reason. The whole folder takes under a minute.
 */

/** The parts of a response that attacks inspect. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
  readonly body: any;
  readonly text: string;
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

/** A server in a process of its own, and ways to speak to it as the administrator. */
export interface Target {
  readonly address: string;
  /** The server's data directory, for data that clients cannot create. */
  readonly dataDir: string;
  /** Authentication headers of root, for requests of the test. */
  readonly asRoot: Readonly<Record<string, string>>;
  /** Sends a request as root. A path that starts with `//` is relative to the server's root. */
  send(method: string, path: string, sending?: Sending): Promise<Answered>;
  /** A call with JSON that prepares something: it must succeed. Gives the body. */
  done(method: string, path: string, params?: object): Promise<Answered['body']>;
  /** A new connection on which these bytes are on their way. */
  open(...bytes: readonly (string | Buffer)[]): Socket;
  /** Starts the measurement and the well-behaved client, which requests these paths. */
  begin(paths?: readonly string[]): Promise<Holdings>;
  end(): Promise<Damage & Waited>;
}

interface TargetOptions {
  /** Milliseconds that a body may stall in either direction; default 500. */
  readonly idleTimeout?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server for the attacks of one file; it ends with them. */
export async function startTarget({ idleTimeout = 500, env = {} }: TargetOptions = {}): Promise<Target> {
  const place = await testPlace('started');
  const child = fork(process.env.HEARTH_TEST_TARGET ?? join(import.meta.dirname, 'target.ts'), {
    // Its memory is measured, so it runs without the test runner's options.
    execArgv: [],
    env: {
      ...process.env,
      HEARTH_PORT: '0',
      HEARTH_DATA_DIR: place.dataDir,
      ...(place.url === undefined ? {} : { HEARTH_DATABASE_URL: place.url }),
      HEARTH_LOG_LEVEL: 'error',
      HOSTILE_PATIENCE: String(idleTimeout),
      ...env,
    },
  });
  const order = async (what: Order) => {
    child.send(what);
    const [answer] = await once(child, 'message');
    return answer;
  };
  const [address] = (await once(child, 'message')) as [string];
  const asRoot = { 'PRIVATE-TOKEN': ROOT.token };
  const manners: Manners = { api: `${address}/api/v4`, headers: asRoot };
  const polite = new Worker(join(import.meta.dirname, 'well-behaved-client.ts'), { workerData: manners });
  after(async () => {
    await polite.terminate();
    child.send('stop');
    await once(child, 'exit');
    await place.remove();
  });
  const send: Target['send'] = (method, path, sending) => ask(address, method, path, asRoot, sending);
  return {
    address,
    dataDir: place.dataDir,
    asRoot,
    send,
    async done(method, path, params) {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await send(method, path, { headers, body: params && JSON.stringify(params) });
      assert.ok(answer.status < 300, `${method} ${path} was answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
    open(...bytes) {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
      // Many attacks wait until the server closes the connection.
      socket.on('error', () => {});
      for (const each of bytes) socket.write(each);
      return socket;
    },
    async begin(paths = ['/projects?per_page=5']) {
      const before = await order('begin');
      polite.postMessage({ paths } satisfies Bidding);
      return before;
    },
    async end() {
      polite.postMessage('end' satisfies Bidding);
      const [waited] = (await once(polite, 'message')) as [Waited];
      return { ...waited, ...(await order('end')) };
    },
  };
}

/** Returns the head of a request for `open`; the path is sent unchanged. */
export function head(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string {
  const lines = Object.entries({ Host: 'hostile.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** Limits of an attack that differ from the defaults. */
interface Allowed {
  /** Milliseconds of one turn of the event loop; default 50. */
  readonly turn?: number;
  /** Mebibytes: 150. */
  readonly memory?: number;
  /** Milliseconds that the well-behaved client waits for a response; default 1,000. */
  readonly wait?: number;
  /** What the polite client asks for, instead of projects. */
  readonly paths?: readonly string[];
}

/** Milliseconds: half of the answers to each question of the polite client come sooner. */
const MEDIAN = 100;

/** A machine that others use can spoil a measure, a few times in a row; a server that is to blame is so each time. */
const TRIES = 8;

/**
 * Declares a test that runs the attack, then asserts the limits and that no resources leak. Exceeded limits of time or
 * memory are measured again, so `work` must be repeatable.
 */
export function attack(title: string, target: Target, work: () => Promise<void>, allowed: Allowed = {}): void {
  test(title, async () => {
    let suffered: string[] = [];
    for (let tries = 0; tries < TRIES; tries++) {
      suffered = await sufferedFrom(target, work, allowed);
      if (suffered.length === 0) return;
    }
    assert.fail(suffered.join(', '));
  });
}

async function sufferedFrom(target: Target, work: () => Promise<void>, allowed: Allowed): Promise<string[]> {
  const { turn = 50, memory = 150, wait = 1000 } = allowed;
  const before = await target.begin(allowed.paths);
  const share = watchShare();
  let damage: Damage & Waited;
  try {
    await work();
  } finally {
    damage = await target.end();
  }
  assert.equal(damage.wrong, undefined, 'the polite client was not served');
  assert.deepEqual(damage.children, [], 'git processes are left');
  assert.ok(damage.descriptors <= before.descriptors, `descriptors: ${before.descriptors} -> ${damage.descriptors}`);
  const { longestTurn, slowness, grownBy, longestWait, medianWait } = damage;
  const given = share.end();
  const said = [
    longestTurn > (turn * slowness) / given && `the event loop was held for ${Math.round(longestTurn)} ms`,
    grownBy > memory * 2 ** 20 && `memory grew by ${Math.round(grownBy / 2 ** 20)} MB`,
    medianWait > (MEDIAN * crowding()) / given &&
      `half of the answers to a polite client took over ${Math.round(medianWait)} ms`,
    longestWait > (wait * crowding()) / given && `a polite client waited for ${Math.round(longestWait)} ms`,
  ];
  return said.filter((each) => each !== false);
}

/**
 * Measures the share of requested processor time that a virtual machine receives from now on. The host gives the rest
 * (steal time) to others, but it counts as time of the process. 1 if the system does not report it.
 */
function watchShare() {
  const before = processorTimes();
  return {
    end() {
      const [asked, stolen] = processorTimes().map((time, at) => time - before[at]!) as [number, number];
      return asked > 0 ? 1 - stolen / asked : 1;
    },
  };
}

/** Of all processors since the machine has started: how long they were wanted, and how long of that others had them. */
function processorTimes(): [asked: number, stolen: number] {
  if (!existsSync('/proc/stat')) return [0, 0];
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'latin1')
    .slice(0, 200)
    .split('\n')[0]!
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number) as number[];
  const stolen = steal ?? 0;
  return [user! + nice! + system! + irq! + softirq! + stolen, stolen];
}

/** How many want each processor: where others work too, everybody waits longer. */
function crowding(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}

function ask(
  address: string,
  method: string,
  path: string,
  own: Readonly<Record<string, string>>,
  { headers = {}, body }: Sending = {},
): Promise<Answered> {
  const url = new URL(path.startsWith('//') ? path.slice(1) : `/api/v4${path}`, address);
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const request = httpRequest(url, { method, agent: false, headers: { ...own, ...length, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const content = Buffer.concat(chunks);
      const isJson = response.headers['content-type'] === 'application/json' && content.length > 0;
      resolve({
        status: response.statusCode ?? 0,
        body: isJson ? JSON.parse(content.toString('utf8')) : null,
        // Most attacks only need a long response to arrive; decoding it to text would dominate their cost.
        get text() {
          return content.toString('utf8');
        },
      });
    });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
