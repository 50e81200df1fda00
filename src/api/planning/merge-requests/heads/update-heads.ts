import { sql } from 'kysely';
import { isAmong } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { outrunAutoMerges } from '../auto-merge/job.ts';
import { endRebases } from '../rebase/store.ts';
import { keepHeadsSoon } from './head-refs.ts';

/** In one statement so many heads are moved. */
const TOGETHER = 200;

/** Chosen: a push of more than these is no news of any of them. */
const MOST_TOLD = 100;

interface Followed {
  readonly id: number;
  readonly iid: number;
  /** What it is by now, ... */
  readonly head_sha: string;
  /** ... and what it is to be. */
  readonly head: string;
}

/** Open merge requests whose source branches have moved get another head: part of the act that knows of it. */
export async function followHeads(uow: UnitOfWork, projectId: number, followed: readonly Followed[]): Promise<void> {
  const ahead = followed.filter(({ head_sha, head }) => head !== head_sha);
  if (ahead.length === 0) return;
  const ids = ahead.map(({ id }) => id);
  await keepHeadsSoon(
    uow,
    projectId,
    ahead.map(({ iid }) => iid),
  );
  await endRebases(uow, ids);
  await outrunAutoMerges(uow, ids);
  for (const { id } of ahead.slice(0, MOST_TOLD)) {
    await uow.publish('occurred', { event: 'push_to_merge_request', about: { type: 'MergeRequest', id } });
  }
  for (let at = 0; at < ahead.length; at += TOGETHER) {
    const some = ahead.slice(at, at + TOGETHER);
    const heads = some.map(({ id, head }) => sql`when ${id} then ${head}`);
    await uow
      .updateTable('merge_requests')
      .set({
        head_sha: sql<string>`case id ${sql.join(heads, sql` `)} end`,
        merge_error: null,
        merge_status: 'unchecked',
        merge_check: null,
        updated_at: uow.now,
      })
      .where(
        isAmong(
          uow,
          sql<number>`id`,
          some.map(({ id }) => id),
        ),
      )
      .execute();
    const versions = some.map(({ id, head }) => ({ merge_request_id: id, head_commit_sha: head, created_at: uow.now }));
    await uow.insertInto('merge_request_versions').values(versions).execute();
  }
}
