import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { truth } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import { itselfAndAbove } from './hierarchy.ts';

/**
 * What is archived, or marked for deletion, hands that down to everything below it (contract/planning.md §0 "Archived").
 * Nobody keeps what is handed down: it is read off the closure table, so that archiving a group costs one row, however
 * much is in it, and nothing can be out of step. Each question has its forms here side by side: `...At` of a row that is
 * read, the conditions of lists. Decisions look at `Project.archived`, `Group.archived` and `Group.marked`, which hold
 * the whole answer.
 */

type Eb<Table extends keyof Schema> = ExpressionBuilder<Schema, Table>;
type State = 'archived' | 'marked';

// --- Of a row that is read.

type NamespaceId = 'namespaces.id' | 'projects.namespace_id';

/** 1 when this group, or one above it, is archived; as a column of a query for few rows. */
export const archivedAt = (namespaceId: NamespaceId) => truth(isSoAt('archived', namespaceId));

/** The same of a mark for deletion. */
export const markedAt = (namespaceId: NamespaceId) => truth(isSoAt('marked', namespaceId));

// index: namespace_closure_pkey, namespaces primary key
function isSoAt(state: State, namespaceId: NamespaceId): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, 'namespaces' | 'projects'>();
  return eb.exists(
    eb
      .selectFrom('namespace_closure as up')
      .innerJoin('namespaces as above', 'above.id', 'up.ancestor_id')
      .select('above.id')
      .whereRef('up.descendant_id', '=', namespaceId)
      .where(SO[state]),
  );
}

/** Written out, because only so does the index of the few groups that are so serve. */
const SO = {
  archived: sql<SqlBool>`above.archived = true`,
  marked: sql<SqlBool>`above.marked_for_deletion_on is not null`,
  inactive: sql<SqlBool>`(above.archived = true or above.marked_for_deletion_on is not null)`,
} as const satisfies Record<State | 'inactive', Expression<SqlBool>>;

// index: namespace_closure_pkey, namespaces primary key
const archivedOf = prepareForIds((db, ids) =>
  db
    .selectFrom('namespace_closure as up')
    .innerJoin('namespaces as above', 'above.id', 'up.ancestor_id')
    .select('up.descendant_id as id')
    .distinct()
    .where('up.descendant_id', 'in', ids)
    .where(SO.archived),
);

/** Those of these groups that are archived, themselves or by one above. */
export async function archivedAmong(db: Reader, groupIds: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await archivedOf(db, groupIds)).map(({ id }) => id));
}

// --- Of the rows of a list. Those that are so come from an index; those that are not are asked one by one.

/** Groups that are archived, themselves or by one above; `false`: the others. index: namespaces_inactive, namespace_closure_by_ancestor */
export const groupArchived = (is: boolean) => (eb: Eb<'namespaces'>) =>
  eb('namespaces.id', is ? 'in' : 'not in', groupsThatAre('archived'));

/** Groups that are neither archived nor marked for deletion, themselves or by one above; `false`: the others. */
export const groupActive = (is: boolean) => (eb: Eb<'namespaces'>) =>
  eb('namespaces.id', is ? 'not in' : 'in', groupsThatAre('inactive'));

/** Projects that are archived, themselves or by a group above; `false`: the others. index: projects_archived, projects_by_namespace */
export const projectArchived = (is: boolean) => (eb: Eb<'projects'>) => closed(eb, is, groupsThatAre('archived'));

/** The same of those that are neither archived nor marked: who is marked is archived, but for a mark above. */
export const projectActive = (is: boolean) => (eb: Eb<'projects'>) => closed(eb, !is, groupsThatAre('inactive'));

type Groups = ReturnType<typeof groupsThatAre>;

/** Archived themselves, or in one of these groups? */
function closed(eb: Eb<'projects'>, is: boolean, groups: Groups): Expression<SqlBool> {
  if (!is) return eb.and([eb('projects.archived', '=', false), eb('projects.namespace_id', 'not in', groups)]);
  const themselves = eb.selectFrom('projects as own').select('own.id as id').where(sql<SqlBool>`own.archived = true`);
  const inGroups = eb
    .selectFrom('projects as inside')
    .select('inside.id as id')
    .where('inside.namespace_id', 'in', groups);
  return eb('projects.id', 'in', themselves.unionAll(inGroups));
}

function groupsThatAre(state: keyof typeof SO) {
  return expressionBuilder<Schema, never>()
    .selectFrom('namespace_closure as down')
    .select('down.descendant_id as id')
    .where('down.ancestor_id', 'in', (eb) => eb.selectFrom('namespaces as above').select('above.id').where(SO[state]));
}

// --- Which of the two it is, for what an act says of it.

/** Who is so: the namespace itself, a group above it. */
interface Where {
  readonly itself: boolean;
  readonly above: boolean;
  readonly any: boolean;
}

/** index: namespace_closure_pkey */
export async function standingOf(db: Reader, namespaceId: number): Promise<Readonly<Record<State, Where>>> {
  const rows = await itselfAndAbove(db, namespaceId)
    .select(['namespace_closure.depth', 'namespaces.archived', 'namespaces.marked_for_deletion_on'])
    .execute();
  const where = (isSo: (row: (typeof rows)[number]) => boolean): Where => {
    const itself = rows.some((row) => row.depth === 0 && isSo(row));
    const above = rows.some((row) => row.depth > 0 && isSo(row));
    return { itself, above, any: itself || above };
  };
  return {
    archived: where(({ archived }) => archived),
    marked: where(({ marked_for_deletion_on: mark }) => mark !== null),
  };
}
