import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import {
  type CustomAttributeFilter,
  customAttributeConditions,
  toCustomAttributeFilter,
} from '#api/identity/custom-attributes/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectVisibleTo, projectWithRole, projectWithRoleIndexed } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { COUNT_LIMIT, countRows } from '#database/page.ts';
import type { Visibility } from '#database/schema.ts';
import { isCommonSubstring } from '#database/search/common-substrings.ts';
import {
  containsSubstring,
  containsSubstringUnindexed,
  escapeLike,
  isTooShortForIndex,
  like,
  selectIdsContaining,
} from '#database/search/substring-search.ts';
import { ANY_ROLE, OWNER } from '#domain/members/roles.ts';
import { projectActiveCondition, projectArchivedCondition } from '#domain/namespaces/archive-state.ts';
import { isPresent } from '#http/parameters/declarations.ts';
import { hasTopic, hasTopics } from '../topics/index.ts';

/** Projects directly in the namespace, and in its subgroups and ancestor groups on request. */
interface NamespaceSelection {
  readonly id: number;
  readonly includeDescendants?: boolean;
  readonly includeAncestors?: boolean;
}

/** The filter of a list of projects. Absent and null values do not filter. */
export interface ProjectFilter {
  readonly search?: string | null | undefined;
  /** Searches the full path too. */
  readonly searchNamespaces?: boolean | null | undefined;
  readonly visibility?: Visibility | null | undefined;
  /** Archived directly or through a group. */
  readonly archived?: boolean | null | undefined;
  /** Neither archived nor marked for deletion, directly or through a group; `false`: the opposite. */
  readonly active?: boolean | null | undefined;
  readonly owned?: boolean | null | undefined;
  readonly membership?: boolean | null | undefined;
  /** Starred by the caller. */
  readonly starred?: boolean | null | undefined;
  /** Starred by this user; null matches nothing. */
  readonly starredBy?: number | null | undefined;
  readonly minAccessLevel?: number | null | undefined;
  readonly withIssues?: boolean | null | undefined;
  readonly withMergeRequests?: boolean | null | undefined;
  /** With a security report of any job. */
  readonly withSecurityReports?: boolean | null | undefined;
  readonly programmingLanguage?: string | null | undefined;
  /** Only for administrators; ignored for other callers. */
  readonly repositoryChecksumFailed?: boolean | null | undefined;
  /** Only for administrators; ignored for other callers. */
  readonly wikiChecksumFailed?: boolean | null | undefined;
  /** Projects must have all of these topics. */
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
  /** Only for administrators, like `customAttributes`; ignored for other callers. */
  readonly storage?: string | null | undefined;
  readonly customAttributes?: CustomAttributeFilter | null | undefined;
  readonly namespace?: NamespaceSelection | undefined;
  /**
   * Set for namespaces with many projects (`hasManyProjects`): scans in the list's order instead of collecting and
   * sorting.
   */
  readonly scanInOrder?: boolean;
  /** Only projects in this user's personal namespace. */
  readonly ownerId?: number | undefined;
}

/** Values of `order_by` for all callers. */
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
/** Expressions of orders by size, for administrators only. Null orders by id: packages are not stored, so all have the same size. */
const SIZE_EXPRESSIONS = {
  repository_size: sql<number>`coalesce(repositories.size, 0)`,
  wiki_size: sql<number>`repositories.wiki_size`,
  storage_size: sql<number>`(coalesce(repositories.size, 0) + repositories.wiki_size + repositories.lfs_size
    + repositories.snippets_size)`,
  packages_size: null,
} as const;
type SizeOrder = keyof typeof SIZE_EXPRESSIONS;
/** Values of `order_by` for administrators. */
export const SIZE_ORDERS = Object.keys(SIZE_EXPRESSIONS) as SizeOrder[];
export type ProjectOrder = (typeof PROJECT_ORDERS)[number] | SizeOrder;
export type SortDirection = 'asc' | 'desc';

/** The expression builder of conditions on projects. */
type Eb = ExpressionBuilder<Schema, 'projects'>;

/**
 * Selects the ids of the projects that the caller can see and the filter matches, unordered. `commonWords`: search
 * words that are compared with each project instead of looked up in an index.
 */
export function selectProjectIds(
  db: Reader,
  caller: Caller,
  filter: ProjectFilter,
  commonWords: ReadonlySet<string> = new Set(),
) {
  const roles = listRequiredRoles(filter);
  const attributes = toCustomAttributeFilter(caller, filter.customAttributes);
  return db
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) =>
      eb.and(roles.length > 0 ? roleConditions(db, eb, caller, roles) : [projectVisibleTo(caller, db.today)(eb)]),
    )
    .where((eb) => eb.and([...attributeConditions(db, eb, filter), ...memberConditions(eb, caller, filter, db.today)]))
    .where((eb) =>
      eb.and([...searchConditions(db, eb, filter, commonWords), ...namespaceConditions(eb, caller, filter)]),
    )
    .where((eb) => eb.and(customAttributeConditions(db, 'project', eb.ref('projects.id'), attributes)));
}

/**
 * Returns whether a namespace has more than COUNT_LIMIT projects. Smaller namespaces are collected, sorted and counted
 * in one query, which is fast even if nothing matches; scanning in order would read all projects.
 * index: projects_by_namespace, namespace_closure_by_ancestor
 */
export async function hasManyProjects(db: Reader, namespace: NamespaceSelection): Promise<boolean> {
  const projectSample = db
    .selectFrom('projects')
    .select('projects.id')
    .where((eb) => namespaceCondition(eb, eb.ref('projects.namespace_id'), namespace))
    .limit(COUNT_LIMIT + 1);
  return (await countRows(db, sql`(${projectSample})`)) > COUNT_LIMIT;
}

export type ProjectIdsQuery = ReturnType<typeof selectProjectIds>;

// index: that of the order: projects_by_created_at, projects_by_updated_at or projects_by_last_activity
function attributeConditions(db: Reader, eb: Eb, filter: ProjectFilter): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const { visibility, archived, active, idAfter, idBefore, topics } = filter;
  if (isPresent(visibility)) conditions.push(eb('projects.visibility', '=', visibility));
  if (isPresent(archived)) conditions.push(projectArchivedCondition(archived)(eb));
  if (isPresent(active)) conditions.push(projectActiveCondition(active)(eb));
  if (isPresent(idAfter)) conditions.push(eb('projects.id', '>', idAfter));
  if (isPresent(idBefore)) conditions.push(eb('projects.id', '<', idBefore));
  // As in GitLab, bounds of the last activity are exclusive, and bounds of the update time are inclusive.
  if (isPresent(filter.lastActivityAfter))
    conditions.push(eb('projects.last_activity_at', '>', filter.lastActivityAfter));
  if (isPresent(filter.lastActivityBefore))
    conditions.push(eb('projects.last_activity_at', '<', filter.lastActivityBefore));
  if (isPresent(filter.updatedAfter)) conditions.push(eb('projects.updated_at', '>=', filter.updatedAfter));
  if (isPresent(filter.updatedBefore)) conditions.push(eb('projects.updated_at', '<=', filter.updatedBefore));
  // index: projects_by_deletion
  const { markedForDeletionOn } = filter;
  if (isPresent(markedForDeletionOn)) conditions.push(eb('projects.marked_for_deletion_on', '=', markedForDeletionOn));
  // index: projects_imported
  if (filter.imported) conditions.push(sql<SqlBool>`projects.imported_from <> 'none'`);
  // Languages are not detected, so nothing matches.
  if (filter.programmingLanguage) conditions.push(eb.lit(false));
  const id = eb.ref('projects.id');
  if (isPresent(filter.topicId)) conditions.push(hasTopic(db, id, filter.topicId));
  const topicNames = [...new Set(topics)].slice(0, MAX_WORDS);
  if (topicNames.length > 0) conditions.push(hasTopics(db, id, topicNames));
  return conditions;
}

/**
 * The condition that a job of the project has a security report. The file types are literals, so that the partial index
 * is used. index: job_artifacts_security
 */
const HAS_SECURITY_REPORT = sql<SqlBool>`exists (select 1 from job_artifacts
  where job_artifacts.project_id = projects.id and job_artifacts.file_type in ('sast', 'secret_detection',
    'dependency_scanning', 'container_scanning', 'cluster_image_scanning', 'dast', 'coverage_fuzzing', 'api_fuzzing'))`;

/** The condition that the last attempt to compute the repository's checksum failed. index: geo_checksums_failed */
const REPOSITORY_CHECKSUM_FAILED = sql<SqlBool>`projects.id in (select geo_checksums.replicable_id from geo_checksums
  where geo_checksums.checksum is null and geo_checksums.replicable_name = 'project_repository')`;

/** The same condition for the wiki. index: geo_checksums_failed, wikis primary key */
const WIKI_CHECKSUM_FAILED = sql<SqlBool>`projects.id in (select wikis.project_id from geo_checksums
  join wikis on wikis.wiki_id = geo_checksums.replicable_id
  where geo_checksums.checksum is null and geo_checksums.replicable_name = 'project_wiki_repository')`;

/** Returns the roles that the caller must have in the listed projects. */
function listRequiredRoles({ owned, membership, minAccessLevel }: ProjectFilter): number[] {
  return [owned ? OWNER : null, membership ? ANY_ROLE : null, minAccessLevel].filter(isPresent);
}

/**
 * Returns the conditions that the user has these roles. They imply visibility, because members can see their projects.
 * index: memberships_by_user, namespace_closure_by_ancestor, projects_by_namespace
 */
function roleConditions(db: Reader, eb: Eb, { user }: Caller, roles: readonly number[]): Expression<SqlBool>[] {
  return roles.map((role) => (user === null ? eb.lit(false) : projectWithRoleIndexed(db, user.id, role)(eb)));
}

// index: memberships_by_user, namespace_closure_by_ancestor, projects_by_namespace
function memberConditions(eb: Eb, caller: Caller, filter: ProjectFilter, today: string): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  const { user } = caller;
  if (filter.starred) conditions.push(starredByCondition(eb, user?.id ?? null));
  if (filter.starredBy !== undefined) conditions.push(starredByCondition(eb, filter.starredBy));
  if (filter.withIssues) conditions.push(featureCondition(eb, 'issues', caller, today));
  if (filter.withMergeRequests) conditions.push(featureCondition(eb, 'merge_requests', caller, today));
  if (filter.withSecurityReports) conditions.push(HAS_SECURITY_REPORT, featureCondition(eb, 'builds', caller, today));
  return conditions;
}

/** Returns the condition that the user has starred the project; false without a user. index: stars_pkey */
function starredByCondition(eb: Eb, userId: number | null): Expression<SqlBool> {
  if (userId === null) return eb.lit(false);
  return eb('projects.id', 'in', eb.selectFrom('stars').select('stars.project_id').where('stars.user_id', '=', userId));
}

/** Returns the condition that the feature is enabled for the caller. `private` enables it for members only. */
function featureCondition(
  eb: Eb,
  feature: 'issues' | 'merge_requests' | 'builds',
  caller: Caller,
  today: string,
): Expression<SqlBool> {
  const accessLevel = `projects.${feature}_access_level` as const;
  if (isAdministrator(caller)) return eb(accessLevel, '<>', 'disabled');
  if (caller.user === null) return eb(accessLevel, '=', 'enabled');
  const isMember = projectWithRole(caller.user.id, ANY_ROLE, today)(eb);
  return eb.or([eb(accessLevel, '=', 'enabled'), eb.and([eb(accessLevel, '=', 'private'), isMember])]);
}

/** Maximum number of search words and of topic names; the rest is ignored. */
const MAX_WORDS = 100;
/** Maximum length of a search word in characters. Longer words cannot match any name or path. */
const MAX_WORD_LENGTH = 10_000;

/** Returns the distinct words of the search, case-folded. */
function splitSearchWords(search: string | null | undefined): string[] {
  const words = new Set(foldCase(search ?? '').split(/\s+/));
  return [...words].filter((word) => word !== '').slice(0, MAX_WORDS);
}

/**
 * Maximum number of words that are looked up in the index: the longest words, which are the rarest. The other words
 * are compared with the results.
 */
const MAX_INDEXED_WORDS = 8;

/**
 * Returns the words of the search that must not be looked up in the index: those that are too common, and those beyond
 * MAX_INDEXED_WORDS.
 */
export async function findCommonWords(db: Reader, { search }: ProjectFilter): Promise<ReadonlySet<string>> {
  const words = splitSearchWords(search).sort((word, otherWord) => otherWord.length - word.length);
  const commonWords = new Set(words.slice(MAX_INDEXED_WORDS));
  for (const word of words.slice(0, MAX_INDEXED_WORDS)) {
    if (word.length <= MAX_WORD_LENGTH && (await isCommonWord(db, word))) commonWords.add(word);
  }
  return commonWords;
}

/** Returns whether an index finds all projects of the list, by a rare word or by the user whose projects are listed. */
export function isSelective(filter: ProjectFilter, commonWords: ReadonlySet<string>): boolean {
  return hasUserFilter(filter) || splitSearchWords(filter.search).some((word) => !commonWords.has(word));
}

/** Returns whether the filter selects the projects of one user: by role, star or ownership. */
function hasUserFilter(filter: ProjectFilter): boolean {
  const { starred, starredBy, ownerId } = filter;
  return listRequiredRoles(filter).length > 0 || starred === true || starredBy !== undefined || isPresent(ownerId);
}

/** Returns whether the word is too short or too frequent, in names or full paths, for an index lookup. */
async function isCommonWord(db: Reader, word: string): Promise<boolean> {
  if (isTooShortForIndex(word)) return true;
  if (await isCommonSubstring(db, 'projects', 'name_key', word)) return true;
  return isCommonSubstring(db, 'routes', 'full_path_key', word);
}

/** Returns one condition per search word: the word occurs in the name or the path. */
function searchConditions(
  db: Reader,
  eb: Eb,
  filter: ProjectFilter,
  commonWords: ReadonlySet<string>,
): Expression<SqlBool>[] {
  const searchFullPath = filter.searchNamespaces === true;
  const words = splitSearchWords(filter.search);
  // If the word is the only selective condition, the matching ids are looked up first. Next to another selective condition, the
  // database would scan them for each row of the other index.
  const isOnlySelectiveCondition = words.length === 1 && !hasUserFilter(filter);
  return words.map((word) => {
    if (word.length > MAX_WORD_LENGTH) return eb.lit(false);
    if (commonWords.has(word))
      return eb.or([
        containsSubstringUnindexed('projects', ['name_key'], word),
        pathContains(eb, word, searchFullPath),
      ]);
    // index: projects_name_key_trigrams
    const matchingIds = selectIdsByPath(db, word, searchFullPath).unionAll(
      selectIdsContaining(db, 'projects', 'name_key', word),
    );
    return isOnlySelectiveCondition
      ? isInSubquery(db, eb.ref('projects.id'), sql`${matchingIds}`)
      : eb('projects.id', 'in', matchingIds);
  });
}

/**
 * Selects projects whose path contains the word: the full path, or only the project's own segment.
 * index: routes_full_path_key_trigrams
 */
function selectIdsByPath(db: Reader, word: string, searchFullPath: boolean) {
  const routeMatches = db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .select('projects.id')
    .where(containsSubstring(db, 'routes', 'full_path_key', word));
  return searchFullPath ? routeMatches : routeMatches.where(ownPathContains(word));
}

/** Returns the condition that the path of the project contains the word. index: routes_by_project */
function pathContains(eb: Eb, word: string, searchFullPath: boolean): Expression<SqlBool> {
  if (!searchFullPath) return ownPathContains(word);
  return eb.exists(
    eb
      .selectFrom('routes')
      .select('routes.id')
      .whereRef('routes.project_id', '=', 'projects.id')
      .where(containsSubstringUnindexed('routes', ['full_path_key'], word)),
  );
}

const ownPathContains = (word: string) => like(OWN_PATH_KEY, `%${escapeLike(word)}%`);

/**
 * The project's own path segment, folded. It is ASCII (domain/namespaces/name-validation.ts), so `lower` works in
 * every engine.
 */
const OWN_PATH_KEY = sql<string>`lower(projects.path)`;

// index: repositories_by_storage, projects_by_namespace, namespace_closure_by_ancestor
function namespaceConditions(
  eb: Eb,
  caller: Caller,
  { storage, namespace, scanInOrder, ownerId, ...filter }: ProjectFilter,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (filter.repositoryChecksumFailed && isAdministrator(caller)) conditions.push(REPOSITORY_CHECKSUM_FAILED);
  if (filter.wikiChecksumFailed && isAdministrator(caller)) conditions.push(WIKI_CHECKSUM_FAILED);
  if (isPresent(storage) && isAdministrator(caller)) {
    const repositoriesOnStorage = eb
      .selectFrom('repositories')
      .select('repositories.project_id')
      .where('repositories.storage', '=', storage);
    conditions.push(eb('projects.id', 'in', repositoriesOnStorage));
  }
  if (namespace) {
    // The unary plus keeps the planner from using the namespace index.
    const namespaceId = scanInOrder ? sql<number>`+projects.namespace_id` : eb.ref('projects.namespace_id');
    conditions.push(namespaceCondition(eb, namespaceId, namespace));
  }
  if (isPresent(ownerId)) {
    // index: namespaces_by_owner, projects_by_namespace
    const personalNamespace = eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .where('namespaces.owner_id', '=', ownerId);
    conditions.push(eb('projects.namespace_id', 'in', personalNamespace));
  }
  return conditions;
}

/**
 * Returns the condition that a namespace is one of the selected ones.
 * index: projects_by_namespace, namespace_closure_by_ancestor, namespace_closure_pkey
 */
function namespaceCondition(
  eb: Eb,
  namespaceId: Expression<number>,
  { id, includeDescendants, includeAncestors }: NamespaceSelection,
): Expression<SqlBool> {
  const descendantIds = eb.selectFrom('namespace_closure').select('descendant_id as id').where('ancestor_id', '=', id);
  const ancestorIds = eb.selectFrom('namespace_closure').select('ancestor_id as id').where('descendant_id', '=', id);
  if (includeDescendants && includeAncestors) return eb(namespaceId, 'in', descendantIds.union(ancestorIds));
  if (includeDescendants) return eb(namespaceId, 'in', descendantIds);
  if (includeAncestors) return eb(namespaceId, 'in', ancestorIds);
  return eb(namespaceId, '=', id);
}

/** Applies the requested order; ties are ordered by id in the same direction. index: projects_by_<column> */
export function orderProjects(
  query: ProjectIdsQuery,
  order: ProjectOrder,
  direction: SortDirection,
  search?: string | null,
): ProjectIdsQuery {
  if (order === 'id') return query.orderBy('projects.id', direction);
  if (order === 'similarity') return orderBySimilarity(query, direction, foldCase(search ?? ''));
  if (isSizeOrder(order)) return orderBySize(query, order, direction);
  return query.orderBy(`projects.${order}`, direction).orderBy('projects.id', direction);
}

export const isSizeOrder = (order: ProjectOrder): order is SizeOrder => Object.hasOwn(SIZE_EXPRESSIONS, order);

/** Orders by a stored size. index: repositories_by_size, repositories_by_wiki_size, repositories_by_storage_size */
function orderBySize(query: ProjectIdsQuery, order: SizeOrder, direction: SortDirection): ProjectIdsQuery {
  const size = SIZE_EXPRESSIONS[order];
  if (size === null) return query.orderBy('projects.id', direction);
  const orderedQuery = query
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .orderBy(size, direction)
    .orderBy('repositories.project_id', direction);
  // The joined table adds no selected column.
  return orderedQuery as unknown as ProjectIdsQuery;
}

/**
 * Orders exact matches first (last if ascending), then prefixes, then the rest. Without a usable search, orders by
 * creation time.
 */
function orderBySimilarity(query: ProjectIdsQuery, direction: SortDirection, search: string): ProjectIdsQuery {
  if (search === '' || search.length > MAX_WORD_LENGTH) return orderProjects(query, 'created_at', direction);
  const prefix = `${escapeLike(search)}%`;
  const similarity = sql`case
    when projects.name_key = ${search} or ${OWN_PATH_KEY} = ${search} then 2
    when ${like(sql<string>`projects.name_key`, prefix)} or ${like(OWN_PATH_KEY, prefix)} then 1
    else 0 end`;
  return query.orderBy(similarity, direction).orderBy('projects.id', direction);
}
