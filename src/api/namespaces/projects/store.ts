import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectGatheredByRole, projectVisibleTo, projectWithRole } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isAmongFound } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { countLimit, countRows } from '#database/page.ts';
import { isCommonIn } from '#database/search/common-substrings.ts';
import {
  containing,
  containingUnindexed,
  escapeLike,
  hasInside,
  idsContaining,
  isShortPart,
  like,
} from '#database/search/substring-search.ts';
import type { Visibility } from '#database/tables/domain.ts';
import { OWNER } from '#domain/members/roles.ts';
import { projectActive, projectArchived } from '#domain/namespaces/archive-state.ts';
import { projectsInside } from '#domain/namespaces/hierarchy.ts';
import { given } from '#http/parameters/declarations.ts';

/** What lies directly in it, or, with `below`, anywhere in it. */
interface Namespace {
  readonly id: number;
  readonly below: boolean;
}

/** Which projects a list shows. Absent and null filters don't filter. */
export interface ProjectFilter {
  readonly search?: string | null | undefined;
  /** The search looks at the full path too. */
  readonly searchNamespaces?: boolean | null | undefined;
  readonly visibility?: Visibility | null | undefined;
  /** Itself or by a group above. */
  readonly archived?: boolean | null | undefined;
  /** Neither archived nor marked for deletion, itself or by a group above; `false`: the others. */
  readonly active?: boolean | null | undefined;
  readonly owned?: boolean | null | undefined;
  readonly membership?: boolean | null | undefined;
  /** Starred by the caller. */
  readonly starred?: boolean | null | undefined;
  /** Starred by this user; null: by nobody. */
  readonly starredBy?: number | null | undefined;
  readonly minAccessLevel?: number | null | undefined;
  readonly withIssues?: boolean | null | undefined;
  readonly withMergeRequests?: boolean | null | undefined;
  /** All of them. */
  readonly topics?: readonly string[] | null | undefined;
  readonly topicId?: number | null | undefined;
  readonly imported?: boolean | null | undefined;
  readonly markedForDeletionOn?: string | null | undefined;
  readonly idAfter?: number | null | undefined;
  readonly idBefore?: number | null | undefined;
  readonly lastActivityAfter?: string | null | undefined;
  readonly lastActivityBefore?: string | null | undefined;
  readonly updatedAfter?: string | null | undefined;
  readonly updatedBefore?: string | null | undefined;
  /** For administrators; others' is ignored. */
  readonly storage?: string | null | undefined;
  readonly namespace?: Namespace | undefined;
  /** Of a namespace with much in it (`holdsMuch`): the list is walked in its order, not gathered and sorted. */
  readonly walked?: boolean;
  /** Only what lies in this user's own namespace. */
  readonly ownerId?: number | undefined;
}

export const PROJECT_ORDERS = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
  'similarity',
  'star_count',
] as const;
export type ProjectOrder = (typeof PROJECT_ORDERS)[number];
export type Direction = 'asc' | 'desc';

type Eb = ExpressionBuilder<Schema, 'projects'>;

/**
 * The ids of the projects that the caller sees and the filter asks for, not ordered yet. Words of the search that are
 * `common` are looked for in each project.
 */
export function projectIds(db: Reader, caller: Caller, filter: ProjectFilter, common: ReadonlySet<string> = new Set()) {
  const roles = rolesAsked(filter);
  return db
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) =>
      eb.and(roles.length > 0 ? hasRoles(db, eb, caller, roles) : [projectVisibleTo(caller, db.today)(eb)]),
    )
    .where((eb) => eb.and([...attributeConditions(db, eb, filter), ...memberConditions(eb, caller, filter, db.today)]))
    .where((eb) => eb.and([...searchConditions(db, eb, filter, common), ...placeConditions(eb, caller, filter)]));
}

/**
 * Whether a namespace has more projects than are counted: a list of fewer is gathered, sorted and counted in one, which takes
 * as long when none of them fits; walked in its order it would be looked for among all projects.
 * index: projects_by_namespace, namespace_closure_by_ancestor
 */
export async function holdsMuch(db: Reader, { id, below }: Namespace): Promise<boolean> {
  const directly = db.selectFrom('projects').select('projects.id').where('namespace_id', '=', id);
  const some = (below ? projectsInside(db, id) : directly).limit(countLimit + 1);
  return (await countRows(db, sql`(${some})`)) > countLimit;
}

export type ProjectIds = ReturnType<typeof projectIds>;

// index: projects_by_created_at, projects_by_updated_at, projects_by_last_activity (whichever the order is)
function attributeConditions(db: Reader, eb: Eb, filter: ProjectFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const { visibility, archived, active, idAfter, idBefore, topics } = filter;
  if (given(visibility)) conditions.push(eb('projects.visibility', '=', visibility));
  if (given(archived)) conditions.push(projectArchived(archived)(eb));
  if (given(active)) conditions.push(projectActive(active)(eb));
  if (given(idAfter)) conditions.push(eb('projects.id', '>', idAfter));
  if (given(idBefore)) conditions.push(eb('projects.id', '<', idBefore));
  if (given(filter.lastActivityAfter)) conditions.push(eb('projects.last_activity_at', '>', filter.lastActivityAfter));
  if (given(filter.lastActivityBefore))
    conditions.push(eb('projects.last_activity_at', '<', filter.lastActivityBefore));
  if (given(filter.updatedAfter)) conditions.push(eb('projects.updated_at', '>=', filter.updatedAfter));
  if (given(filter.updatedBefore)) conditions.push(eb('projects.updated_at', '<=', filter.updatedBefore));
  // index: projects_by_deletion
  const { markedForDeletionOn: marked } = filter;
  if (given(marked)) conditions.push(eb('projects.marked_for_deletion_on', '=', marked));
  // index: projects_imported
  if (filter.imported) conditions.push(sql<SqlBool>`projects.imported_from <> 'none'`);
  // No topic has an id.
  if (given(filter.topicId)) conditions.push(eb.lit(false));
  for (const topic of new Set(topics?.slice(0, MOST_WORDS))) conditions.push(hasTopic(db, topic));
  return conditions;
}

/** The column is a JSON array, so a topic stands there quoted, behind the bracket or a comma. */
function hasTopic(db: Reader, topic: string): Expression<SqlBool> {
  const quoted = JSON.stringify(topic);
  const [topics, eb] = [sql.ref<string>('projects.topics'), expressionBuilder<Schema, 'projects'>()];
  return eb.or([hasInside(db, topics, `[${quoted}`), hasInside(db, topics, `,${quoted}`)]);
}

/** What the caller has to be in the projects of the list. */
function rolesAsked({ owned, membership, minAccessLevel }: ProjectFilter): number[] {
  return [owned ? OWNER : null, membership ? 1 : null, minAccessLevel].filter(given);
}

/** Who has a role in a project sees it. index: memberships_by_user, namespace_closure_by_ancestor, projects_by_namespace */
function hasRoles(db: Reader, eb: Eb, { user }: Caller, roles: readonly number[]): Expression<SqlBool>[] {
  return roles.map((role) => (user === null ? eb.lit(false) : projectGatheredByRole(db, user.id, role)(eb)));
}

// index: memberships_by_user, namespace_closure_by_ancestor, projects_by_namespace
function memberConditions(eb: Eb, caller: Caller, filter: ProjectFilter, today: string): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const { user } = caller;
  if (filter.starred) conditions.push(starredBy(eb, user?.id ?? null));
  if (filter.starredBy !== undefined) conditions.push(starredBy(eb, filter.starredBy));
  if (filter.withIssues) conditions.push(featureOpen(eb, 'issues', caller, today));
  if (filter.withMergeRequests) conditions.push(featureOpen(eb, 'merge_requests', caller, today));
  return conditions;
}

/** index: stars_pkey */
function starredBy(eb: Eb, userId: number | null): Expression<SqlBool> {
  if (userId === null) return eb.lit(false);
  return eb('projects.id', 'in', eb.selectFrom('stars').select('stars.project_id').where('stars.user_id', '=', userId));
}

/** The feature is on for the caller: `private` is for members. */
function featureOpen(eb: Eb, feature: 'issues' | 'merge_requests', caller: Caller, today: string): Expression<SqlBool> {
  const level = `projects.${feature}_access_level` as const;
  if (isAdministrator(caller)) return eb(level, '<>', 'disabled');
  if (caller.user === null) return eb(level, '=', 'enabled');
  const member = projectWithRole(caller.user.id, 1, today)(eb);
  return eb.or([eb(level, '=', 'enabled'), eb.and([eb(level, '=', 'private'), member])]);
}

/** No name has more words, no full path is longer: what asks for more finds nothing by it, and costs no more. */
const MOST_WORDS = 100;
const LONGEST_WORD = 10_000;

function wordsOf(search: string | null | undefined): string[] {
  const words = new Set(foldCase(search ?? '').split(/\s+/));
  return [...words].filter((word) => word !== '').slice(0, MOST_WORDS);
}

/** So many words of a search are looked up: the longest, which fewest have. The others are looked for in what these find. */
const LOOKED_UP = 8;

/** Words that so many projects have that a list is looked through in its order, and those that need not be looked up. */
export async function commonWords(db: Reader, { search }: ProjectFilter): Promise<ReadonlySet<string>> {
  const words = wordsOf(search).sort((one, other) => other.length - one.length);
  const common = new Set(words.slice(LOOKED_UP));
  for (const word of words.slice(0, LOOKED_UP)) {
    if (word.length <= LONGEST_WORD && (await isCommon(db, word))) common.add(word);
  }
  return common;
}

/** Do the indexes tell all projects of the list, because it asks for a word that few have, or for what is somebody's? */
export function isGathered(filter: ProjectFilter, common: ReadonlySet<string>): boolean {
  return isOfSomebody(filter) || wordsOf(filter.search).some((word) => !common.has(word));
}

function isOfSomebody(filter: ProjectFilter): boolean {
  const { starred, starredBy, ownerId } = filter;
  return rolesAsked(filter).length > 0 || starred === true || starredBy !== undefined || given(ownerId);
}

async function isCommon(db: Reader, word: string): Promise<boolean> {
  if (isShortPart(word)) return true;
  if (await isCommonIn(db, 'projects', 'name_key', word)) return true;
  return isCommonIn(db, 'routes', 'full_path_key', word);
}

/** Every word of the search must be in the name or the path. */
function searchConditions(
  db: Reader,
  eb: Eb,
  filter: ProjectFilter,
  common: ReadonlySet<string>,
): Expression<SqlBool>[] {
  const whole = filter.searchNamespaces === true;
  const words = wordsOf(filter.search);
  // What alone tells the list is looked up by its ids; beside another index it would be looked through for each row of that.
  const alone = words.length === 1 && !isOfSomebody(filter);
  return words.map((word) => {
    if (word.length > LONGEST_WORD) return eb.lit(false);
    if (common.has(word))
      return eb.or([containingUnindexed('projects', ['name_key'], word), hasInPath(eb, word, whole)]);
    // index: projects_name_key_trigrams
    const found = idsByPath(db, word, whole).unionAll(idsContaining(db, 'projects', 'name_key', word));
    return alone ? isAmongFound(db, eb.ref('projects.id'), sql`${found}`) : eb('projects.id', 'in', found);
  });
}

/** In the whole of `group/project`, or only in the project's own segment. index: routes_full_path_key_trigrams */
function idsByPath(db: Reader, word: string, whole: boolean) {
  const found = db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .select('projects.id')
    .where(containing(db, 'routes', 'full_path_key', word));
  return whole ? found : found.where(inOwnPath(word));
}

/** The same of one project. index: routes_by_project */
function hasInPath(eb: Eb, word: string, whole: boolean): Expression<SqlBool> {
  if (!whole) return inOwnPath(word);
  return eb.exists(
    eb
      .selectFrom('routes')
      .select('routes.id')
      .whereRef('routes.project_id', '=', 'projects.id')
      .where(containingUnindexed('routes', ['full_path_key'], word)),
  );
}

const inOwnPath = (word: string) => like(OWN_PATH_KEY, `%${escapeLike(word)}%`);

/** The project's own segment, folded: it is ASCII (domain/namespaces/name-validation.ts), of which every engine knows the lower case. */
const OWN_PATH_KEY = sql<string>`lower(projects.path)`;

// index: repositories_by_storage, projects_by_namespace, namespace_closure_by_ancestor
function placeConditions(
  eb: Eb,
  caller: Caller,
  { storage, namespace, walked, ownerId }: ProjectFilter,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (given(storage) && isAdministrator(caller)) {
    const there = eb
      .selectFrom('repositories')
      .select('repositories.project_id')
      .where('repositories.storage', '=', storage);
    conditions.push(eb('projects.id', 'in', there));
  }
  if (namespace && !namespace.below) conditions.push(eb('projects.namespace_id', '=', namespace.id));
  if (namespace?.below) {
    const inside = eb.selectFrom('namespace_closure').select('descendant_id').where('ancestor_id', '=', namespace.id);
    // The sign changes nothing but the plan: no index gathers what is inside.
    const namespaceId = walked ? sql<number>`+projects.namespace_id` : eb.ref('projects.namespace_id');
    conditions.push(eb(namespaceId, 'in', inside));
  }
  if (given(ownerId)) {
    // index: namespaces_by_owner, projects_by_namespace
    const own = eb.selectFrom('namespaces').select('namespaces.id').where('namespaces.owner_id', '=', ownerId);
    conditions.push(eb('projects.namespace_id', 'in', own));
  }
  return conditions;
}

/** The order asked for, ties by id in the same direction. index: projects_by_<column> */
export function inOrder(
  query: ProjectIds,
  order: ProjectOrder,
  direction: Direction,
  search?: string | null,
): ProjectIds {
  if (order === 'id') return query.orderBy('projects.id', direction);
  if (order === 'similarity') return bySimilarity(query, direction, foldCase(search ?? ''));
  return query.orderBy(`projects.${order}`, direction).orderBy('projects.id', direction);
}

/** The searched name itself first (or last, ascending), then what begins with it, then the rest. */
function bySimilarity(query: ProjectIds, direction: Direction, search: string): ProjectIds {
  if (search === '' || search.length > LONGEST_WORD) return inOrder(query, 'created_at', direction);
  const begins = `${escapeLike(search)}%`;
  const likeness = sql`case
    when projects.name_key = ${search} or ${OWN_PATH_KEY} = ${search} then 2
    when ${like(sql<string>`projects.name_key`, begins)} or ${like(OWN_PATH_KEY, begins)} then 1
    else 0 end`;
  return query.orderBy(likeness, direction).orderBy('projects.id', direction);
}
