import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { itselfAndAbove, namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import type { Somewhere } from '#domain/namespaces/scope.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { labelsLike } from '../labels/index.ts';
import { milestonesLike } from '../milestones/index.ts';
import { EPICS, ISSUES, type LabelledKind, MERGE_REQUESTS } from './kind.ts';

/**
 * Things of what hangs elsewhere now bear labels and milestones of groups that are not above them any more. They get those of the
 * same titles that they can have, which their project or group is given where there are none (as the reference does). Groups
 * come first, those above before those below, so that what is below finds what they have been given.
 */
export const bringIntoReach = subscription({
  event: 'transferred',
  inBackground: {
    // As it was named when it only took away: an older server may have left some to do.
    kind: 'lose_labels_and_milestones_out_of_reach',
    async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>, { type, id }) {
      const { reader } = database;
      const projects = type === 'project' ? [{ id }] : await projectsInside(reader, id).execute();
      const groups = type === 'project' ? [] : await namespacesInside(reader, id).orderBy('depth').execute();
      const places = [
        ...groups.map((group) => ({ kind: EPICS, placeId: group.descendant_id })),
        ...projects.flatMap((project) => [ISSUES, MERGE_REQUESTS].map((kind) => ({ kind, placeId: project.id }))),
      ];
      for (const place of places) {
        let after = 0;
        await inPieces(runUnitOfWork, ANONYMOUS, {
          ask: nothingToAsk,
          async piece(uow) {
            const last = await bringSome(uow, place, after);
            if (last !== null) after = last;
            return last === null ? undefined : MORE;
          },
        });
      }
    },
  },
});

/** The things of one kind in a project, epics in a group. */
interface Things {
  readonly kind: LabelledKind;
  readonly placeId: number;
}

/** Some of them, those behind the number `after`; the last one's number, null when there are no more. index: issues_by_iid, merge_requests_by_iid, epics_by_iid */
async function bringSome(tx: Transaction, { kind, placeId }: Things, after: number): Promise<number | null> {
  const place = sql.ref(kind === EPICS ? 'group_id' : 'project_id');
  const some = sql<{ id: number; iid: number }>`select id, iid from ${sql.table(kind.things)}
    where ${place} = ${placeId} and iid > ${after} order by iid limit ${PIECE}`;
  const { rows } = await some.execute(tx);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const where = kind === EPICS ? { group: { id: placeId } } : await projectAt(tx, placeId);
  if (where === null) return null;
  const ids = rows.map(({ id }) => id);
  await bringLabels(tx, kind, where, ids);
  if (where.project) await bringMilestones(tx, kind, where.project, ids);
  return last.iid;
}

/** index: issue_labels_pkey, merge_request_labels_pkey, epic_labels_pkey, labels primary key */
async function bringLabels(tx: Transaction, kind: LabelledKind, where: Somewhere, ids: readonly number[]) {
  const [links, thing] = [sql.table(kind.labels), sql.ref<number>(kind.id)];
  const theirs = sql`${isAmong(tx, thing, ids)}`;
  const far = await sql<{ id: number }>`select distinct label_id as id from ${links} where ${theirs} and exists
    (select 1 from labels where labels.id = label_id and ${outOf(tx, 'labels', where)})`.execute(tx);
  const like = await labelsLike(tx, where, idsOf(far));
  if (like.size === 0) return;
  const those = sql`${theirs} and ${isAmong(tx, sql.ref<number>('label_id'), [...like.keys()])}`;
  await sql`insert into ${links} (${thing}, label_id) select ${thing}, ${standing('label_id', like)}
    from ${links} where ${those} on conflict do nothing`.execute(tx);
  await sql`delete from ${links} where ${those}`.execute(tx);
}

/** index: issues primary key, merge_requests primary key, milestones primary key */
async function bringMilestones(
  tx: Transaction,
  kind: LabelledKind,
  project: NonNullable<Somewhere['project']>,
  ids: readonly number[],
) {
  const things = sql.table(kind.things);
  const theirs = sql`${isAmong(tx, sql.ref<number>('id'), ids)}`;
  const far = await sql<{ id: number }>`select distinct milestone_id as id from ${things} where ${theirs} and exists
    (select 1 from milestones where milestones.id = milestone_id and ${outOf(tx, 'milestones', { project })})`.execute(
    tx,
  );
  const like = await milestonesLike(tx, project, idsOf(far));
  if (like.size === 0) return;
  await sql`update ${things} set milestone_id = ${standing('milestone_id', like)}
    where ${theirs} and ${isAmong(tx, sql.ref<number>('milestone_id'), [...like.keys()])}`.execute(tx);
}

const idsOf = ({ rows }: { readonly rows: readonly { readonly id: number }[] }) => rows.map(({ id }) => id);

/** Of a group that is not above the place. index: namespace_closure_pkey */
function outOf(tx: Transaction, table: 'labels' | 'milestones', { project, group }: Somewhere) {
  const above = itselfAndAbove(tx, project?.namespace_id ?? group!.id).select('namespaces.id');
  const column = sql.ref(`${table}.group_id`);
  return sql`${column} is not null and ${column} not in (${above})`;
}

/** What stands for the one in this column. */
function standing(column: string, like: ReadonlyMap<number, number>) {
  const each = [...like].map(([far, near]) => sql`when ${far} then cast(${near} as integer)`);
  return sql`case ${sql.ref(column)} ${sql.join(each, sql` `)} end`;
}

/** Null: it has gone meanwhile. index: projects primary key */
async function projectAt(tx: Transaction, id: number): Promise<Somewhere | null> {
  const found = await tx.selectFrom('projects').select(['id', 'namespace_id']).where('id', '=', id).executeTakeFirst();
  return found === undefined ? null : { project: found };
}
