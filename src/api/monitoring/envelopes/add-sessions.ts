import type { Transaction } from '#database/database.ts';
import { BUCKETS, type SessionCounts, type SessionStep } from './session-reader.ts';
import { addToBuckets, type BucketChange, findStates, type SessionState, writeStates } from './sessions-store.ts';

/** What one report tells of the sessions of a project. */
interface Told {
  readonly projectId: number;
  readonly steps: readonly SessionStep[];
  readonly counts: readonly SessionCounts[];
}

/** Counts sessions, in the order in which they are told of: one that speaks again may move from bucket to bucket. */
export async function addSessions(tx: Transaction, told: readonly Told[]): Promise<void> {
  const buckets = new Map<string, Changing>();
  const changing = (project_id: number, release: string, environment: string): Changing => {
    const name = JSON.stringify([project_id, release, environment]);
    const known = buckets.get(name) ?? { ...NOTHING, project_id, release, environment, last_seen: tx.now };
    buckets.set(name, known);
    return known;
  };
  const steps = told.flatMap(({ projectId, steps: own }) => own.map((step) => ({ ...step, projectId })));
  await addSteps(tx, steps, changing);
  for (const { projectId, counts } of told) {
    for (const { release, environment, counts: more } of counts) {
      const bucket = changing(projectId, release, environment ?? '');
      for (const name of BUCKETS) {
        bucket[name] += more[name];
        bucket.total += more[name];
      }
    }
  }
  // In one order, whoever else counts in the same ones.
  await addToBuckets(
    tx,
    [...buckets.keys()].sort().map((name) => buckets.get(name) as Changing),
  );
}

const NOTHING = { total: 0, exited: 0, errored: 0, crashed: 0, abnormal: 0 };

type Changing = { -readonly [Name in keyof BucketChange]: BucketChange[Name] };

async function addSteps(
  tx: Transaction,
  steps: readonly (SessionStep & { readonly projectId: number })[],
  changing: (projectId: number, release: string, environment: string) => Changing,
): Promise<void> {
  const nameOf = (projectId: number, sid: string) => `${projectId} ${sid}`;
  const named = new Map(steps.map(({ projectId, sid }) => [nameOf(projectId, sid), { project_id: projectId, sid }]));
  const found = await findStates(tx, [...named.values()]);
  const states = new Map<string, SessionState>(found.map((state) => [nameOf(state.project_id, state.sid), state]));
  const changed = new Map<string, SessionState>();
  for (const { projectId, sid, bucket, seq, release, environment } of steps) {
    const name = nameOf(projectId, sid);
    const known = states.get(name);
    if (isOlder(seq, known?.seq)) continue;
    const place = known ?? { project_id: projectId, sid, release, environment: environment ?? '' };
    const counted = changing(projectId, place.release, place.environment);
    if (known === undefined) counted.total++;
    else counted[known.bucket]--;
    counted[bucket]++;
    const state = { ...place, bucket, seq: seq ?? known?.seq ?? null, received_at: tx.now };
    states.set(name, state);
    changed.set(name, state);
  }
  await writeStates(
    tx,
    [...changed.keys()].sort().map((name) => changed.get(name) as SessionState),
  );
}

/** What says in which order steps were taken; without it they are told of in that order. */
function isOlder(seq: number | null, known: number | null | undefined): boolean {
  return seq !== null && known != null && seq < known;
}
