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
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { mapLabelsToParent } from '../labels/index.ts';
import { mapMilestonesToProject } from '../milestones/index.ts';
import { EPICS, ISSUES, type LabelableTables, MERGE_REQUESTS } from './kind.ts';

/**
 * After a transfer, replaces labels and milestones of groups that are no longer ancestors by labels and milestones in scope with
 * the same title. Missing ones are created in the project or group. Groups are processed first, parents before subgroups, so that
 * descendants find the replacements of their ancestors.
 */
export const replaceOutOfScopeReferences = defineSubscription({
  event: 'group-or-project-transferred',
  inBackground: {
    kind: 'replace_out_of_scope_references',
    async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>, { type, id }) {
      const { reader } = database;
      const projects = type === 'project' ? [{ id }] : await selectDescendantProjectIds(reader, id).execute();
      const groups = type === 'project' ? [] : await selectDescendantIds(reader, id).orderBy('depth').execute();
      const parents = [
        ...groups.map((group) => ({ tables: EPICS, parentId: group.descendant_id })),
        ...projects.flatMap((project) => [ISSUES, MERGE_REQUESTS].map((tables) => ({ tables, parentId: project.id }))),
      ];
      for (const issuables of parents) {
        let lastIid = 0;
        await runInBatches(runUnitOfWork, ANONYMOUS, {
          recheck: recheckNothing,
          async runBatch(uow) {
            const batchEnd = await replaceBatch(uow, issuables, lastIid);
            if (batchEnd !== null) lastIid = batchEnd;
            return batchEnd === null ? undefined : MORE;
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

/**
 * Processes a batch of issuables with an iid above `afterIid`. Returns the last iid, or null if no issuables remain.
 * index: issues_by_iid, merge_requests_by_iid, epics_by_iid
 */
async function replaceBatch(
  tx: Transaction,
  { tables, parentId }: IssuablesOfParent,
  afterIid: number,
): Promise<number | null> {
  const parentColumn = sql.ref(tables === EPICS ? 'group_id' : 'project_id');
  const batchQuery = sql<{ id: number; iid: number }>`select id, iid from ${sql.table(tables.table)}
    where ${parentColumn} = ${parentId} and iid > ${afterIid} order by iid limit ${sql.lit(BATCH_SIZE)}`;
  const { rows } = await batchQuery.execute(tx);
  const lastRow = rows.at(-1);
  if (lastRow === undefined) return null;
  const parent = tables === EPICS ? { group: { id: parentId } } : await findProjectRef(tx, parentId);
  if (parent === null) return null;
  const ids = rows.map(({ id }) => id);
  await replaceLabels(tx, tables, parent, ids);
  if (parent.project) await replaceMilestones(tx, tables, parent.project, ids);
  return lastRow.iid;
}

/**
 * Replaces out-of-scope labels of these issuables.
 * index: issue_labels_pkey, merge_request_labels_pkey, epic_labels_pkey, labels primary key
 */
async function replaceLabels(
  tx: Transaction,
  tables: LabelableTables,
  parent: GroupOrProjectRef,
  ids: readonly number[],
) {
  const [labelTable, foreignKey] = [sql.table(tables.labelTable), sql.ref<number>(tables.foreignKey)];
  const isInBatch = sql`${isInIds(tx, foreignKey, ids)}`;
  const outOfScopeRows = await sql<{
    id: number;
  }>`select distinct label_id as id from ${labelTable} where ${isInBatch} and exists
    (select 1 from labels where labels.id = label_id and ${isOutOfScope(tx, 'labels', parent)})`.execute(tx);
  const replacementIdsById = await mapLabelsToParent(tx, parent, toIds(outOfScopeRows));
  if (replacementIdsById.size === 0) return;
  const isReplaced = sql`${isInBatch} and ${isInIds(tx, sql.ref<number>('label_id'), [...replacementIdsById.keys()])}`;
  await sql`insert into ${labelTable} (${foreignKey}, label_id) select ${foreignKey}, ${toReplacementCase('label_id', replacementIdsById)}
    from ${labelTable} where ${isReplaced} on conflict do nothing`.execute(tx);
  await sql`delete from ${labelTable} where ${isReplaced}`.execute(tx);
}

/**
 * Replaces out-of-scope milestones of these issuables.
 * index: issues primary key, merge_requests primary key, milestones primary key
 */
async function replaceMilestones(
  tx: Transaction,
  tables: LabelableTables,
  project: NonNullable<GroupOrProjectRef['project']>,
  ids: readonly number[],
) {
  const mainTable = sql.table(tables.table);
  const isInBatch = sql`${isInIds(tx, sql.ref<number>('id'), ids)}`;
  const outOfScopeRows = await sql<{
    id: number;
  }>`select distinct milestone_id as id from ${mainTable} where ${isInBatch} and exists
    (select 1 from milestones where milestones.id = milestone_id and ${isOutOfScope(tx, 'milestones', { project })})`.execute(
    tx,
  );
  const replacementIdsById = await mapMilestonesToProject(tx, project, toIds(outOfScopeRows));
  if (replacementIdsById.size === 0) return;
  await sql`update ${mainTable} set milestone_id = ${toReplacementCase('milestone_id', replacementIdsById)}
    where ${isInBatch} and ${isInIds(tx, sql.ref<number>('milestone_id'), [...replacementIdsById.keys()])}`.execute(tx);
}

const toIds = ({ rows }: { readonly rows: readonly { readonly id: number }[] }) => rows.map(({ id }) => id);

/** Matches rows of groups that are neither the parent nor its ancestors. index: namespace_closure_pkey */
function isOutOfScope(tx: Transaction, table: 'labels' | 'milestones', { project, group }: GroupOrProjectRef) {
  const ancestors = selectSelfAndAncestors(tx, project?.namespace_id ?? group!.id).select('namespaces.id');
  const column = sql.ref(`${table}.group_id`);
  return sql`${column} is not null and ${column} not in (${ancestors})`;
}

/** Returns a CASE expression that maps the ids of a column to their replacements. */
function toReplacementCase(column: string, replacementIdsById: ReadonlyMap<number, number>) {
  const cases = [...replacementIdsById].map(
    ([outOfScopeId, replacementId]) => sql`when ${outOfScopeId} then cast(${replacementId} as integer)`,
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
