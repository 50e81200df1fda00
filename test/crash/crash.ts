import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLoadBalancer } from '../support/server-pair.ts';
import { prepareLater, setOff, verifyLater } from './background-merges.ts';
import { type Made, make, missing } from './create-records.ts';
import { forgetLeases } from './expire-leases.ts';
import { type Acknowledged, git, load } from './load.ts';
import { startVictim, type Victim } from './process.ts';
import { asked } from './request.ts';
import { settledByOther, verify } from './verify.ts';

export interface Crashes {
  readonly rounds: number;
  readonly dataDir: string;
  /** The URL of a PostgreSQL database: two servers share it, and one of them is killed while the other keeps running. */
  readonly databaseUrl?: string | undefined;
  readonly say?: (text: string) => void;
}

/** Kills a server in the middle of writes of all kinds, starts it again, and looks for loss, round after round. */
export async function crash({ rounds, dataDir, databaseUrl, say = () => {} }: Crashes): Promise<void> {
  const told = {
    files: new Growing(),
    branches: new Growing(),
    deleted: new Growing(),
    pushed: new Map(),
    merged: new Set<number>(),
  } satisfies Acknowledged;
  const all = nothingMade();
  const place = await mkdtemp(join(tmpdir(), 'hearth-crash-'));
  const started: Victim[] = [];
  const start = async () => {
    const victim = await startVictim(dataDir, databaseUrl);
    started.push(victim);
    return victim;
  };
  const dealer = await startLoadBalancer([]);
  try {
    let victim = await start();
    let other = databaseUrl === undefined ? null : await start();
    const addresses = () => [victim, ...(other ? [other] : [])].map(({ address }) => address);
    dealer.setTargets(addresses());
    const project = await makeProject(victim);
    const lookFor = async (made: Made) => {
      for (const address of addresses())
        assert.deepEqual(await missing(address, project.projectPath, made), [], 'acknowledged, and lost');
    };
    const copies = await Promise.all([0, 1].map((index) => workingCopy(place, index)));
    for (let round = 0; round < rounds; round++) {
      let running = true;
      const made = nothingMade();
      const loading = { address: dealer.address, ...project, copies, round, told, made, running: () => running };
      const later = await prepareLater(loading, round);
      const loaded = Promise.all([load(loading), make(loading)]);
      // Somewhere in the work: later in each round, so that kills fall on every step of it.
      await waitFor(told, (round * 7) % 23);
      const off = setOff(loading, later);
      await waitFor(told, 2 + ((round * 5) % 9));
      await victim.kill();
      if (other) {
        dealer.setTargets([other.address]);
        await waitFor(told, 5);
      }
      running = false;
      await Promise.all([loaded, off]);
      if (databaseUrl) await forgetLeases(databaseUrl);
      // In turn by the one that goes on, and by the one that starts again.
      if (databaseUrl && round % 2 === 0) await settledByOther(databaseUrl);
      victim = await start();
      if (other) [victim, other] = [other, victim];
      dealer.setTargets(addresses());
      await setOff(loading, later);
      await verifyLater({ dataDir, databaseUrl }, loading, later);
      await verify({ dataDir, databaseUrl, projectId: project.projectId, told });
      await lookFor(made);
      for (const kind of KINDS) for (const name of made[kind]) all[kind].add(name);
      say(`round ${round + 1}: ${[...counted(told), ...counted(all)].join(', ')} are there`);
    }
    await lookFor(all);
  } finally {
    await dealer.stop();
    for (const each of started) await each.stop();
    await rm(place, { recursive: true, force: true });
  }
}

const KINDS = ['objects', 'usernames', 'projects'] as const;

function nothingMade(): Made {
  return { objects: new Set(), usernames: new Set(), projects: new Set() };
}

function counted(told: object): string[] {
  return Object.entries(told).map(([kind, { size }]) => `${size} ${kind}`);
}

async function makeProject(victim: Victim): Promise<{ projectId: number; projectPath: string }> {
  const project = await asked(victim, 'POST', '/projects', { name: 'crash', initialize_with_readme: true });
  return { projectId: project.id, projectPath: project.path_with_namespace };
}

async function workingCopy(place: string, index: number): Promise<string> {
  const name = `copy-${index}`;
  await git(place, 'init', '-q', name);
  return join(place, name);
}

/** Names, and word of each that comes. */
class Growing extends Set<string> {
  more = Promise.withResolvers<void>();

  override add(name: string): this {
    super.add(name);
    this.more.resolve();
    this.more = Promise.withResolvers();
    return this;
  }
}

/** Resolves after this many more acknowledgements. */
async function waitFor(told: Readonly<Record<'files' | 'branches' | 'deleted', Growing>>, more: number): Promise<void> {
  const growing = [told.files, told.branches, told.deleted];
  const count = () => growing.reduce((sum, { size }) => sum + size, 0);
  const enough = count() + more;
  while (count() < enough) await Promise.race(growing.map((names) => names.more.promise));
}
