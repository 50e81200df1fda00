import { sql } from 'kysely';
import { enqueue } from '../../../background/job.ts';
import { isAmong, isAmongTexts } from '../../../database/dialect.ts';
import type { Act } from '../../../facts/act.ts';
import { subscription } from '../../../facts/bus.ts';
import type { Facts } from '../../../facts/facts.ts';
import { HEADS } from '../../../git/names.ts';
import { zeroId } from '../../../git/refs.ts';
import { outrunAutoMerges } from './auto-merge/job.ts';
import { checkSoon } from './check.ts';
import { keepHeadsSoon } from './keep-heads.ts';
import { mergeByPush } from './merge-by-push.ts';
import { markMerged } from './merged.ts';
import { endRebases } from './rebase/store.ts';

/**
 * What changes of branches mean for merge requests, in the act that records them: one is merged; heads follow their source
 * branches; and nobody knows any more whether what has moved can be merged.
 */
export const followBranches = subscription({
  fact: 'refs-changed',
  async inTransaction(act, { projectId, userId, changes, merge }) {
    if (merge) await markMerged(act, { ...merge, userId });
    const moved = new Map(
      changes.filter(({ ref }) => ref.startsWith(HEADS)).map((change) => [branchOf(change), change]),
    );
    if (moved.size === 0) return;
    const names = [...moved.keys()];
    const fromThem = await openFrom(act, projectId, names);
    const toThem = await openTargets(act, projectId, names);
    if (fromThem.length + toThem.length === 0) return;
    await followHeads(act, projectId, fromThem, moved);
    await forgetChecks(act, projectId, names);
    await checkSoon(act, projectId);
    const pushes = toThem
      .flatMap((name) => moved.get(name) ?? [])
      .filter(({ oldId, newId }) => oldId !== zeroId && newId !== zeroId);
    if (pushes.length > 0) await enqueue(act, mergeByPush, { projectId, userId, changes: pushes });
  },
});

type Change = Facts['refs-changed']['changes'][number];

const branchOf = ({ ref }: Change) => ref.slice(HEADS.length);

/** Open merge requests from these branches. index: merge_requests_open_by_branches */
function openFrom(act: Act, projectId: number, names: readonly string[]) {
  return act
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isAmongTexts(act, sql<string>`source_branch`, names))
    .execute();
}

/** Those of these branches into which something is open. index: merge_requests_open_by_target */
async function openTargets(act: Act, projectId: number, names: readonly string[]): Promise<string[]> {
  const rows = await act
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isAmongTexts(act, sql<string>`target_branch`, names))
    .execute();
  return rows.map(({ target_branch }) => target_branch);
}

/** In one statement so many heads are moved. */
const TOGETHER = 200;

/** Chosen: a push of more than these is no news of any of them. */
const MOST_TOLD = 100;

type From = Awaited<ReturnType<typeof openFrom>>;

/** A branch that is gone leaves the head where it was: what was to be merged is known still. */
async function followHeads(act: Act, projectId: number, open: From, moved: ReadonlyMap<string, Change>): Promise<void> {
  const ahead = open.flatMap(({ id, iid, source_branch, head_sha }) => {
    const head = moved.get(source_branch)?.newId ?? zeroId;
    return head === zeroId || head === head_sha ? [] : [{ id, iid, head }];
  });
  if (ahead.length === 0) return;
  const ids = ahead.map(({ id }) => id);
  await keepHeadsSoon(
    act,
    projectId,
    ahead.map(({ iid }) => iid),
  );
  await endRebases(act, ids);
  await outrunAutoMerges(act, ids);
  for (const { id } of ahead.slice(0, MOST_TOLD)) {
    await act.publish('occurred', { event: 'push_to_merge_request', about: { type: 'MergeRequest', id } });
  }
  for (let at = 0; at < ahead.length; at += TOGETHER) {
    const some = ahead.slice(at, at + TOGETHER);
    const heads = some.map(({ id, head }) => sql`when ${id} then ${head}`);
    await act
      .updateTable('merge_requests')
      .set({
        head_sha: sql<string>`case id ${sql.join(heads, sql` `)} end`,
        merge_error: null,
        merge_status: 'unchecked',
        merge_check: null,
        updated_at: act.now,
      })
      .where(
        isAmong(
          act,
          sql<number>`id`,
          some.map(({ id }) => id),
        ),
      )
      .execute();
    const versions = some.map(({ id, head }) => ({ merge_request_id: id, head_commit_sha: head, created_at: act.now }));
    await act.insertInto('merge_request_versions').values(versions).execute();
  }
}

/** index: merge_requests_checked, merge_requests_open_by_branches */
async function forgetChecks(act: Act, projectId: number, names: readonly string[]): Promise<void> {
  for (const side of ['target_branch', 'source_branch'] as const) {
    await act
      .updateTable('merge_requests')
      .set({ merge_status: 'unchecked', merge_check: null })
      .where('project_id', '=', projectId)
      .where('state', '=', sql.lit('opened' as const))
      .where('merge_status', '<>', sql.lit('unchecked' as const))
      .where(isAmongTexts(act, sql.ref<string>(side), names))
      .execute();
  }
}
