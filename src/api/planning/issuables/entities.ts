import { sql } from 'kysely';
import { Type } from 'typebox';
import { loadUsersById, UserBasic, userBasicColumns } from '#api/identity/users/index.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { LabelBasic, type LabelBasicRow } from '../labels/index.ts';
import { loadMilestonesById, Milestone } from '../milestones/index.ts';
import { type IssuableTables, type LabelableTables, memoizeByTables } from './kind.ts';
import { loadLabels, type SetChange, updateLinks } from './labels.ts';
import { formatWorkTime } from './time/time-tracking.ts';

// Fields shared by issues and merge requests (contract/planning.md §1).

type TrackedTime = Columns<'issues', 'time_estimate' | 'total_time_spent'>;

/** Time estimate and spent time, in seconds and formatted. */
export const TimeStats = entity('TimeStats', {
  time_estimate: Type.Integer({ description: 'In seconds.' }),
  total_time_spent: Type.Integer({ description: 'In seconds.' }),
  human_time_estimate: nullable(Type.String({ description: 'Such as `3h 30m`; null for 0.' })),
  human_total_time_spent: nullable(Type.String({ description: 'Such as `3h 30m`; null for 0.' })),
}).from(({ time_estimate, total_time_spent }: TrackedTime) => ({
  time_estimate,
  total_time_spent,
  human_time_estimate: formatWorkTime(time_estimate),
  human_total_time_spent: formatWorkTime(total_time_spent),
}));

/** Numbers of task list items in the description. */
export const taskCompletionStatusSchema = objectSchema('TaskCompletionStatus', {
  count: Type.Integer(),
  completed_count: Type.Integer(),
});

export const referencesSchema = objectSchema('References', {
  short: Type.String(),
  relative: Type.String({ description: 'The shortest form that is clear in the listed project or group.' }),
  full: Type.String(),
});

/** Columns from which the relations are loaded. */
interface IssuableRow {
  readonly id: number;
  readonly project_id: number;
  readonly milestone_id: number | null;
}

/** Loads the related data of serialized issuables, with the users of `actorIds`, such as authors, in one wave of statements. */
export async function loadIssuableRelations(
  tables: IssuableTables,
  issuables: readonly IssuableRow[],
  actorIds: readonly (number | null)[],
  context: SerializationContext,
) {
  const { db } = context;
  const ids = issuables.map(({ id }) => id);
  const projectIds = issuables.map(({ project_id }) => project_id);
  const [assigneesById, labels, actors, projectPaths, milestones] = await Promise.all([
    loadAssignedUsers(db, tables, ids),
    loadLabels(db, tables, ids),
    loadUsersById(db, actorIds),
    loadProjectPaths(db, projectIds),
    serializeMilestones(issuables, context),
  ]);
  return {
    /** Serializes one of `actorIds`. Throws `RowDeleted` if the user was deleted meanwhile. */
    serializeActor: (id: number) => UserBasic.serialize(requireRow(actors.get(id)), context),
    projectPaths: new Map(projectPaths.map((projectPath) => [projectPath.id, projectPath])),
    assigneesById,
    milestones,
    labelsById: Map.groupBy(labels, ({ issuable_id }) => issuable_id),
  };
}

async function serializeMilestones(issuables: readonly IssuableRow[], context: SerializationContext) {
  const rows = await loadMilestonesById(
    context.db,
    issuables.map(({ milestone_id }) => milestone_id),
  );
  const milestones = await Milestone.serializeAll([...rows.values()], context);
  return new Map(milestones.map((milestone) => [milestone.id, milestone]));
}

/** Loads the full path and namespace of each project. */
export async function loadProjectPaths(db: Reader, projectIds: readonly number[]) {
  return selectProjectPaths(db, [...new Set(projectIds)]);
}

// index: routes_by_project, projects primary key, namespaces primary key
const selectProjectPaths = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'projects.path', 'projects.namespace_id', 'routes.full_path', 'namespaces.kind'])
    .where('projects.id', 'in', ids),
);

type ProjectPath = Awaited<ReturnType<typeof loadProjectPaths>>[number];

/** Where a reference is shown: in the issuable's project, in the namespace with this id, or (null) anywhere else. */
export type ReferenceContext = 'project' | number | null;

/** Serializes the references. `relative` is short in the project, has the project's path in its namespace, and is full elsewhere. */
export function serializeReferences(
  short: string,
  { path, full_path, namespace_id }: ProjectPath,
  referenceContext: ReferenceContext,
) {
  const fullReference = `${full_path}${short}`;
  const referenceOutsideProject = referenceContext === namespace_id ? `${path}${short}` : fullReference;
  const relative = referenceContext === 'project' ? short : referenceOutsideProject;
  return { short, relative, full: fullReference };
}

const createDescriptionLoader = memoizeByTables((tables: LabelableTables) =>
  createTextLoader(tables.table, 'description'),
);

/**
 * Loads the descriptions and labels of list items. List rows omit descriptions. Labels are titles, or objects if the parameter
 * `with_labels_details` is true.
 */
export async function loadListRelations(
  tables: LabelableTables,
  issuables: readonly { readonly id: number }[],
  labels: Promise<ReadonlyMap<number, readonly LabelBasicRow[]>>,
  context: SerializationContext,
) {
  const ids = issuables.map(({ id }) => id);
  const [descriptionsById, labelsById] = await Promise.all([createDescriptionLoader(tables)(context.db, ids), labels]);
  const labelObjectsById = context.params.with_labels_details
    ? await serializeLabelsById([...labelsById.values()].flat(), context)
    : null;
  return {
    description: (id: number) => descriptionsById.get(id) ?? null,
    labels: (id: number) => (labelsById.get(id) ?? []).map((label) => labelObjectsById?.get(label.id) ?? label.title),
  };
}

async function serializeLabelsById(rows: readonly LabelBasicRow[], context: SerializationContext) {
  const rowsById = new Map(rows.map((label) => [label.id, label]));
  const labels = await LabelBasic.serializeAll([...rowsById.values()], context);
  return new Map(labels.map((label) => [label.id, label]));
}

/** Schema of `labels` in lists. */
export const listLabelsSchema = Type.Array(Type.Union([Type.String(), LabelBasic.schema]));

/** Loads the assignees of these issuables, in the order of assignment. */
export async function loadAssignees(db: Reader, tables: IssuableTables, ids: readonly number[]) {
  const rows = await selectAssignees(tables)(db, ids);
  return rows.sort((left, right) => left.id - right.id);
}

// index: issue_assignees_by_issue
const selectAssignees = memoizeByTables((tables: IssuableTables) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom(tables.assigneeTable)
      .select(['id', `${tables.foreignKey} as issuable_id`, 'user_id'])
      .where(tables.foreignKey, 'in', ids),
  ),
);

/** Loads the assignees of these issuables as users, by issuable, in the order of assignment. */
export async function loadAssignedUsers(db: Reader, tables: IssuableTables, ids: readonly number[]) {
  const rows = await selectAssignedUsers(tables)(db, ids);
  rows.sort((left, right) => left.assignment_id - right.assignment_id);
  return Map.groupBy(rows, ({ issuable_id }) => issuable_id);
}

// index: issue_assignees_by_issue, users primary key
const selectAssignedUsers = memoizeByTables(({ assigneeTable, foreignKey }: IssuableTables) =>
  prepareForIds((db, ids) => {
    const issuableId = sql.ref<number>(`${assigneeTable}.${foreignKey}`);
    return db
      .selectFrom(assigneeTable)
      .innerJoin('users', 'users.id', `${assigneeTable}.user_id`)
      .select([`${assigneeTable}.id as assignment_id`, issuableId.as('issuable_id'), ...userBasicColumns])
      .where(issuableId, 'in', ids);
  }),
);

/** Adds and removes assignees. Remaining assignees keep their order. index: issue_assignees_by_issue */
export function updateAssignees(tx: Transaction, tables: IssuableTables, id: number, change: SetChange): Promise<void> {
  const createdAtColumn = tables.assigneeTable === 'merge_request_reviewers' ? 'created_at' : undefined;
  return updateLinks(
    tx,
    { table: tables.assigneeTable, ownerColumn: tables.foreignKey, targetColumn: 'user_id', createdAtColumn },
    id,
    change,
  );
}
