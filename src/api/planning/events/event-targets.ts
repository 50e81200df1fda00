import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssuesForList, type ListedIssue, mayReadIssue } from '#authorization/issues.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { mayReadSnippet } from '#authorization/snippets.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ActivityTargetType } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Snippet } from '#domain/snippets.ts';
import { loadWikiPagesByIds, type WikiPageRow } from '#domain/wikis.ts';
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

/** The columns that identify the target of an event. */
type TargetReference = Pick<ActivityEventRow, 'target_type' | 'target_id'>;

/** An event with its target. Pushes and destroyed objects have a target without a title. */
export interface EventWithTarget<Event extends TargetReference = ActivityEventRow> {
  readonly event: Event;
  readonly target: Target;
}

/** An event with its project, which the caller may see. */
interface EventInProject<Event extends TargetReference = TargetReference> {
  readonly event: Event;
  readonly project: Project;
}

/** Targets of one page of events. Each target type is loaded with one query. */
interface LoadedTargets {
  readonly issuesById: ReadonlyMap<number, ListedIssue>;
  readonly mergeRequestTitlesById: ReadonlyMap<number, string>;
  readonly milestoneTitlesById: ReadonlyMap<number, string>;
  readonly notesById: ReadonlyMap<number, NoteListRow>;
  readonly wikiPagesById: ReadonlyMap<number, WikiPageRow>;
  readonly snippetsById: ReadonlyMap<number, SnippetTitle>;
  /** Titles of commits, by id of their row in `commented_commits`. */
  readonly commitTitlesById: ReadonlyMap<number, string>;
}

/**
 * Returns the target of an event of one target type, or null if the caller may not see it
 * (contract/activity.md "Per-event visibility").
 */
type TargetResolver = (caller: Caller, event: EventInProject, targets: LoadedTargets) => Target | null;

const NO_TARGET: Target = { title: null };

const resolvePush: TargetResolver = (caller, { project }) =>
  mayInProject(caller, 'read_code', project) ? NO_TARGET : null;

const resolveIssue: TargetResolver = (caller, { event, project }, { issuesById }) =>
  toIssueTarget(caller, project, issuesById.get(event.target_id ?? 0));

const resolveMergeRequest: TargetResolver = (caller, { event, project }, { mergeRequestTitlesById }) =>
  toMergeRequestTarget(caller, project, mergeRequestTitlesById.get(event.target_id ?? 0));

const resolveComment: TargetResolver = (
  caller,
  { event, project },
  { notesById, issuesById, mergeRequestTitlesById, commitTitlesById, snippetsById },
) => {
  const note = notesById.get(event.target_id ?? 0);
  if (note === undefined || (note.internal && !mayReadInternal(caller, { project }))) return null;
  const target =
    toIssueTarget(caller, project, issuesById.get(note.issue_id ?? 0)) ??
    toMergeRequestTarget(caller, project, mergeRequestTitlesById.get(note.merge_request_id ?? 0)) ??
    toCommitTarget(caller, project, commitTitlesById.get(note.commented_commit_id ?? 0)) ??
    toSnippetTarget(caller, project, snippetsById.get(note.snippet_id ?? 0));
  return target && { ...target, note };
};

/** Returns a target without a title if the milestone is deleted. */
const resolveMilestone: TargetResolver = (caller, { event, project }, { milestoneTitlesById }) =>
  mayInProject(caller, 'read_milestone', project)
    ? { title: milestoneTitlesById.get(event.target_id ?? 0) ?? null }
    : null;

/** Returns the last title, and no page, if the page is deleted. */
const resolveWikiPage: TargetResolver = (caller, { event, project }, { wikiPagesById }) => {
  if (!mayInProject(caller, 'read_wiki', project)) return null;
  const page = wikiPagesById.get(event.target_id ?? 0) ?? null;
  return { title: page?.title ?? null, wikiPage: page?.path == null ? null : page };
};

const TARGET_RESOLVERS: Readonly<Record<ActivityTargetType, TargetResolver>> = {
  Issue: resolveIssue,
  MergeRequest: resolveMergeRequest,
  Milestone: resolveMilestone,
  Note: resolveComment,
  DiscussionNote: resolveComment,
  DiffNote: resolveComment,
  Project: (_caller, { project }) => ({ title: project.name }),
  'WikiPage::Meta': resolveWikiPage,
};

function toIssueTarget(caller: Caller, project: Project, issue: ListedIssue | undefined): Target | null {
  return issue !== undefined && mayReadIssue(caller, project, issue) ? { title: issue.title } : null;
}

// All merge requests of a project have the same readers, so the title is sufficient.
function toMergeRequestTarget(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayReadMergeRequests(caller, project) ? { title } : null;
}

// Callers who may read the code of a project may see its commits.
function toCommitTarget(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayInProject(caller, 'read_code', project) ? { title } : null;
}

function toSnippetTarget(caller: Caller, project: Project, snippet: SnippetTitle | undefined): Target | null {
  return snippet !== undefined && mayReadSnippet(caller, snippet, project) ? { title: snippet.title } : null;
}

/** Returns the events that the caller may see, with their targets. */
export async function loadEventTargets<Event extends TargetReference>(
  db: Reader,
  caller: Caller,
  events: readonly EventInProject<Event>[],
): Promise<EventWithTarget<Event>[]> {
  const loadedTargets = await loadTargets(db, caller, events);
  return events.flatMap((eventInProject) => {
    const { target_type: type } = eventInProject.event;
    const target = (type === null ? resolvePush : TARGET_RESOLVERS[type])(caller, eventInProject, loadedTargets);
    return target ? [{ event: eventInProject.event, target }] : [];
  });
}

async function loadTargets(db: Reader, caller: Caller, events: readonly EventInProject[]): Promise<LoadedTargets> {
  const listTargetIds = (...resolvers: TargetResolver[]) => [
    ...new Set(
      events.flatMap(({ event: { target_type: type, target_id: id } }) =>
        type !== null && id !== null && resolvers.includes(TARGET_RESOLVERS[type]) ? [id] : [],
      ),
    ),
  ];
  const [notes, milestones, wikiPages] = await Promise.all([
    loadNotesByIds(db, listTargetIds(resolveComment)),
    loadMilestoneTitles(db, listTargetIds(resolveMilestone)),
    loadWikiPagesByIds(db, listTargetIds(resolveWikiPage)),
  ]);
  /** Adds the ids of the issues, merge requests, commits or snippets that the notes are on. */
  const withNoteTargets = (
    ids: number[],
    column: 'issue_id' | 'merge_request_id' | 'commented_commit_id' | 'snippet_id',
  ) => [...new Set([...ids, ...notes.flatMap((note) => note[column] ?? [])])];
  const [issues, mergeRequests, commits, snippets] = await Promise.all([
    findIssuesForList(db, caller, withNoteTargets(listTargetIds(resolveIssue), 'issue_id')),
    loadMergeRequestTitles(db, withNoteTargets(listTargetIds(resolveMergeRequest), 'merge_request_id')),
    loadCommitTitles(db, withNoteTargets([], 'commented_commit_id')),
    loadSnippetTitles(db, withNoteTargets([], 'snippet_id')),
  ]);
  return {
    issuesById: new Map(issues.map((issue) => [issue.id, issue])),
    mergeRequestTitlesById: toTitlesById(mergeRequests),
    commitTitlesById: toTitlesById(commits),
    snippetsById: new Map(snippets.map((snippet) => [snippet.id, snippet])),
    milestoneTitlesById: toTitlesById(milestones),
    notesById: new Map(notes.map((note) => [note.id, note])),
    wikiPagesById: new Map(wikiPages.map((page) => [page.id, page])),
  };
}

const createTitleLoader = (table: 'milestones' | 'merge_requests' | 'commented_commits') =>
  prepareForIds((db, ids) => db.selectFrom(table).select(['id', 'title']).where('id', 'in', ids));

// index: milestones primary key
const loadMilestoneTitles = createTitleLoader('milestones');
// index: merge_requests primary key
const loadMergeRequestTitles = createTitleLoader('merge_requests');
// index: commented_commits primary key
const loadCommitTitles = createTitleLoader('commented_commits');

type SnippetTitle = Pick<Snippet, 'id' | 'title' | 'visibility' | 'author_id'>;

// index: snippets primary key
const loadSnippetTitles = prepareForIds<SnippetTitle>((db, ids) =>
  db.selectFrom('snippets').select(['id', 'title', 'visibility', 'author_id']).where('id', 'in', ids),
);

const toTitlesById = (rows: readonly { readonly id: number; readonly title: string }[]): ReadonlyMap<number, string> =>
  new Map(rows.map(({ id, title }) => [id, title]));
