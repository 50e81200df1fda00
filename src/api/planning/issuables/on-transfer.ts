import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import {
  selectDescendantIds,
  selectDescendantProjectIds,
  selectSelfAndAncestors,
} from '#domain/namespaces/hierarchy.ts';
import type { GroupOrProjectRef } from '#domain/namespaces/scope.ts';
import { BATCH_SIZE, inBatches, MORE, noRecheck } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { mapLabelsToParent } from '../labels/index.ts';
import { mapMilestonesToProject } from '../milestones/index.ts';
import { EPICS, ISSUES, type LabelableTables, MERGE_REQUESTS } from './kind.ts';

/**
 * After a transfer, replaces labels and milestones of groups that are no longer ancestors by ones with the same title
 * in scope. Missing ones are created in the project or group (as the reference does). Groups come first, parents before
 * subgroups, so that descendants find the replacements of their ancestors.
 */
export const replaceOutOfScopeReferences = subscription({
  event: 'group-or-project-transferred',
  inBackground: {
    // Name from an older version that only removed references: its jobs may still be queued.
    kind: 'lose_labels_and_milestones_out_of_reach',
    async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>, { type, id }) {
      const { reader } = database;
      const projects = type === 'project' ? [{ id }] : await selectDescendantProjectIds(reader, id).execute();
      const groups = type === 'project' ? [] : await selectDescendantIds(reader, id).orderBy('depth').execute();
      const parents = [
        ...groups.map((group) => ({ tables: EPICS, parentId: group.descendant_id })),
        ...projects.flatMap((project) => [ISSUES, MERGE_REQUESTS].map((tables) => ({ tables, parentId: project.id }))),
      ];
      for (const issuables of parents) {
        let after = 0;
        await inBatches(runUnitOfWork, ANONYMOUS, {
          recheck: noRecheck,
          async runBatch(uow) {
            const last = await replaceBatch(uow, issuables, after);
            if (last !== null) after = last;
            return last === null ? undefined : MORE;
          },
        });
      }
    },
  },
});

/** The issues or merge requests of a project, or the epics of a group. */
interface IssuablesOfParent {
  readonly tables: LabelableTables;
  readonly parentId: number;
}

/** Processes a batch of issuables with an iid above `after`. Returns the last iid, or null if none is left. index: issues_by_iid, merge_requests_by_iid, epics_by_iid */
async function replaceBatch(
  tx: Transaction,
  { tables, parentId }: IssuablesOfParent,
  after: number,
): Promise<number | null> {
  const parentColumn = sql.ref(tables === EPICS ? 'group_id' : 'project_id');
  const batchQuery = sql<{ id: number; iid: number }>`select id, iid from ${sql.table(tables.table)}
    where ${parentColumn} = ${parentId} and iid > ${after} order by iid limit ${BATCH_SIZE}`;
  const { rows } = await batchQuery.execute(tx);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const where = tables === EPICS ? { group: { id: parentId } } : await findProjectRef(tx, parentId);
  if (where === null) return null;
  const ids = rows.map(({ id }) => id);
  await replaceLabels(tx, tables, where, ids);
  if (where.project) await replaceMilestones(tx, tables, where.project, ids);
  return last.iid;
}

/** index: issue_labels_pkey, merge_request_labels_pkey, epic_labels_pkey, labels primary key */
async function replaceLabels(
  tx: Transaction,
  tables: LabelableTables,
  where: GroupOrProjectRef,
  ids: readonly number[],
) {
  const [labelTable, foreignKey] = [sql.table(tables.labelTable), sql.ref<number>(tables.foreignKey)];
  const isOnRow = sql`${isInIds(tx, foreignKey, ids)}`;
  const outOfScope = await sql<{
    id: number;
  }>`select distinct label_id as id from ${labelTable} where ${isOnRow} and exists
    (select 1 from labels where labels.id = label_id and ${isOutOfScope(tx, 'labels', where)})`.execute(tx);
  const replacements = await mapLabelsToParent(tx, where, idsOf(outOfScope));
  if (replacements.size === 0) return;
  const isReplaced = sql`${isOnRow} and ${isInIds(tx, sql.ref<number>('label_id'), [...replacements.keys()])}`;
  await sql`insert into ${labelTable} (${foreignKey}, label_id) select ${foreignKey}, ${replacementCase('label_id', replacements)}
    from ${labelTable} where ${isReplaced} on conflict do nothing`.execute(tx);
  await sql`delete from ${labelTable} where ${isReplaced}`.execute(tx);
}

/** index: issues primary key, merge_requests primary key, milestones primary key */
async function replaceMilestones(
  tx: Transaction,
  tables: LabelableTables,
  project: NonNullable<GroupOrProjectRef['project']>,
  ids: readonly number[],
) {
  const mainTable = sql.table(tables.table);
  const isOnRow = sql`${isInIds(tx, sql.ref<number>('id'), ids)}`;
  const outOfScope = await sql<{
    id: number;
  }>`select distinct milestone_id as id from ${mainTable} where ${isOnRow} and exists
    (select 1 from milestones where milestones.id = milestone_id and ${isOutOfScope(tx, 'milestones', { project })})`.execute(
    tx,
  );
  const replacements = await mapMilestonesToProject(tx, project, idsOf(outOfScope));
  if (replacements.size === 0) return;
  await sql`update ${mainTable} set milestone_id = ${replacementCase('milestone_id', replacements)}
    where ${isOnRow} and ${isInIds(tx, sql.ref<number>('milestone_id'), [...replacements.keys()])}`.execute(tx);
}

const idsOf = ({ rows }: { readonly rows: readonly { readonly id: number }[] }) => rows.map(({ id }) => id);

/** Matches rows of groups that are neither the parent nor its ancestors. index: namespace_closure_pkey */
function isOutOfScope(tx: Transaction, table: 'labels' | 'milestones', { project, group }: GroupOrProjectRef) {
  const ancestors = selectSelfAndAncestors(tx, project?.namespace_id ?? group!.id).select('namespaces.id');
  const column = sql.ref(`${table}.group_id`);
  return sql`${column} is not null and ${column} not in (${ancestors})`;
}

/** Returns a CASE expression that maps the ids of a column to their replacements. */
function replacementCase(column: string, replacements: ReadonlyMap<number, number>) {
  const cases = [...replacements].map(
    ([outOfScope, replacementId]) => sql`when ${outOfScope} then cast(${replacementId} as integer)`,
  );
  return sql`case ${sql.ref(column)} ${sql.join(cases, sql` `)} end`;
}

/** Returns the project, or null if it was deleted meanwhile. index: projects primary key */
async function findProjectRef(tx: Transaction, id: number): Promise<GroupOrProjectRef | null> {
  const projectRow = await tx
    .selectFrom('projects')
    .select(['id', 'namespace_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return projectRow === undefined ? null : { project: projectRow };
}
