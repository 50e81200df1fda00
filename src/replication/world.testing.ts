import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { loadConfig } from '#config.ts';
import type { ReplicableName } from '#database/schema.ts';
import { commitChanges } from '#git/commits/commit.ts';
import { createFileChanges, TEST_SIGNER } from '#git/fixtures.testing.ts';
import { createGit, type Git, getRepositoryAt } from '#git/git.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { ensureRepository, toDiskPath } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { sendRefAdvertisement, uploadPack } from '#git/transport/upload-pack.ts';
import { createLog } from '#runtime/log.ts';
import { testPlace } from '#test/engines/engine.ts';
import { type TestClock, testClock } from '#test/support/test-clock.ts';
import { type Secondary, startSecondary } from './index.ts';
import type { OwnSiteRecord, RemoteReplicable, ReplicationEvent } from './primary/schemas.ts';

/** A fake primary with real git, whose responses tests can change. */
export interface FakePrimary {
  readonly url: string;
  readonly site: { -readonly [Key in keyof OwnSiteRecord]: OwnSiteRecord[Key] };
  /** Objects that it lists; tests may change them. */
  readonly replicables: Map<string, RemoteReplicable>;
  readonly events: ReplicationEvent[];
  /** Received status reports. */
  readonly reports: Record<string, unknown>[];
  /** Received requests. */
  readonly requests: string[];
  /** Called before the routes; returns whether it has responded. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Adds a commit with these files to the repository's branch `main`, and an event. */
  commit(id: number, contents: Readonly<Record<string, string>>): Promise<void>;
  addBlob(name: ReplicableName, id: number, content: Buffer): void;
  removeReplicable(name: ReplicableName, id: number): void;
  /** Closes the server. */
  close(): Promise<void>;
  /** Listens again at the same address. */
  open(): Promise<void>;
}

export const SITE_KEYS = { accessKey: 'K'.repeat(20), secret: 'S'.repeat(40) };
export const ADMIN_TOKEN = 'glpat-admin';

const SITE: OwnSiteRecord = {
  id: 2,
  name: 'lyon',
  enabled: true,
  primary: false,
  repos_max_capacity: 2,
  files_max_capacity: 2,
  verification_max_capacity: 2,
  minimum_reverification_interval: 7,
  selective_sync_type: null,
  selective_sync_shards: [],
  selective_sync_namespace_ids: [],
};

/** Starts a fake primary, which is closed after the test. */
export async function createFakePrimary(t: TestContext): Promise<FakePrimary> {
  const testDatabase = await testPlace('empty');
  const git = createGit({
    storages: { default: join(testDatabase.dataDir, 'primary') },
    clock: { now: () => new Date() },
  });
  const blobs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    respond(fake, git, blobs, request, response).catch(() => response.destroy());
  });
  let port = 0;
  const open = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const addEvent = (
    event_name: ReplicationEvent['event_name'],
    replicable_name: ReplicableName,
    replicable_id: number,
  ) => {
    const created_at = '2026-01-02T03:04:05.000Z';
    fake.events.push({ id: fake.events.length + 1, created_at, event_name, replicable_name, replicable_id });
  };
  await open();
  const fake: FakePrimary = {
    url: `http://127.0.0.1:${port}`,
    site: { ...SITE },
    replicables: new Map(),
    events: [],
    reports: [],
    requests: [],
    intercept: null,
    async commit(id, contents) {
      const repository = getFakeRepository(git, `group/project-${id}`);
      const exists = fake.replicables.has(`project_repository ${id}`);
      await createCommit(git, repository, contents);
      const checksum = await computeRepositoryChecksum(git, repository);
      const attributes = { replicable_id: id, checksum, size: null, path: `group/project-${id}`, storage: 'default' };
      fake.replicables.set(`project_repository ${id}`, { replicable_name: 'project_repository', ...attributes });
      addEvent(exists ? 'updated' : 'created', 'project_repository', id);
    },
    addBlob(replicable_name, id, content) {
      blobs.set(`${replicable_name}/${id}`, content);
      const checksum = createHash('sha256').update(content).digest('hex');
      const attributes = { replicable_id: id, checksum, size: content.length, path: null, storage: null };
      fake.replicables.set(`${replicable_name} ${id}`, { replicable_name, ...attributes });
      addEvent('created', replicable_name, id);
    },
    removeReplicable(name, id) {
      fake.replicables.delete(`${name} ${id}`);
      addEvent('deleted', name, id);
    },
    async close() {
      await closeServer(server);
    },
    open,
  };
  t.after(async () => {
    if (server.listening) await closeServer(server);
    await git.close();
    await testDatabase.remove();
  });
  return fake;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

const getFakeRepository = (git: Git, path: string) => getRepositoryAt(git, 'default', toDiskPath(path));

async function createCommit(
  git: Git,
  repository: Repository,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  await ensureRepository(repository, { defaultBranch: 'main' });
  const ref = 'refs/heads/main';
  const parent = await resolveRef(repository, ref);
  const result = await commitChanges(git, repository, {
    parent,
    changes: createFileChanges(contents),
    author: TEST_SIGNER,
    committer: TEST_SIGNER,
    message: 'Change\n',
  });
  if (!('commit' in result)) throw new Error(`No commit: ${JSON.stringify(result)}`);
  await updateRefs(git, repository, [{ ref, oldId: parent ?? ZERO_ID, newId: result.commit }]);
}

async function respond(
  fake: FakePrimary,
  git: Git,
  blobs: ReadonlyMap<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url!, 'http://primary');
  fake.requests.push(`${request.method} ${request.url}`);
  if (fake.intercept?.(request, response)) return;
  const sendJson = (value: unknown, status = 200) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const apiPath = /^\/api\/v4\/geo\/(.*)$/.exec(url.pathname)?.[1];
  if (apiPath !== undefined && !hasValidToken(request)) return sendJson({ message: '401 Unauthorized' }, 401);
  if (apiPath === 'site')
    return sendJson({ site: fake.site, primary: { name: 'hq', url: fake.url }, storages: ['default'] });
  if (apiPath === 'status') {
    fake.reports.push(JSON.parse(Buffer.concat(await request.toArray()).toString()) as Record<string, unknown>);
    return sendJson({ geo_node_id: fake.site.id }, 201);
  }
  const afterId = Number(url.searchParams.get('after_id'));
  const perPage = Number(url.searchParams.get('per_page'));
  if (apiPath === 'events') return sendJson(fake.events.filter(({ id }) => id > afterId).slice(0, perPage));
  if (apiPath === 'replicables') {
    const name = url.searchParams.get('replicable_name');
    const replicables = [...fake.replicables.values()].filter((replicable) => replicable.replicable_name === name);
    const sorted = replicables.sort((a, b) => a.replicable_id - b.replicable_id);
    return sendJson(sorted.filter(({ replicable_id }) => replicable_id > afterId).slice(0, perPage));
  }
  if (apiPath?.startsWith('retrieve/')) {
    const content = blobs.get(apiPath.slice('retrieve/'.length));
    return content === undefined ? sendJson({ message: '404 Not Found' }, 404) : void response.end(content);
  }
  const [, path, service] = /^\/(.+)\.git\/(info\/refs|git-upload-pack)$/.exec(url.pathname) ?? [];
  if (path !== undefined) return serveGit(git, getFakeRepository(git, path), service!, request, response);
  await echo(request, response);
}

/** Verifies the token of the secondary as a primary does. */
function hasValidToken({ headers }: IncomingMessage): boolean {
  const [, key, signed, signature] = /^GL-Geo ([^:]+):([^.]+\.[^.]+)\.(.+)$/.exec(headers.authorization ?? '') ?? [];
  return (
    key === SITE_KEYS.accessKey &&
    createHmac('sha256', SITE_KEYS.secret).update(signed!).digest('base64url') === signature
  );
}

async function serveGit(
  git: Git,
  repository: Repository,
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const protocol = request.headers['git-protocol']?.toString();
  const kind = service === 'info/refs' ? 'advertisement' : 'result';
  response.setHeader('content-type', `application/x-git-upload-pack-${kind}`);
  if (service === 'info/refs')
    await sendRefAdvertisement(git, repository, 'git-upload-pack', { output: response, protocol });
  else await uploadPack(git, repository, { input: request, output: response, protocol });
}

/** Responds to other requests with a description of the request. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  const { method, url, rawHeaders, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json', 'x-from': 'primary', 'x-hearth-proxied': 'forged' });
  response.end(JSON.stringify({ method, url, headers, rawHeaders, bytes, sha256: hash.digest('hex') }));
}

export interface TestSecondary extends Secondary {
  readonly clock: TestClock;
  readonly dataDir: string;
  /** Log entries so far. */
  getLogText(): string;
  listRegistryRows(): Promise<Record<string, unknown>[]>;
  /** Stops the secondary and starts another one with its data. */
  restart(): Promise<TestSecondary>;
}

interface SecondaryOverrides {
  readonly env?: Readonly<Record<string, string>>;
  readonly stallTimeoutMs?: number;
  readonly primaryTimeoutMs?: number;
}

/** Starts a secondary of this primary, on this run's database engine, which polls only on request. */
export async function startTestSecondary(
  t: TestContext,
  primaryUrl: string,
  overrides: SecondaryOverrides = {},
): Promise<TestSecondary> {
  const testDatabase = await testPlace('migrated');
  const running = { stop: async () => {} };
  t.after(async () => {
    await running.stop();
    await testDatabase.remove();
  });
  const clock = testClock();
  const logLines: string[] = [];
  const config = loadConfig({
    HEARTH_ROLE: 'secondary',
    HEARTH_PRIMARY_URL: primaryUrl,
    HEARTH_PRIMARY_TOKEN: `${SITE_KEYS.accessKey}:${SITE_KEYS.secret}`,
    HEARTH_SITE_NAME: 'lyon',
    HEARTH_PORT: '0',
    HEARTH_DATA_DIR: testDatabase.dataDir,
    ...(testDatabase.url === undefined ? {} : { HEARTH_DATABASE_URL: testDatabase.url }),
    ...overrides.env,
  });
  const log = createLog(config, { clock, destination: { write: (line: string) => void logLines.push(line) } });
  const { stallTimeoutMs, primaryTimeoutMs } = overrides;
  const options = { clock, log, detectLongTransactions: true, runInBackground: false };
  const start = async (): Promise<TestSecondary> => {
    const secondary = await startSecondary(config, {
      ...options,
      ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
      ...(primaryTimeoutMs === undefined ? {} : { primaryTimeoutMs }),
    });
    running.stop = onlyOnce(secondary.stop);
    return {
      ...secondary,
      stop: running.stop,
      clock,
      dataDir: testDatabase.dataDir,
      getLogText: () => logLines.join(''),
      listRegistryRows: () => secondary.database.reader.selectFrom('geo_registry').selectAll().orderBy('id').execute(),
      async restart() {
        await running.stop();
        return start();
      },
    };
  };
  return start();
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
