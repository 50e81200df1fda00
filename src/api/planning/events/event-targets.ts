import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findListedIssues, type ListedIssue, mayReadIssue } from '#authorization/issues.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ActivityTargetType } from '#database/tables/activity.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type WikiPageRow, wikiPagesByIds } from '#domain/wikis.ts';
import { mayReadInternal, type NoteListed, notesByIds } from '../notes/index.ts';
import type { EventRow } from './store.ts';

/** What an event is about, as it is now. */
interface Target {
  readonly title: string | null;
  /** Of comments. */
  readonly note?: NoteListed;
  /** Of pages of wikis; null: it is no more. */
  readonly wikiPage?: WikiPageRow | null;
}

/** An event with what it is about; of pushes, and of what was destroyed, nothing. */
export interface Told {
  readonly event: EventRow;
  readonly target: Target;
}

/** An event and its project, which the caller may see. */
interface Placed {
  readonly event: EventRow;
  readonly project: Project;
}

/** What is known of the targets of a page: each kind is read once for all of it. */
interface Loaded {
  readonly issues: ReadonlyMap<number, ListedIssue>;
  readonly mergeRequests: ReadonlyMap<number, string>;
  readonly milestones: ReadonlyMap<number, string>;
  readonly notes: ReadonlyMap<number, NoteListed>;
  readonly wikiPages: ReadonlyMap<number, WikiPageRow>;
  /** Those that were commented on, by their numbers. */
  readonly commits: ReadonlyMap<number, string>;
}

/** What the caller may know of an event of this kind (contract/activity.md "Per-event visibility"); null: nothing. */
type Kind = (caller: Caller, placed: Placed, loaded: Loaded) => Target | null;

const NOTHING: Target = { title: null };

const push: Kind = (caller, { project }) => (mayInProject(caller, 'read_code', project) ? NOTHING : null);

const issue: Kind = (caller, { event, project }, { issues }) =>
  titleOf(caller, project, issues.get(event.target_id ?? 0));

const mergeRequest: Kind = (caller, { event, project }, { mergeRequests }) =>
  titleShown(caller, project, mergeRequests.get(event.target_id ?? 0));

const comment: Kind = (caller, { event, project }, { notes, issues, mergeRequests, commits }) => {
  const note = notes.get(event.target_id ?? 0);
  if (note === undefined || (note.internal && !mayReadInternal(caller, { project }))) return null;
  const on =
    titleOf(caller, project, issues.get(note.issue_id ?? 0)) ??
    titleShown(caller, project, mergeRequests.get(note.merge_request_id ?? 0)) ??
    titleOfCommit(caller, project, commits.get(note.commented_commit_id ?? 0));
  return on && { ...on, note };
};

/** One that was deleted has no title any more. */
const milestone: Kind = (caller, { event, project }, { milestones }) =>
  mayInProject(caller, 'read_milestone', project) ? { title: milestones.get(event.target_id ?? 0) ?? null } : null;

/** One that was deleted is still called as it was. */
const wikiPage: Kind = (caller, { event, project }, { wikiPages }) => {
  if (!mayInProject(caller, 'read_wiki', project)) return null;
  const page = wikiPages.get(event.target_id ?? 0) ?? null;
  return { title: page?.title ?? null, wikiPage: page?.path == null ? null : page };
};

const KINDS: Readonly<Record<ActivityTargetType, Kind>> = {
  Issue: issue,
  MergeRequest: mergeRequest,
  Milestone: milestone,
  Note: comment,
  DiscussionNote: comment,
  DiffNote: comment,
  Project: (_caller, { project }) => ({ title: project.name }),
  'WikiPage::Meta': wikiPage,
};

function titleOf(caller: Caller, project: Project, found: ListedIssue | undefined): Target | null {
  return found !== undefined && mayReadIssue(caller, project, found) ? { title: found.title } : null;
}

/** Merge requests of a project are read by the same people. */
function titleShown(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayReadMergeRequests(caller, project) ? { title } : null;
}

/** Whoever reads the code of a project knows its commits. */
function titleOfCommit(caller: Caller, project: Project, title: string | undefined): Target | null {
  return title !== undefined && mayInProject(caller, 'read_code', project) ? { title } : null;
}

/** The events that the caller may know of, with what they are about. */
export async function targetsOf(db: Reader, caller: Caller, placed: readonly Placed[]): Promise<Told[]> {
  const loaded = await load(db, caller, placed);
  return placed.flatMap((one) => {
    const { target_type: type } = one.event;
    const target = (type === null ? push : KINDS[type])(caller, one, loaded);
    return target ? [{ event: one.event, target }] : [];
  });
}

async function load(db: Reader, caller: Caller, placed: readonly Placed[]): Promise<Loaded> {
  const idsOf = (...kinds: Kind[]) => [
    ...new Set(
      placed.flatMap(({ event: { target_type: type, target_id: id } }) =>
        type !== null && id !== null && kinds.includes(KINDS[type] as Kind) ? [id] : [],
      ),
    ),
  ];
  const [notes, milestones, wikiPages] = await Promise.all([
    notesByIds(db, idsOf(comment)),
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

const titlesOf = (table: 'milestones' | 'merge_requests' | 'commented_commits') =>
  prepareForIds((db, ids) => db.selectFrom(table).select(['id', 'title']).where('id', 'in', ids));

// index: milestones primary key
const milestoneTitles = titlesOf('milestones');
// index: merge_requests primary key
const mergeRequestTitles = titlesOf('merge_requests');
// index: commented_commits primary key
const commitTitles = titlesOf('commented_commits');

const byId = (rows: readonly { readonly id: number; readonly title: string }[]): ReadonlyMap<number, string> =>
  new Map(rows.map(({ id, title }) => [id, title]));
