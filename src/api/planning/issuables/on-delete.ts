import { sql } from 'kysely';
import { forgetTargetActivity } from '#activity/index.ts';
import { deleteSome, type Referring, referElsewhere } from '#database/batch-statements.ts';
import { isAmong } from '#database/dialect.ts';
import { MORE, PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { LabelledKind } from './kind.ts';

/** What becomes of things, of which there may be very many, when the place goes that they are in, or who has made them. */

/** A place takes the things of a kind along that are in it. */
export const endWithProject = (kind: LabelledKind) =>
  subscription({
    event: 'project-destroyed',
    inBatches: (uow, { projectId }) => removeSome(uow, kind, 'project_id', projectId),
  });

export const endWithGroup = (kind: LabelledKind) =>
  subscription({
    event: 'group-destroyed',
    inBatches: (uow, { groupId }) => removeSome(uow, kind, 'group_id', groupId),
  });

type BeforeRemoval = (uow: UnitOfWork, ids: readonly number[]) => Promise<void>;

/** What besides a kind's own table names users. */
interface Named {
  /** Columns of its own table, where the ghost takes the place. */
  readonly columns: readonly string[];
  /** What a user loses with his account. */
  readonly lost: readonly Referring[];
  /** Part of the piece that removes these things of his, before they go. */
  readonly beforeRemoval?: BeforeRemoval;
}

/** What a deleted user has made is the ghost's from then on, or goes with him. */
export const handToGhost = (kind: LabelledKind, { columns, lost, beforeRemoval }: Named) =>
  subscription({
    event: 'user-deleted',
    async inBatches(uow, { userId, ghostUserId, hard }) {
      if (hard && (await removeSome(uow, kind, 'author_id', userId, beforeRemoval)) === MORE) return MORE;
      const handed = { from: userId, to: ghostUserId, most: PIECE };
      return pieceOf(
        ...columns.map((column) => () => referElsewhere(uow, { table: kind.things, column }, handed)),
        ...lost.map((referring) => () => deleteSome(uow, referring, userId, PIECE)),
      );
    },
  });

const ACTIVITY = { issues: 'Issue', merge_requests: 'MergeRequest', epics: null } as const satisfies Record<
  LabelledKind['things'],
  string | null
>;

/**
 * A piece of the removal of all that a project has, a group has, or somebody has made: of some of them what was said
 * there goes first, then they themselves, and what the feeds say of both. index: issues_by_iid, merge_requests_by_iid,
 * epics_by_iid, issues_by_author, merge_requests_by_author, epics_by_author
 */
async function removeSome(
  uow: UnitOfWork,
  kind: LabelledKind,
  column: 'project_id' | 'group_id' | 'author_id',
  owner: number,
  beforeRemoval?: BeforeRemoval,
): Promise<typeof MORE | undefined> {
  const things = sql.table(kind.things);
  const some = sql<{ id: number }>`select id from ${things} where ${sql.ref(column)} = ${owner} limit ${PIECE}`;
  const ids = (await some.execute(uow)).rows.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  if ((await removeSomeNotes(uow, kind, ids)) === PIECE) return MORE;
  const activity = ACTIVITY[kind.things];
  if (activity !== null) await forgetTargetActivity(uow, activity, ids);
  await beforeRemoval?.(uow, ids);
  await sql`delete from ${things} where ${isAmong(uow, sql<number>`id`, ids)}`.execute(uow);
  return ids.length === PIECE ? MORE : undefined;
}

/** A piece of what was said on these things; says how many notes it were. index: notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created */
export async function removeSomeNotes(
  uow: UnitOfWork,
  kind: LabelledKind,
  thingIds: readonly number[],
): Promise<number> {
  const said = await uow
    .selectFrom('notes')
    .select('id')
    .where(isAmong(uow, sql.ref<number>(kind.id), thingIds))
    .where(kind.id, 'is not', null)
    .limit(PIECE)
    .execute();
  const ids = said.map(({ id }) => id);
  if (kind.things !== 'epics') await forgetTargetActivity(uow, 'Note', ids);
  await uow
    .deleteFrom('notes')
    .where(isAmong(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
