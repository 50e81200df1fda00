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
import { type Caller, type CallerTarget, createCaller, type HttpExchange } from './caller.ts';
import {
  createFixtureFactory,
  type FixtureFactory,
  type Group,
  type NewParentOptions,
  type NewProjectOptions,
  type NonOwnerRole,
  type Project,
} from './namespaces.ts';
import { createServerPair } from './server-pair.ts';
import { type TestClock, testClock } from './test-clock.ts';

export type { Caller, TestResponse } from './caller.ts';
export { expectSuccess, type Group, type Project, type Role, type Runner } from './namespaces.ts';

/** Options of a world. The tests of one file share one server per distinct `env`. */
export interface WorldOptions {
  /** Environment variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A running server and its callers. The tests of one file share it, so each test creates its own data:
 *
 *     const { project, owner, developer } = await world({ project: { visibility: 'public', with: ['developer'] } });
 *     await developer.post(`${project.repository}/branches`, { branch: 'feature', ref: 'main' });
 *
 * `world` creates the group or project of the test; `newGroup` and `newProject` create any others.
 */
export interface World extends FixtureFactory {
  readonly server: Server;
  /** The servers that may handle a request: one, or both of a pair. */
  readonly servers: readonly Server[];
  readonly clock: TestClock;
  /** The administrator `root`. */
  readonly root: Caller;
  /** A caller without a token. */
  readonly anonymous: Caller;
  /** Creates a user with a token. */
  user(options?: { username?: string; scopes?: readonly string[]; passwordHash?: string }): Promise<Caller>;
  /** Creates another token of the same user. */
  tokenOf(caller: Caller, scopes: readonly string[]): Promise<Caller>;
  /** Returns a caller for the same user with any token, valid or not. */
  withToken(caller: Caller, token: string | null): Caller;
  /** Runs all due jobs of the queue, including those that they enqueue. */
  runJobs(): Promise<void>;
  /** Returns a name that is unique in this world. */
  name(prefix?: string): string;
  /** Returns the server's log so far, one JSON object a line. */
  logged(): string;
  /** Calls `listener` after each response to a caller of this world from now on. */
  listen(listener: (said: HttpExchange) => void): void;
}

const worlds = new Map<string, Promise<World>>();
const endings: (() => Promise<void>)[] = [];

// Registered at the top of the module, so that the hook belongs to the file and not to its first test.
after(async () => {
  for (const end of endings) await end();
});

/** A world with a new group or project, its owner and its members in the roles of `with`. */
type WorldWithMembers<With extends NonOwnerRole> = World & Readonly<Record<With | 'owner', Caller>>;

export function world(options?: WorldOptions): Promise<World>;
export function world<const With extends NonOwnerRole = never>(
  options: WorldOptions & { readonly project: NewProjectOptions<With> },
): Promise<WorldWithMembers<With> & { readonly project: Project }>;
export function world<const With extends NonOwnerRole = never>(
  options: WorldOptions & { readonly group: NewParentOptions<With> },
): Promise<WorldWithMembers<With> & { readonly group: Group }>;
export async function world({
  env = {},
  project: projectWish,
  group: groupWish,
}: WorldOptions & {
  project?: NewProjectOptions<NonOwnerRole>;
  group?: NewParentOptions<NonOwnerRole>;
} = {}): Promise<World> {
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

/** Variables that the server stores in the database at its first start. */
const FIRST_START_SETTINGS = /^HEARTH_(ROOT_|ALLOW_LOCAL_REQUESTS$)/;

async function createWorld(env: Readonly<Record<string, string>>): Promise<World> {
  const place = await testPlace(
    Object.keys(env).some((name) => FIRST_START_SETTINGS.test(name)) ? 'migrated' : 'started',
  );
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
  const log = createLog(config, { clock, destination: createLogDestination(lines) });
  const overrides = { clock, log, detectLongTransactions: true, work: false };
  const server = await startServer(config, overrides);
  // A configuration of its own: caches of a server are found by it.
  const second = inPairs ? await startServer({ ...config }, overrides) : null;
  const pair = second && (await createServerPair(server, second));
  endings.push(async () => {
    await pair?.stop();
    await closeWorld(server);
    await place.remove();
  });
  return describeWorld(pair?.server ?? server, [server, ...(second ? [second] : [])], clock, lines);
}

function describeWorld(server: Server, servers: readonly Server[], clock: TestClock, lines: string[]): World {
  const listeners: ((said: HttpExchange) => void)[] = [];
  const line: CallerTarget = { address: server.address, registry: server.registry, listeners };
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
    async runJobs() {
      await server.queue.runDue();
    },
    name,
    ...createFixtureFactory({ user, name, server, root }),
    logged: () => lines.join('\n'),
    listen: (listener) => void listeners.push(listener),
  };
}

/** Stops the server and asserts that no dead jobs and no git processes are left. */
async function closeWorld(server: Server): Promise<void> {
  await server.queue.runDue();
  const dead = await server.services.database.reader
    .selectFrom('background_jobs')
    .selectAll()
    .where('state', '=', 'dead')
    .execute();
  await server.stop();
  assert.deepEqual(dead, [], 'dead jobs are left in the queue');
  assert.equal(server.services.git.processes.children.size, 0, 'git processes are left');
}

/** Returns a log destination that collects the lines and prints errors to standard error immediately. */
function createLogDestination(lines: string[]) {
  return {
    write(line: string) {
      lines.push(line.trimEnd());
      if (line.includes('"level":"error"')) process.stderr.write(line);
    },
  };
}
