import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { isAmongFound, notLookedUpBy } from '#database/dialect.ts';
import { type Count, countRows, lookThrough } from '#database/page.ts';
import { COMMON } from '#database/search/common-substrings.ts';
import { projectArchived } from '#domain/namespaces/archive-state.ts';
import { namespacesInside } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Parent } from '#http/access/parents.ts';
import type { Page } from '#http/lists/page.ts';
import type { SeenFrom } from '../entities.ts';
import type { Kind } from '../kind.ts';
import { type Condition, isSmall, rarest } from './query-strategy.ts';

/** Lists of issues and merge requests, before they are ordered. */

/** Whose things a list is of. */
export type ThingsOf =
  | { readonly project: Project; readonly group?: undefined }
  | { readonly group: { readonly id: number } | null; readonly project?: undefined; readonly nonArchived: boolean };

/** Where from references to things of the list are read. */
const seenFrom = (of: ThingsOf): SeenFrom => (of.project ? 'project' : (of.group?.id ?? null));

/** All that is in a project, or in a group and below it. */
export function allIn({ project, group }: Pick<Parent, 'project' | 'group'>): ThingsOf {
  return project ? { project } : { group: group ?? null, nonArchived: false };
}

/** A page of a list's rows, each with where it is seen from. */
export function seenIn<Row extends object>(of: ThingsOf, page: Page<Row>): Page<Row & { readonly seenFrom: SeenFrom }> {
  return { ...page, items: page.items.map((row) => ({ ...row, seenFrom: seenFrom(of) })) };
}

export type ThingIds<Table extends Kind['things']> = SelectQueryBuilder<Schema, Table, { id: number }>;

/** Which of the things the caller sees: of those of one project, and wherever they are, read with their projects. */
interface Seen {
  readonly inProject: () => Expression<SqlBool>;
  readonly anywhere: () => Expression<SqlBool>;
  /** The order is one that an index has for the things of all projects; of others all things are looked at and sorted. */
  readonly walked: boolean;
}

/** The ids of a list's things, not ordered yet. */
interface Narrowed<Table extends Kind['things']> {
  readonly query: ThingIds<Table>;
  /** The same for who has the ids of some that it may hold; null: they are few anyhow. */
  readonly gathered: ThingIds<Table> | null;
  /** The same for who looks for all of them, in no order. */
  readonly atOnce: ThingIds<Table>;
  /** It may hold few of many that would be looked at in its order. */
  readonly unknown: boolean;
}

/** The things of this kind and place that fulfil the conditions, and that the caller sees. */
export async function narrowedIds<Table extends Kind['things']>(
  db: Reader,
  kind: Kind & { readonly things: Table },
  of: ThingsOf,
  conditions: readonly Condition[],
  seen: Seen,
): Promise<Narrowed<Table>> {
  const place = of.group ? await inGroup(db, kind, of.group) : null;
  const cheap = conditions.filter(({ dear }) => !dear);
  const all = [...(place === null ? [] : [place]), ...cheap, ...conditions.filter(({ dear }) => dear)];
  const small = all.length > 0 && (await isSmall(db, { kind, project: of.project ?? null }));
  const few = small ? null : await rarest(db, all);
  const told = few !== null && few.idsAtMost === undefined;
  const others = all.filter((one) => one !== few || !told);
  const projectId = sql.ref<number>(`${kind.things}.project_id`);
  // The sign changes nothing but the plan.
  const unindexed = sql<number>`+${projectId}`;
  const found = (by: RawBuilder<number>, asked = others.map(({ holds }) => holds)) =>
    placed(db, kind, of, by, seen).where((eb) => eb.and(asked));
  const typed = (query: ThingIds<'issues'>) => query as unknown as ThingIds<Table>;
  if (few === null) {
    // Of a group few projects may be looked up, of all none: whatever they are, all things are looked at.
    const sorted = of.group === null && !seen.walked;
    const query = typed(found(sorted ? notLookedUpBy(db, projectId) : projectId));
    // Of things with their projects PostgreSQL would look for all once again in each project.
    const atOnce =
      of.project &&
      typed(
        found(
          projectId,
          others.map(({ holds, atOnce }) => atOnce ?? holds),
        ),
      );
    return { query, gathered: typed(found(unindexed)), atOnce: atOnce ?? query, unknown: all.length > 0 && !small };
  }
  const gathered = isAmongFound(db, sql.ref<number>(`${kind.things}.id`), sql`(${few.idsAtMost ?? few.ids})`);
  const query = typed(found(unindexed).where(gathered));
  return { query, gathered: null, atOnce: query, unknown: false };
}

/** The same, and how many they are where that is known now. */
export async function counted<Table extends Kind['things']>(
  db: Reader,
  kind: Kind & { readonly things: Table },
  { query, gathered, atOnce, unknown }: Narrowed<Table>,
): Promise<Pick<Narrowed<Table>, 'query' | 'gathered'> & { readonly count?: Count }> {
  if (!unknown) return { query, gathered, ...(gathered === null && { count: 'gathered' }) };
  const { isKnown, count } = await lookThrough(db, atOnce);
  if (isKnown === null) return { query, gathered, count };
  const id = sql.ref<number>(`${kind.things}.id`);
  const known = db
    .selectFrom(kind.things as 'issues')
    .select(id.as('id'))
    .where(isKnown(id));
  return { query: known as unknown as ThingIds<Table>, gathered: null, count };
}

/**
 * That things are in a group, for a group with few projects: what they have may be little of what there is on all. Whether
 * a thing is there is asked of its project. index: namespace_closure_by_ancestor, projects_by_namespace
 */
async function inGroup(db: Reader, kind: Kind, { id }: { readonly id: number }): Promise<Condition | null> {
  const projects = sql`select inside.id from projects as inside where inside.namespace_id in (${namespacesInside(db, id)})`;
  if ((await countRows(db, sql`(${projects} limit ${sql.lit(COMMON + 1)})`)) > COMMON) return null;
  const ids = sql`select one.id from ${sql.table(kind.things)} as one where one.project_id in (${projects})`;
  return { holds: sql<SqlBool>`1 = 1`, ids };
}

/** The things of the place that the caller sees; `projectId` as the engine may, or may not, look them up by it. */
function placed(db: Reader, kind: Kind, of: ThingsOf, projectId: RawBuilder<number>, seen: Seen): ThingIds<'issues'> {
  // All kinds have the columns that are named here.
  const things = db.selectFrom(kind.things as 'issues').select(sql.ref<number>(`${kind.things}.id`).as('id'));
  if (of.project) return things.where(sql<SqlBool>`${projectId} = ${of.project.id}`).where(seen.inProject());
  let wide = things.innerJoin('projects', (join) => join.on(sql<SqlBool>`projects.id = ${projectId}`));
  wide = wide.where(seen.anywhere());
  if (of.nonArchived) wide = wide.where(projectArchived(false));
  if (of.group !== null) wide = wide.where('projects.namespace_id', 'in', namespacesInside(db, of.group.id));
  return wide as unknown as ThingIds<'issues'>;
}
