import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { listRefs, resolveRef, zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { momentAfter } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { compareAtOnce, leftBehind, markKept, type NotKept, notKept } from '../versions/version-head-refs.ts';

interface Named {
  readonly projectId: number;
  readonly iids: readonly number[];
}

/**
 * The head of each merge request has a ref of its own, `refs/merge-requests/<iid>/head`: clients fetch it, and it keeps what
 * was to be merged when the source branch goes (contract/repository.md §5). What a force push takes off the head is kept by
 * a ref that nobody is shown, so that older versions can be compared for ever. Refs follow soon, and go with their merge request.
 */
export const keepHeads = defineJob({
  kind: 'keep_heads_of_merge_requests',
  async handle(services: RefServices, { projectId, iids }: Named) {
    const db = services.database.reader;
    const place = await placeOf(db, projectId);
    if (place === undefined) return;
    const project = { ...place, id: projectId };
    for (let tries = 1; ; tries++) {
      const versions = await notKept(db, projectId, iids);
      await compareAtOnce(services, project, versions);
      const changes = await changesOf(db, services.git, project, iids, versions);
      const moved =
        changes.length === 0
          ? undefined
          : await moveRefs(services, { project, by: { server: true, userId: null }, changes });
      if (!isFailure(moved)) return markKept(services.database, versions);
      if (moved.code === 'readOnly') return keepLater(services, { projectId, iids });
      // Somebody else keeps the same ones.
      if (moved.code === 'moved' && tries < MOST_TRIES) continue;
      throw new Error(`The heads of merge requests could not be kept: ${moved.code}`);
    }
  },
});

const MOST_TRIES = 5;

/** Chosen: so long a read-only repository rests before somebody asks again whether it still is. */
const READ_ONLY_REST_MS = 10 * 60_000;

function keepLater({ database }: RefServices, named: Named): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, keepHeads, named, { ...keyOf(named), runAt: momentAfter(tx.now, READ_ONLY_REST_MS) }),
  );
}

/** Pushes one after another to one branch are one piece of work. */
function keyOf({ projectId, iids }: Named): { readonly key?: string } {
  return iids.length === 1 ? { key: `${projectId} ${iids[0]}` } : {};
}

/** Part of the act that gives them another head, or none. */
export async function keepHeadsSoon(tx: Transaction, projectId: number, iids: readonly number[]): Promise<void> {
  if (iids.length > 0) await enqueue(tx, keepHeads, { projectId, iids }, keyOf({ projectId, iids }));
}

/** index: repositories primary key */
function placeOf(db: Reader, projectId: number) {
  return db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

type Place = NonNullable<Awaited<ReturnType<typeof placeOf>>> & { readonly id: number };

const headRef = (iid: number) => `refs/merge-requests/${iid}/head`;
/** Below it stand the heads that later ones have left behind, by their ids. */
const leftRefs = (iid: number) => `refs/keep-around/merge-requests/${iid}/`;

async function changesOf(
  db: Reader,
  git: Git,
  place: Place,
  iids: readonly number[],
  versions: readonly NotKept[],
): Promise<RefChange[]> {
  const repository = repositoryOf(git, place);
  const heads = await headsOf(db, place.id, iids);
  const news = Map.groupBy(versions, ({ iid }) => iid);
  const changes: RefChange[] = [];
  for (const iid of new Set(iids)) {
    const ref = headRef(iid);
    const head = heads.get(iid);
    const now = await resolveRef(repository, ref);
    if (head === undefined) {
      if (now !== null) changes.push({ ref, oldId: now, newId: zeroId });
      const left = await listRefs(git, repository, leftRefs(iid));
      changes.push(...left.map(({ name, id }) => ({ ref: name, oldId: id, newId: zeroId })));
      continue;
    }
    const since = (news.get(iid) ?? []).map((version) => version.head_sha);
    for (const id of await leftBehind(git, repository, [...(now === null ? [] : [now]), ...since, head])) {
      const left = leftRefs(iid) + id;
      if ((await resolveRef(repository, left)) === null) changes.push({ ref: left, oldId: zeroId, newId: id });
    }
    const isThere = (await readCommit(git, repository, head)) !== null;
    if (isThere && head !== now) changes.push({ ref, oldId: now ?? zeroId, newId: head });
  }
  return changes;
}

/** index: merge_requests_by_iid */
async function headsOf(db: Reader, projectId: number, iids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['iid', 'head_sha'])
    .where('project_id', '=', projectId)
    .where(isAmong(db, sql<number>`iid`, iids))
    .execute();
  return new Map(rows.map(({ iid, head_sha }) => [iid, head_sha]));
}
