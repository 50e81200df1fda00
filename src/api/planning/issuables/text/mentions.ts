import { type SqlBool, sql } from 'kysely';
import { mentionedInText, type NoteableName, type Resource, type ResourceType } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo } from '#authorization/epics.ts';
import { findIssuesForList, mayReadIssue } from '#authorization/issues.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { isArchivedExpression } from '#domain/namespaces/archive-state.ts';
import { canSeeProject, findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findCodeRanges, MAX_SCANNED_POSITIONS } from './code.ts';

/** The issuable whose text contains references to others. */
type MentionSource = Resource & { readonly iid: number } & GroupOrProject;

const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const satisfies Record<
  Resource['type'],
  NoteableName
>;

/** Returns the full reference: `g/p#2`, `g/p!2`, `g&2`. */
export function buildFullReference({ type, iid, project, group }: MentionSource): string {
  return `${(project ?? group).full_path}${REFERENCE_PREFIXES[type]}${iid}`;
}

/**
 * Creates one system note on each issuable that the texts mention and the actor may read. The note is visible only to readers who may
 * also read the source.
 */
export async function recordMentions(uow: UnitOfWork, source: MentionSource, texts: readonly string[]): Promise<void> {
  const references = texts.flatMap(parseReferences);
  if (references.length === 0) return;
  const noteText = mentionedInText(NAMES[source.type], buildFullReference(source));
  const mentioningResource = { type: source.type, id: source.id };
  for (const { type, id } of await findMentionable(uow, source, references)) {
    if (type !== source.type || id !== source.id)
      await uow.record({ noteOn: { type, id }, text: noteText, mentionedResource: mentioningResource });
  }
}

interface MentionTexts {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
}

/** Publishes changes of title and description, and records the mentions in the new texts. */
export async function publishTextChanges(
  uow: UnitOfWork,
  source: MentionSource,
  before: MentionTexts,
  after: MentionTexts,
): Promise<void> {
  const resource = { type: source.type, id: source.id };
  const texts: string[] = [];
  for (const field of ['title', 'description'] as const) {
    const text = after[field];
    if (!text) continue;
    texts.push(text);
    await uow.publish('text-updated', {
      about: resource,
      field,
      before: before[field] ?? '',
      text,
      internal: false,
    });
  }
  await recordMentions(uow, source, texts);
}

/** An iid in a project or group. */
interface IidInParent {
  readonly parentId: number;
  readonly iid: number;
}

/** Returns the referenced issuables that the caller may read and whose project or group is not archived. */
async function findMentionable(
  uow: UnitOfWork,
  source: GroupOrProject,
  references: readonly TextReference[],
): Promise<Resource[]> {
  const listIids = await resolveReferences(uow, source, references);
  const [issues, mergeRequests] = [listIids('Issue'), listIids('MergeRequest')];
  const projectsById = await loadVisibleProjects(uow, uow.actor, [...issues, ...mergeRequests]);
  for (const [id, { archived }] of projectsById) if (archived) projectsById.delete(id);
  return [
    ...(await findMentionedIssues(uow, uow.actor, projectsById, issues)),
    ...(await findMentionedMergeRequests(uow, uow.actor, projectsById, mergeRequests)),
    ...(await findMentionedEpics(uow, listIids('Epic'))),
  ];
}

/** Maximum number of references that one query resolves. */
const MAX_RESOLVED_REFERENCES = 500;

/** Returns the ids of the issues that the texts mention and the caller may read. */
export function findMentionedIssueIds(
  db: Reader,
  caller: Caller,
  source: GroupOrProject,
  texts: readonly string[],
): Promise<number[]> {
  return findMentionedIds(db, caller, source, { type: 'Issue', texts });
}

interface MentionsOfType {
  readonly type: 'Issue' | 'MergeRequest';
  readonly texts: readonly string[];
}

/** Returns the ids of the issues or merge requests that the texts mention and the caller may read. */
export async function findMentionedIds(
  db: Reader,
  caller: Caller,
  source: GroupOrProject,
  { type, texts }: MentionsOfType,
): Promise<number[]> {
  const references = texts.flatMap(parseReferences).filter((reference) => reference.type === type);
  const listIids = await resolveReferences(db, source, references.slice(0, MAX_RESOLVED_REFERENCES));
  const iids = listIids(type);
  const projectsById = await loadVisibleProjects(db, caller, iids);
  const findMentioned = type === 'Issue' ? findMentionedIssues : findMentionedMergeRequests;
  return (await findMentioned(db, caller, projectsById, iids)).map(({ id }) => id);
}

/** Returns a function that lists the referenced iids of a type, with their projects or groups. */
async function resolveReferences(db: Reader, source: GroupOrProject, references: readonly TextReference[]) {
  const resolvedReferences = references.flatMap((reference) => {
    const path = resolvePath(source, reference);
    return path === null ? [] : [{ ...reference, pathKey: foldCase(path) }];
  });
  const routesByPathKey = await findRoutes(db, [...new Set(resolvedReferences.map(({ pathKey }) => pathKey))]);
  return (type: Resource['type']): IidInParent[] =>
    resolvedReferences.flatMap((reference) => {
      const route = routesByPathKey.get(reference.pathKey);
      const parentId = type === 'Epic' ? route?.namespace_id : route?.project_id;
      return reference.type === type && parentId != null ? [{ parentId, iid: reference.iid }] : [];
    });
}

async function loadVisibleProjects(
  db: Reader,
  caller: Caller,
  iids: readonly IidInParent[],
): Promise<Map<number, Project>> {
  const projects = await findProjects(db, caller, [...new Set(iids.map(({ parentId }) => parentId))]);
  return new Map(projects.flatMap((project) => (canSeeProject(caller, project) ? [[project.id, project]] : [])));
}

/**
 * Returns the full path of the referenced project or group. A project path without a slash is relative to the namespace of the
 * source. Returns null for a reference without a path to an issue or merge request in a text of a group.
 */
function resolvePath({ project, group }: GroupOrProject, { type, path }: TextReference): string | null {
  const parent = project ? project.full_path.slice(0, project.full_path.lastIndexOf('/')) : group!.full_path;
  if (type === 'Epic') return path === '' ? parent : path;
  if (path === '') return project?.full_path ?? null;
  return path.includes('/') ? path : `${parent}/${path}`;
}

/** Returns the routes by case-folded full path. index: routes_by_full_path */
async function findRoutes(db: Reader, keys: readonly string[]) {
  if (keys.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('routes')
    .select(['full_path_key', 'project_id', 'namespace_id'])
    .where('full_path_key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.full_path_key, row]));
}

type ProjectsById = ReadonlyMap<number, Project>;

async function findMentionedIssues(
  db: Reader,
  caller: Caller,
  projectsById: ProjectsById,
  iids: readonly IidInParent[],
): Promise<Resource[]> {
  if (iids.length === 0) return [];
  // index: issues_by_iid
  const issueRows = await db
    .selectFrom('issues')
    .select('id')
    .where(hasOneOfIids('issues', 'project_id', iids))
    .orderBy('id')
    .execute();
  const issues = await findIssuesForList(
    db,
    caller,
    issueRows.map(({ id }) => id),
  );
  return issues.flatMap((issue) => {
    const project = projectsById.get(issue.project_id);
    return project && mayReadIssue(caller, project, issue) ? [{ type: 'Issue', id: issue.id } as const] : [];
  });
}

async function findMentionedMergeRequests(
  db: Reader,
  caller: Caller,
  projectsById: ProjectsById,
  iids: readonly IidInParent[],
): Promise<Resource[]> {
  if (iids.length === 0) return [];
  // index: merge_requests_by_iid
  const mergeRequestRows = await db
    .selectFrom('merge_requests')
    .select(['id', 'project_id'])
    .where(hasOneOfIids('merge_requests', 'project_id', iids))
    .orderBy('id')
    .execute();
  return mergeRequestRows.flatMap(({ id, project_id }) => {
    const project = projectsById.get(project_id);
    return project && mayReadMergeRequests(caller, project) ? [{ type: 'MergeRequest', id } as const] : [];
  });
}

async function findMentionedEpics(uow: UnitOfWork, iids: readonly IidInParent[]): Promise<Resource[]> {
  if (iids.length === 0 || uow.tier === 'free') return [];
  // index: epics_by_iid, namespaces primary key
  const epicRows = await uow
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .where(hasOneOfIids('epics', 'group_id', iids))
    .where(epicVisibleTo(uow.actor, uow.today))
    .where(isArchivedExpression('namespaces.id'), '=', 0)
    .orderBy('epics.id')
    .execute();
  return epicRows.map(({ id }) => ({ type: 'Epic', id }));
}

/** Matches rows with one of these iids. */
function hasOneOfIids(
  table: 'issues' | 'merge_requests' | 'epics',
  parentColumn: 'project_id' | 'group_id',
  iids: readonly IidInParent[],
) {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const conditions = iids.map(
    ({ parentId, iid }) => sql`(${column(parentColumn)} = ${parentId} and ${column('iid')} = ${iid})`,
  );
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

/** A reference in a text: `#2` to an issue, `project!2` to a merge request, `group&2` to an epic. */
interface TextReference {
  readonly type: ResourceType;
  /** Path as written; empty for the project or group of the text. */
  readonly path: string;
  readonly iid: number;
}

/** Maximum number of references found in one text. */
const MAX_REFERENCES = 100;

const TYPES_BY_PREFIX = { '#': 'Issue', '!': 'MergeRequest', '&': 'Epic' } as const satisfies Record<
  string,
  ResourceType
>;
type ReferencePrefix = keyof typeof TYPES_BY_PREFIX;

/** Reference prefix of each resource type. */
export const REFERENCE_PREFIXES = { Issue: '#', MergeRequest: '!', Epic: '&' } as const satisfies Record<
  ResourceType,
  ReferencePrefix
>;

/** Maximum number of digits of an iid. */
const MAX_DIGITS = 9;

/** Returns the distinct references in a text, except those in code. Takes linear time. */
export function parseReferences(text: string): TextReference[] {
  const referencesByText = new Map<string, TextReference>();
  const code = findCodeRanges(text);
  let scannedCount = 0;
  for (const { 0: prefix, index: prefixIndex } of text.matchAll(/[#!&](?=\d)/g)) {
    if (referencesByText.size === MAX_REFERENCES || ++scannedCount > MAX_SCANNED_POSITIONS) break;
    const reference = code.has(prefixIndex) ? null : parseReferenceAt(text, prefixIndex);
    if (reference) referencesByText.set(`${reference.path.toLowerCase()}${prefix}${reference.iid}`, reference);
  }
  return [...referencesByText.values()];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isPathCharacter = (character: string | undefined) => isWord(character) || /^[./-]$/.test(character ?? '');

/** Returns the reference whose prefix character is at `prefixIndex`, or null. */
function parseReferenceAt(text: string, prefixIndex: number): TextReference | null {
  let end = prefixIndex + 1;
  while (end - prefixIndex <= MAX_DIGITS && isDigit(text[end])) end++;
  if (isWord(text[end])) return null;
  // Scans back to the start of the path. A path contains no prefix character, so no character is scanned twice.
  let start = prefixIndex;
  while (start > 0 && isPathCharacter(text[start - 1])) start--;
  const path = text.slice(start, prefixIndex);
  // `&#39;` is an HTML entity; `a:b#1` has no valid path.
  if (path === '' && text[prefixIndex - 1] === '&') return null;
  const iid = Number(text.slice(prefixIndex + 1, end));
  if (iid === 0 || path.startsWith('/') || path.endsWith('/')) return null;
  return { type: TYPES_BY_PREFIX[text[prefixIndex] as ReferencePrefix], path, iid };
}
