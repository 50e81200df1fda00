import assert from 'node:assert/strict';
import { after } from 'node:test';
import { createToken } from '#authentication/tokens/access-tokens.ts';
import { createUser } from '#authentication/users/users.ts';
import { loadConfig } from '#config.ts';
import type { Transaction } from '#database/database.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { isFailure } from '#runtime/failure.ts';
import { createLog } from '#runtime/log.ts';
import { type Server, startServer } from '#server.ts';
import { inPairs, ROOT, testPlace } from '../engines/engine.ts';
import { type Caller, createCaller, type Line, type Said } from './caller.ts';
import {
  type Companion,
  type Group,
  type Makers,
  makersOf,
  type Project,
  type ProjectWish,
  type Wish,
} from './namespaces.ts';
import { pairUp } from './server-pair.ts';
import { type TestClock, testClock } from './test-clock.ts';

export type { Answer, Caller } from './caller.ts';
export { done, type Group, type Project, type Role, type Runner } from './namespaces.ts';

/** What a world may differ in: each difference is a server of its own, shared by the tests of one file. */
export interface WorldOptions {
  /** Start-up settings, by the names of their variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A running server and people who speak to it. Tests of one file share it, so each makes what it counts on itself:
 *
 *     const { project, owner, developer } = await world({ project: { visibility: 'public', with: ['developer'] } });
 *     await developer.post(`${project.repository}/branches`, { branch: 'feature', ref: 'main' });
 *
 * The group or project that a test is about comes with the world; `newGroup` and `newProject` make any others.
 */
export interface World extends Makers {
  readonly server: Server;
  /** Each that may answer a request: this one, or both of a pair. */
  readonly servers: readonly Server[];
  readonly clock: TestClock;
  /** The administrator. */
  readonly root: Caller;
  /** Nobody. */
  readonly anonymous: Caller;
  /** A new user with a token. */
  user(options?: { username?: string; scopes?: readonly string[]; passwordHash?: string }): Promise<Caller>;
  /** Another token of the same user. */
  tokenOf(caller: Caller, scopes: readonly string[]): Promise<Caller>;
  /** The same user with another secret, whatever it is. */
  withToken(caller: Caller, token: string | null): Caller;
  /** Does all work that waits in the queue, and what that work brings. */
  work(): Promise<void>;
  /** A name that no other test of this file uses. */
  name(prefix?: string): string;
  /** What the server has logged so far, one JSON object a line. */
  logged(): string;
  /** Tells of every request that a caller of this world makes from now on, when it is answered. */
  listen(listener: (said: Said) => void): void;
}

const worlds = new Map<string, Promise<World>>();
const endings: (() => Promise<void>)[] = [];

// At the top of the module, so that it belongs to the file and not to the test that happens to be first.
after(async () => {
  for (const end of endings) await end();
});

/** A world with a new group or project and its people: whom `with` names, and the owner. */
type Peopled<With extends Companion> = World & Readonly<Record<With | 'owner', Caller>>;

export function world(options?: WorldOptions): Promise<World>;
export function world<const With extends Companion = never>(
  options: WorldOptions & { readonly project: ProjectWish<With> },
): Promise<Peopled<With> & { readonly project: Project }>;
export function world<const With extends Companion = never>(
  options: WorldOptions & { readonly group: Wish<With> },
): Promise<Peopled<With> & { readonly group: Group }>;
export async function world({
  env = {},
  project: projectWish,
  group: groupWish,
}: WorldOptions & { project?: ProjectWish<Companion>; group?: Wish<Companion> } = {}): Promise<World> {
  const here = await serverWith(env);
  const project = projectWish && (await here.newProject(projectWish));
  const group = groupWish && (await here.newGroup(groupWish));
  const place = project ?? group;
  if (!place) return here;
  const people = (projectWish ?? groupWish)?.with?.map((role) => [role, place[role]]) ?? [];
  return { ...here, ...(project ? { project } : { group }), owner: place.owner, ...Object.fromEntries(people) };
}

function serverWith(env: Readonly<Record<string, string>>): Promise<World> {
  const key = JSON.stringify(env);
  let made = worlds.get(key);
  if (made === undefined) {
    made = createWorld(env);
    worlds.set(key, made);
  }
  return made;
}

/** What goes into a database at its first start. */
const SAID_FIRST = /^HEARTH_(ROOT_|ALLOW_LOCAL_REQUESTS$)/;

async function createWorld(env: Readonly<Record<string, string>>): Promise<World> {
  const place = await testPlace(Object.keys(env).some((name) => SAID_FIRST.test(name)) ? 'migrated' : 'started');
  const clock = testClock();
  const lines: string[] = [];
  const config = loadConfig({
    HEARTH_PORT: '0',
    HEARTH_DATA_DIR: place.dataDir,
    HEARTH_ROOT_TOKEN: ROOT.token,
    HEARTH_ROOT_PASSWORD: ROOT.password,
    HEARTH_LOG_LEVEL: 'info',
    ...(place.url === undefined ? {} : { HEARTH_DATABASE_URL: place.url }),
    ...env,
  });
  const log = createLog(config, { clock, destination: keptIn(lines) });
  const surroundings = { clock, log, detectLongTransactions: true, work: false };
  const server = await startServer(config, surroundings);
  const second = inPairs ? await startServer(config, surroundings) : null;
  const pair = second && (await pairUp(server, second));
  endings.push(async () => {
    await pair?.part();
    await closeWorld(server);
    await place.remove();
  });
  return describeWorld(pair?.server ?? server, [server, ...(second ? [second] : [])], clock, lines);
}

function describeWorld(server: Server, servers: readonly Server[], clock: TestClock, lines: string[]): World {
  const listeners: ((said: Said) => void)[] = [];
  const line: Line = { address: server.address, registry: server.registry, listeners };
  const { database } = server.services;
  let names = 0;
  const name = (prefix = 'thing') => `${prefix}-${++names}`;
  const issue = (tx: Transaction, userId: number, scopes: readonly string[]) =>
    createToken(tx, { userId, name: 'test', scopes, expiresAt: '2026-12-31', prefix: 'glpat-' });
  const user: World['user'] = async ({ username = name('user'), scopes = ['api'], passwordHash = null } = {}) => {
    const created = await database.transaction(async (tx) => {
      const email = `${username}@hearth.test`;
      const details = { projects_limit: 100_000 };
      const row = await createUser(tx, {
        username,
        name: `Name of ${username}`,
        email,
        passwordHash,
        confirmed: true,
        details,
      });
      if (isFailure(row)) throw new Error(`${username}: ${row.code} ${JSON.stringify(row.values)}`);
      await createPersonalNamespace(tx, row);
      const { secret } = await issue(tx, row.id, scopes);
      return { id: row.id, token: secret };
    });
    return createCaller(line, { ...created, username });
  };
  const root = createCaller(line, { id: 1, username: 'root', token: ROOT.token });
  return {
    server,
    servers,
    clock,
    root,
    anonymous: createCaller(line, { id: 0, username: '', token: null }),
    user,
    async tokenOf(caller, scopes) {
      const { secret } = await database.transaction((tx) => issue(tx, caller.id, scopes));
      return createCaller(line, { id: caller.id, username: caller.username, token: secret });
    },
    withToken: (caller, token) => createCaller(line, { id: caller.id, username: caller.username, token }),
    async work() {
      await server.queue.runDue();
    },
    name,
    ...makersOf({ user, name, server, root }),
    logged: () => lines.join('\n'),
    listen: (listener) => void listeners.push(listener),
  };
}

/** The end of a world: no dead work, no git process left. */
async function closeWorld(server: Server): Promise<void> {
  await server.queue.runDue();
  const dead = await server.services.database.reader
    .selectFrom('background_jobs')
    .selectAll()
    .where('state', '=', 'dead')
    .execute();
  await server.stop();
  assert.deepEqual(dead, [], 'dead work is left in the queue');
  assert.equal(server.services.git.processes.children.size, 0, 'git processes are left');
}

/** The log as it is outside of tests, kept; what goes wrong is shown at once. */
function keptIn(lines: string[]) {
  return {
    write(line: string) {
      lines.push(line.trimEnd());
      if (line.includes('"level":"error"')) process.stderr.write(line);
    },
  };
}
