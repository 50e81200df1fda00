import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { toZeroOrOne } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import { selectSelfAndAncestors } from './hierarchy.ts';

// An archived group, or one marked for deletion, passes that state on to everything below it (contract/planning.md §0
// "Archived"). The inherited state is not stored: queries read it from the closure table, so archiving a group writes
// one row.
// Each state has two forms: a column for a row that is read, and a condition for lists. Authorization uses
// `Project.archived`, `Group.archived` and `Group.marked`, which include the inherited state.

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;
/** A state that descendants inherit; `marked`: marked for deletion. */
type State = 'archived' | 'marked';

// --- Columns for single rows.

type NamespaceId = 'namespaces.id' | 'projects.namespace_id';

/** Returns a column for queries of few rows: 1 when the group or one of its ancestors is archived. */
export const isArchivedExpression = (namespaceId: NamespaceId) =>
  toZeroOrOne(selfOrAncestorHasState('archived', namespaceId));

/** Returns a column for queries of few rows: 1 when the group or one of its ancestors is marked for deletion. */
export const isMarkedExpression = (namespaceId: NamespaceId) =>
  toZeroOrOne(selfOrAncestorHasState('marked', namespaceId));

// index: namespace_closure_pkey, namespaces primary key
function selfOrAncestorHasState(state: State, namespaceId: NamespaceId): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'namespaces' | 'projects'>();
  return eb.exists(
    eb
      .selectFrom('namespace_closure as ancestors')
      .innerJoin('namespaces as ancestor', 'ancestor.id', 'ancestors.ancestor_id')
      .select('ancestor.id')
      .whereRef('ancestors.descendant_id', '=', namespaceId)
      .where(STATE_CONDITIONS[state]),
  );
}

/** Literal values, so that the partial index of the few groups in each state applies. */
const STATE_CONDITIONS = {
  archived: sql<SqlBool>`ancestor.archived = true`,
  marked: sql<SqlBool>`ancestor.marked_for_deletion_on is not null`,
  inactive: sql<SqlBool>`(ancestor.archived = true or ancestor.marked_for_deletion_on is not null)`,
} as const satisfies Record<State | 'inactive', Expression<SqlBool>>;

// index: namespace_closure_pkey, namespaces primary key
const loadArchivedGroupIds = prepareForIds((db, ids) =>
  db
    .selectFrom('namespace_closure as ancestors')
    .innerJoin('namespaces as ancestor', 'ancestor.id', 'ancestors.ancestor_id')
    .select('ancestors.descendant_id as id')
    .distinct()
    .where('ancestors.descendant_id', 'in', ids)
    .where(STATE_CONDITIONS.archived),
);

/** Returns the ids of the groups among these that are archived, directly or through an ancestor. */
export async function findArchivedGroupIds(db: Reader, groupIds: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await loadArchivedGroupIds(db, groupIds)).map(({ id }) => id));
}

// --- Conditions for lists. An index finds the rows in a state; for the other rows, each row is tested.

/**
 * Condition: the group is archived, directly or through an ancestor; `false`: it is not.
 * index: namespaces_inactive, namespace_closure_by_ancestor
 */
export const groupArchivedCondition = (expected: boolean) => (eb: Eb<'namespaces'>) =>
  eb('namespaces.id', expected ? 'in' : 'not in', selectGroupIdsInState('archived'));

/**
 * Condition: the group is neither archived nor marked for deletion, directly or through an ancestor; `false`: it is archived or
 * marked.
 */
export const groupActiveCondition = (expected: boolean) => (eb: Eb<'namespaces'>) =>
  eb('namespaces.id', expected ? 'not in' : 'in', selectGroupIdsInState('inactive'));

/**
 * Condition: the project is archived, directly or through a group above; `false`: it is not.
 * index: projects_archived, projects_by_namespace
 */
export const projectArchivedCondition = (expected: boolean) => (eb: Eb<'projects'>) =>
  isProjectInState(eb, expected, selectGroupIdsInState('archived'));

/**
 * Condition: the project is neither archived nor marked for deletion, directly or through a group above; `false`: it is archived
 * or marked. A project that is marked itself is archived too, so that its column is enough; one below a marked group is not.
 */
export const projectActiveCondition = (expected: boolean) => (eb: Eb<'projects'>) =>
  isProjectInState(eb, !expected, selectGroupIdsInState('inactive'));

type GroupIds = ReturnType<typeof selectGroupIdsInState>;

/** Condition: the project is archived itself or lies in one of these groups; `expected` false: neither. */
function isProjectInState(eb: Eb<'projects'>, expected: boolean, groupIds: GroupIds): Expression<SqlBool> {
  if (!expected) return eb.and([eb('projects.archived', '=', false), eb('projects.namespace_id', 'not in', groupIds)]);
  const archivedProjects = eb
    .selectFrom('projects as archived_project')
    .select('archived_project.id as id')
    .where(sql<SqlBool>`archived_project.archived = true`);
  const projectsInGroups = eb
    .selectFrom('projects as group_project')
    .select('group_project.id as id')
    .where('group_project.namespace_id', 'in', groupIds);
  return eb('projects.id', 'in', archivedProjects.unionAll(projectsInGroups));
}

/** Selects the ids of the groups in this state, directly or through an ancestor. */
function selectGroupIdsInState(state: keyof typeof STATE_CONDITIONS) {
  return expressionBuilder<Schema, never>()
    .selectFrom('namespace_closure as descendants')
    .select('descendants.descendant_id as id')
    .where('descendants.ancestor_id', 'in', (eb) =>
      eb.selectFrom('namespaces as ancestor').select('ancestor.id').where(STATE_CONDITIONS[state]),
    );
}

// --- Source of a state, for error messages and events.

/** Whether the namespace itself, an ancestor, or any of them is in a state. */
interface StateOrigin {
  readonly direct: boolean;
  readonly inherited: boolean;
  readonly any: boolean;
}

/**
 * Returns whether the namespace or its ancestors are archived and marked for deletion.
 * index: namespace_closure_pkey
 */
export async function loadArchiveState(db: Reader, namespaceId: number): Promise<Readonly<Record<State, StateOrigin>>> {
  const rows = await selectSelfAndAncestors(db, namespaceId)
    .select(['namespace_closure.depth', 'namespaces.archived', 'namespaces.marked_for_deletion_on'])
    .execute();
  const toStateOrigin = (matches: (row: (typeof rows)[number]) => boolean): StateOrigin => {
    const isOwn = rows.some((row) => row.depth === 0 && matches(row));
    const isInherited = rows.some((row) => row.depth > 0 && matches(row));
    return { direct: isOwn, inherited: isInherited, any: isOwn || isInherited };
  };
  return {
    archived: toStateOrigin(({ archived }) => archived),
    marked: toStateOrigin(({ marked_for_deletion_on: markedOn }) => markedOn !== null),
  };
}
