import { type SqlBool, sql } from 'kysely';
import { mentionedIn, type Resource, type ThingName } from '#activity/index.ts';
import { epicVisibleTo } from '#authorization/epics.ts';
import { findListedIssues, mayReadIssue } from '#authorization/issues.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { archivedAt } from '#domain/namespaces/archive-state.ts';
import { canSeeProject, findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Reference, referencesIn, SIGNS } from './references.ts';

/** Where a text stands that may name things. */
export type Mentioning = Resource & { readonly iid: number } & Place;

const NAMES = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const satisfies Record<
  Resource['type'],
  ThingName
>;

/** As it is named from anywhere: `g/p#2`, `g/p!2`, `g&2`. */
export function fullReference({ type, iid, project, group }: Mentioning): string {
  return `${(project ?? group).full_path}${SIGNS[type]}${iid}`;
}

/**
 * Tells the things that these texts name that they are mentioned, each once for all texts of the thing where they stand:
 * those that whoever writes may read. Who reads the note there without a right to this thing is not shown it.
 */
export async function tellMentioned(uow: UnitOfWork, from: Mentioning, texts: readonly string[]): Promise<void> {
  const references = texts.flatMap(referencesIn);
  if (references.length === 0) return;
  const text = mentionedIn(NAMES[from.type], fullReference(from));
  const mentioning = { type: from.type, id: from.id };
  for (const { type, id } of await mentionable(uow, from, references)) {
    if (type !== from.type || id !== from.id) await uow.record({ noteOn: { type, id }, text, mentioning });
  }
}

interface Reworded {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
}

/** What a change of these texts of a thing, which it has now, means for what they name, and for whom. */
export async function tellReworded(uow: UnitOfWork, from: Mentioning, before: Reworded, now: Reworded): Promise<void> {
  const about = { type: from.type, id: from.id };
  const texts: string[] = [];
  for (const name of ['title', 'description'] as const) {
    const text = now[name];
    if (!text) continue;
    texts.push(text);
    await uow.publish('reworded', { about, of: name, before: before[name] ?? '', text, internal: false });
  }
  await tellMentioned(uow, from, texts);
}

/** A number in a place. */
interface Named {
  readonly placeId: number;
  readonly iid: number;
}

/** Of the things that are meant, those that the caller may read in places that can be written to. */
async function mentionable(uow: UnitOfWork, from: Place, references: readonly Reference[]): Promise<Resource[]> {
  const placed = references.flatMap((reference) => {
    const path = pathMeant(from, reference);
    return path === null ? [] : [{ ...reference, key: foldCase(path) }];
  });
  const places = await placesAt(uow, [...new Set(placed.map(({ key }) => key))]);
  const named = (type: Resource['type']): Named[] =>
    placed.flatMap((reference) => {
      const place = places.get(reference.key);
      const placeId = type === 'Epic' ? place?.namespace_id : place?.project_id;
      return reference.type === type && placeId != null ? [{ placeId, iid: reference.iid }] : [];
    });
  const [issues, mergeRequests] = [named('Issue'), named('MergeRequest')];
  const projectIds = [...issues, ...mergeRequests].map(({ placeId }) => placeId);
  const projects = new Map(
    (await findProjects(uow, uow.actor, [...new Set(projectIds)]))
      .filter((project) => !project.archived && canSeeProject(uow.actor, project))
      .map((project) => [project.id, project]),
  );
  return [
    ...(await issuesNamed(uow, projects, issues)),
    ...(await mergeRequestsNamed(uow, projects, mergeRequests)),
    ...(await epicsNamed(uow, named('Epic'))),
  ];
}

/** The full path of the place that a reference means; a project without a slash is beside that of the text. Null: there is none. */
function pathMeant({ project, group }: Place, { type, path }: Reference): string | null {
  const parent = project ? project.full_path.slice(0, project.full_path.lastIndexOf('/')) : group!.full_path;
  if (type === 'Epic') return path === '' ? parent : path;
  if (path === '') return project?.full_path ?? null;
  return path.includes('/') ? path : `${parent}/${path}`;
}

/** index: routes_by_full_path */
async function placesAt(db: Reader, keys: readonly string[]) {
  if (keys.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('routes')
    .select(['full_path_key', 'project_id', 'namespace_id'])
    .where('full_path_key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.full_path_key, row]));
}

type Projects = ReadonlyMap<number, Project>;

async function issuesNamed(uow: UnitOfWork, projects: Projects, named: readonly Named[]): Promise<Resource[]> {
  if (named.length === 0) return [];
  // index: issues_by_iid
  const found = await uow
    .selectFrom('issues')
    .select('id')
    .where(oneOf('issues', 'project_id', named))
    .orderBy('id')
    .execute();
  const issues = await findListedIssues(
    uow,
    uow.actor,
    found.map(({ id }) => id),
  );
  return issues.flatMap((issue) => {
    const project = projects.get(issue.project_id);
    return project && mayReadIssue(uow.actor, project, issue) ? [{ type: 'Issue', id: issue.id } as const] : [];
  });
}

async function mergeRequestsNamed(uow: UnitOfWork, projects: Projects, named: readonly Named[]): Promise<Resource[]> {
  if (named.length === 0) return [];
  // index: merge_requests_by_iid
  const found = await uow
    .selectFrom('merge_requests')
    .select(['id', 'project_id'])
    .where(oneOf('merge_requests', 'project_id', named))
    .orderBy('id')
    .execute();
  return found.flatMap(({ id, project_id }) => {
    const project = projects.get(project_id);
    return project && mayReadMergeRequests(uow.actor, project) ? [{ type: 'MergeRequest', id } as const] : [];
  });
}

async function epicsNamed(uow: UnitOfWork, named: readonly Named[]): Promise<Resource[]> {
  if (named.length === 0 || uow.tier === 'free') return [];
  // index: epics_by_iid, namespaces primary key
  const found = await uow
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .where(oneOf('epics', 'group_id', named))
    .where(epicVisibleTo(uow.actor, uow.today))
    .where(archivedAt('namespaces.id'), '=', 0)
    .orderBy('epics.id')
    .execute();
  return found.map(({ id }) => ({ type: 'Epic', id }));
}

/** Of the rows of a table those that are named. */
function oneOf(
  table: 'issues' | 'merge_requests' | 'epics',
  place: 'project_id' | 'group_id',
  named: readonly Named[],
) {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const each = named.map(({ placeId, iid }) => sql`(${column(place)} = ${placeId} and ${column('iid')} = ${iid})`);
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}
