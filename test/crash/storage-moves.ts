import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { forgetLeases } from './expire-leases.ts';
import { git } from './load.ts';
import { startVictim, type Victim } from './process.ts';
import { asked } from './request.ts';

export interface Moves {
  readonly kills: number;
  readonly dataDir: string;
  /** A PostgreSQL, which a server is started on anew after each kill. */
  readonly databaseUrl?: string | undefined;
}

const STORAGES = { default: 'one', other: 'two' } as const;
type Storage = keyof typeof STORAGES;

/** What a move has come to when its server is killed, in turn. */
const STEPS = ['started', 'replicated', 'scheduled'];
const UNDER_WAY = ['scheduled', 'started', 'replicated'];

/** Where a kill may fall behind a step: milliseconds, in turn. */
const LATER = [0, 40, 120, 15, 80];

interface Scene {
  readonly place: Moves;
  readonly projectId: number;
  /** The writes that the server acknowledged. */
  readonly files: Set<string>;
}

/** Kills and restarts a server at every step of a move during writes; asserts that the data is complete and no copy is left over. */
export async function killMoves(place: Moves): Promise<void> {
  let victim = await start(place);
  try {
    const { id: projectId } = await asked(victim, 'POST', '/projects', {
      name: 'moving',
      initialize_with_readme: true,
    });
    const scene = { place, projectId, files: new Set<string>() };
    for (let kill = 0; kill < place.kills; kill++) {
      const { repository_storage: from } = await asked(victim, 'GET', `/projects/${projectId}`);
      const destination_storage_name = from === 'default' ? 'other' : 'default';
      const writing = write(victim, scene, kill);
      await writing.some;
      const moves = `/projects/${projectId}/repository_storage_moves`;
      const { id } = await asked(victim, 'POST', moves, { destination_storage_name });
      await until(
        victim,
        `${moves}/${id}`,
        (state) => state === STEPS[kill % STEPS.length] || !UNDER_WAY.includes(state),
      );
      await new Promise((resolve) => setTimeout(resolve, LATER[kill % LATER.length]));
      await victim.kill();
      await writing.end();
      if (place.databaseUrl) await forgetLeases(place.databaseUrl);
      victim = await start(place);
      const state = await until(victim, `${moves}/${id}`, (now) => !UNDER_WAY.includes(now));
      await look(victim, scene, state, from, destination_storage_name);
    }
  } finally {
    await victim.stop();
  }
}

function start({ dataDir, databaseUrl }: Moves): Promise<Victim> {
  const storages = Object.entries(STORAGES).map(([name, path]) => [name, { path }]);
  return startVictim(dataDir, databaseUrl, { HEARTH_STORAGES: JSON.stringify(Object.fromEntries(storages)) });
}

async function until(victim: Victim, path: string, isReached: (state: string) => boolean): Promise<string> {
  for (;;) {
    const { state } = await asked(victim, 'GET', path);
    if (isReached(state)) return state;
  }
}

/** Writes files until it is stopped or the server is down. */
function write(victim: Victim, { projectId, files }: Scene, kill: number) {
  const some = Promise.withResolvers<void>();
  let running = true;
  const writing = (async () => {
    for (let index = 0; running; index++) {
      const name = `f${kill}-${index}`;
      const body = { branch: 'main', content: name.repeat(100), commit_message: name };
      try {
        await asked(victim, 'POST', `/projects/${projectId}/repository/files/${name}`, body);
        files.add(name);
        if (index === 5) some.resolve();
      } catch (error) {
        // The repository is moving, or the server is down.
        if (!(error instanceof assert.AssertionError)) running = false;
      }
    }
  })();
  return {
    some: some.promise,
    async end() {
      running = false;
      await writing;
    },
  };
}

/** Asserts after a move that the project's storage has the only copy of the repository, complete with all acknowledged writes. */
async function look(victim: Victim, { place, projectId, files }: Scene, state: string, from: string, to: string) {
  const project = await asked(victim, 'GET', `/projects/${projectId}`);
  const storage = project.repository_storage as Storage;
  assert.equal(storage, state === 'failed' ? from : to, state);
  assert.equal(project.repository_read_only, false);
  const there = await Promise.all(Object.values(STORAGES).map((path) => repositoriesIn(join(place.dataDir, path))));
  assert.equal(there.flat().length, 1, `${state}: ${JSON.stringify(there)}`);
  const repository = there.flat()[0]!;
  assert.ok(repository.startsWith(join(place.dataDir, STORAGES[storage])));
  const checked = await git(repository, 'fsck', '--strict', '--no-dangling');
  assert.ok(checked.ok, `git fsck: ${checked.text}`);
  const { text } = await git(repository, 'ls-tree', '-r', '--name-only', 'main');
  const found = new Set(text.split('\n'));
  assert.deepEqual(
    [...files].filter((file) => !found.has(file)),
    [],
    `${state}: acknowledged files are lost`,
  );
}

async function repositoriesIn(storage: string): Promise<string[]> {
  const entries = await readdir(storage, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter(({ name }) => name.endsWith('.git')).map(({ parentPath, name }) => join(parentPath, name));
}
