import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findListedIssues, type ListedIssue, mayReadIssue } from '#authorization/issues.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ActivityTargetType } from '#database/tables/activity.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type WikiPageRow, wikiPagesByIds } from '#domain/wikis.ts';
import { loadNotesByIds, mayReadInternal, type NoteListRow } from '../notes/index.ts';
import type { ActivityEventRow } from './store.ts';

/** The current state of an event's target. */
interface Target {
  readonly title: string | null;
  /** For comments. */
  readonly note?: NoteListRow;
  /** For wiki pages; null if deleted. */
  readonly wikiPage?: WikiPageRow | null;
}

/** An event with its target; pushes and destroyed objects have an empty target. */
export interface EventWithTarget {
  readonly event: ActivityEventRow;
  readonly target: Target;
}

/** An event with its project, which the caller may see. */
interface EventInProject {
  readonly event: ActivityEventRow;
  readonly project: Project;
}

/** The targets of one page of events; each kind is loaded with one query. */
interface LoadedTargets {
  readonly issues: ReadonlyMap<number, ListedIssue>;
  readonly mergeRequests: ReadonlyMap<number, string>;
  readonly milestones: ReadonlyMap<number, string>;
  readonly notes: ReadonlyMap<number, NoteListRow>;
  readonly wikiPages: ReadonlyMap<number, WikiPageRow>;
  /** Titles of commented commits by the id of their row. */
  readonly commits: ReadonlyMap<number, string>;
}

/** Returns the target of an event of this kind, or null if the caller may not see it (contract/activity.md "Per-event visibility"). */
type TargetResolver = (caller: Caller, events: EventInProject, targets: LoadedTargets) => Target | null;

const NO_TARGET: Target = { title: null };

const push: TargetResolver = (caller, { project }) => (mayInProject(caller, 'read_code', project) ? NO_TARGET : null);

const issue: TargetResolver = (caller, { event, project }, { issues }) =>
  issueTarget(caller, project, issues.get(event.target_id ?? 0));

const mergeRequest: TargetResolver = (caller, { event, project }, { mergeRequests }) =>
  mergeRequestTarget(caller, project, mergeRequests.get(event.target_id ?? 0));

const comment: TargetResolver = (caller, { event, project }, { notes, issues, mergeRequests, commits }) => {
  const note = notes.get(event.target_id ?? 0);
  if (note === undefined || (note.internal && !mayReadInternal(caller, { project }))) return null;
  const target =
    issueTarget(caller, project, issues.get(note.issue_id ?? 0)) ??
    mergeRequestTarget(caller, project, mergeRequests.get(note.merge_request_id ?? 0)) ??
    commitTarget(caller, project, commits.get(note.commented_commit_id ?? 0));
  return target && { ...target, note };
};

/** A deleted milestone has no title. */
const milestone: TargetResolver = (caller, { event, project }, { milestones }) =>
  mayInProject(caller, 'read_milestone', project) ? { title: milestones.get(event.target_id ?? 0) ?? null } : null;

/** A deleted page keeps its title. */
const wikiPage: TargetResolver = (caller, { event, project }, { wikiPages }) => {
  if (!mayInProject(caller, 'read_wiki', project)) return null;
  const page = wikiPages.get(event.target_id ?? 0) ?? null;
  return { title: page?.title ?? null, wikiPage: page?.path == null ? null : page };
};

const TARGET_RESOLVERS: Readonly<Record<ActivityTargetType, TargetResolver>> = {
  Issue: issue,
  MergeRequest: mergeRequest,
  Milestone: milestone,
  Note: comment,
  DiscussionNote: comment,
  DiffNote: comment,
  Project: (_caller, { project }) => ({ title: project.name }),
  'WikiPage::Meta': wikiPage,
};

function issueTarget(caller: Caller, project: Project, issue: ListedIssue | undefined): Target | null {
  return issue !== undefined && mayReadIssue(caller, project, issue) ? { title: issue.title } : null;
}

/** All merge requests of a project have the same readers. */
function mergeRequestTarget(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayReadMergeRequests(caller, project) ? { title } : null;
}

/** Callers who may read the code of a project may see its commits. */
function commitTarget(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayInProject(caller, 'read_code', project) ? { title } : null;
}

/** Returns the events that the caller may see, with their targets. */
export async function loadEventTargets(
  db: Reader,
  caller: Caller,
  events: readonly EventInProject[],
): Promise<EventWithTarget[]> {
  const loadedTargets = await loadTargets(db, caller, events);
  return events.flatMap((one) => {
    const { target_type: type } = one.event;
    const target = (type === null ? push : TARGET_RESOLVERS[type])(caller, one, loadedTargets);
    return target ? [{ event: one.event, target }] : [];
  });
}

async function loadTargets(db: Reader, caller: Caller, events: readonly EventInProject[]): Promise<LoadedTargets> {
  const idsOf = (...kinds: TargetResolver[]) => [
    ...new Set(
      events.flatMap(({ event: { target_type: type, target_id: id } }) =>
        type !== null && id !== null && kinds.includes(TARGET_RESOLVERS[type] as TargetResolver) ? [id] : [],
      ),
    ),
  ];
  const [notes, milestones, wikiPages] = await Promise.all([
    loadNotesByIds(db, idsOf(comment)),
    milestoneTitles(db, idsOf(milestone)),
    wikiPagesByIds(db, idsOf(wikiPage)),
  ]);
  const commentedAnd = (ids: number[], column: 'issue_id' | 'merge_request_id' | 'commented_commit_id') => [
    ...new Set([...ids, ...notes.flatMap((note) => note[column] ?? [])]),
  ];
  const [issues, mergeRequests, commits] = await Promise.all([
    findListedIssues(db, caller, commentedAnd(idsOf(issue), 'issue_id')),
    mergeRequestTitles(db, commentedAnd(idsOf(mergeRequest), 'merge_request_id')),
    commitTitles(db, commentedAnd([], 'commented_commit_id')),
  ]);
  return {
    issues: new Map(issues.map((one) => [one.id, one])),
    mergeRequests: byId(mergeRequests),
    commits: byId(commits),
    milestones: byId(milestones),
    notes: new Map(notes.map((note) => [note.id, note])),
    wikiPages: new Map(wikiPages.map((page) => [page.id, page])),
  };
}

const titleLoader = (table: 'milestones' | 'merge_requests' | 'commented_commits') =>
  prepareForIds((db, ids) => db.selectFrom(table).select(['id', 'title']).where('id', 'in', ids));

// index: milestones primary key
const milestoneTitles = titleLoader('milestones');
// index: merge_requests primary key
const mergeRequestTitles = titleLoader('merge_requests');
// index: commented_commits primary key
const commitTitles = titleLoader('commented_commits');

const byId = (rows: readonly { readonly id: number; readonly title: string }[]): ReadonlyMap<number, string> =>
  new Map(rows.map(({ id, title }) => [id, title]));
