import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import { ANY_ROLE } from '#domain/members/roles.ts';
import { projectArchivedCondition } from '#domain/namespaces/archive-state.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import { isInScope, type NamespaceScope } from '#domain/namespaces/scope.ts';
import { groupVisibleTo, projectVisibleTo, projectWithRole } from './visibility.ts';

type OwnedTable = 'labels' | 'milestones';

/** The groups and projects below a group whose labels or milestones are selected. */
interface DescendantOwners {
  readonly groupId: number;
  /** Whether groups below the group count, and with `projects` their projects. */
  readonly subgroups: boolean;
  readonly projects: boolean;
}

/**
 * Selects the ids of the labels or milestones whose group or project is below the group, if the caller may read them.
 * Archived projects do not count.
 * index: namespace_closure_by_ancestor, projects_by_namespace, labels_by_group, labels_by_project, milestones_by_group, milestones_by_project
 */
function selectIdsOwnedBelow(
  db: Reader,
  table: OwnedTable,
  caller: Caller,
  { groupId, subgroups, projects }: DescendantOwners,
): RawBuilder<unknown>[] {
  const isInGroup = subgroups
    ? sql<SqlBool>`projects.namespace_id in (${selectDescendantIds(db, groupId)})`
    : sql<SqlBool>`projects.namespace_id = ${groupId}`;
  const groupIds = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', selectDescendantIds(db, groupId))
    .where(groupVisibleTo(caller, db.today));
  const projectIds = db
    .selectFrom('projects')
    .select('projects.id')
    .where(isInGroup)
    .where(projectVisibleTo(caller, db.today))
    .where(hasIssuablesFor(caller, db.today))
    .where(projectArchivedCondition(false));
  const selectOwned = (column: string, ids: Expression<unknown>) =>
    sql`select owned.id from ${sql.table(table)} as owned where ${isInSubquery(db, sql.ref<number>(`owned.${column}`), sql`(${ids})`)}`;
  return [
    ...(subgroups ? [selectOwned('group_id', groupIds)] : []),
    ...(projects ? [selectOwned('project_id', projectIds)] : []),
  ];
}

/** Condition on labels or milestones: the owner is in the scope, or below a group and visible to the caller. */
export function isInScopeOrBelow(
  db: Reader,
  table: OwnedTable,
  scope: NamespaceScope,
  caller: Caller,
  owners: DescendantOwners,
): RawBuilder<SqlBool> {
  // A union of ids, because PostgreSQL scans the whole table for an OR of subqueries.
  const inScope = sql`select ${sql.ref(`${table}.id`)} from ${sql.table(table)} where ${isInScope(table, scope)}`;
  const ids = [inScope, ...selectIdsOwnedBelow(db, table, caller, owners)];
  return isInSubquery(db, sql.ref<number>(`${table}.id`), sql`(${sql.join(ids, sql` union `)})`);
}

/** Condition on projects: the caller may read its issues or its merge requests. */
function hasIssuablesFor(caller: Caller, today: string) {
  const eb = expressionBuilder<Schema, 'projects'>();
  const levels = ['projects.issues_access_level', 'projects.merge_requests_access_level'] as const;
  if (isAdministrator(caller)) return eb.or(levels.map((level) => eb(level, '<>', 'disabled')));
  const isMember = caller.user === null ? eb.lit(false) : projectWithRole(caller.user.id, ANY_ROLE, today)(eb);
  return eb.or(
    levels.map((level) => eb.or([eb(level, '=', 'enabled'), eb.and([eb(level, '=', 'private'), isMember])])),
  );
}
