import { type Expression, type ExpressionBuilder, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { truth } from '#database/dialect.ts';
import { inOrderOf, type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { IssuesTables } from '#database/tables/issues.ts';
import { PLANNER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from './abilities.ts';
import { readersAmong } from './readers.ts';
import { projectVisibleTo, projectWithRole } from './visibility-conditions.ts';

/**
 * Who sees an issue (contract/planning.md §0 "Seeing things"): whoever sees its project while issues are on there; a
 * confidential one is for its author, its assignees and members from Planner on. Each question has its two forms side by
 * side, of a row and as a condition of lists.
 */

/** An issue's row as it is shown; what it is searched by stays behind. */
export type IssueRow = Omit<Selectable<IssuesTables['issues']>, 'title_key' | 'description_key'>;

/** One issue as access decides about it. */
export type Issue = IssueRow & {
  /** 1: the caller is among its assignees. */
  readonly assigned: 0 | 1;
  /** 1: there are merge requests whose descriptions close it. */
  readonly closing: 0 | 1;
  /** How many open issues it blocks. */
  readonly blocking: number;
};

/** As a list shows it: its description is read when it is sent (`textsOf`). */
export type ListedIssue = Omit<Issue, 'description'>;

const listedColumns = [
  'issues.id',
  'issues.project_id',
  'issues.iid',
  'issues.title',
  'issues.author_id',
  'issues.state',
  'issues.closed_at',
  'issues.closed_by_id',
  'issues.confidential',
  'issues.discussion_locked',
  'issues.issue_type',
  'issues.severity',
  'issues.start_date',
  'issues.due_date',
  'issues.weight',
  'issues.relative_position',
  'issues.time_estimate',
  'issues.total_time_spent',
  'issues.task_count',
  'issues.completed_task_count',
  'issues.user_notes_count',
  'issues.upvotes',
  'issues.downvotes',
  'issues.milestone_id',
  'issues.iteration_id',
  'issues.moved_to_id',
  'issues.imported_from',
  'issues.created_at',
  'issues.updated_at',
] as const;

type Asking = { user: number };

function selectListed(db: Reader, value: Params<Asking>) {
  return db
    .selectFrom('issues')
    .select(listedColumns)
    .select((eb) => [
      truth(eb.exists(assignmentsOf(value('user')).select('mine.id'))).as('assigned'),
      // index: merge_request_closing_iids_by_issue
      truth(
        eb.exists(
          eb
            .selectFrom('merge_request_closing_iids as closing')
            .select('closing.issue_iid')
            .whereRef('closing.project_id', '=', 'issues.project_id')
            .whereRef('closing.issue_iid', '=', 'issues.iid'),
        ),
      ).as('closing'),
      // index: issue_links_by_source, issues primary key
      eb
        .selectFrom('issue_links')
        .innerJoin('issues as blocked', 'blocked.id', 'issue_links.target_id')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('issue_links.source_id', '=', 'issues.id')
        .where('issue_links.link_type', '=', 'blocks')
        .where('blocked.state', '=', 'opened')
        .$asScalar()
        .$notNull()
        .as('blocking'),
    ]);
}

const selectIssue = (db: Reader, value: Params<Asking>) => selectListed(db, value).select('issues.description');

// index: issue_assignees_by_issue
function assignmentsOf(user: Expression<number> | number) {
  return expressionBuilder<Schema, 'issues'>()
    .selectFrom('issue_assignees as mine')
    .whereRef('mine.issue_id', '=', 'issues.id')
    .where('mine.user_id', '=', user);
}

// index: issues_by_iid
const issueByIid = prepare((db, value: Params<Asking & { project: number; iid: number }>) =>
  selectIssue(db, value as Params<Asking>)
    .where('issues.project_id', '=', value('project'))
    .where('issues.iid', '=', value('iid')),
);

// index: issues primary key
const issuesByIds = prepareForIds<Issue, Asking>((db, ids, value) =>
  selectIssue(db, value).where('issues.id', 'in', ids),
);

// index: issues primary key
const listedByIds = prepareForIds<ListedIssue, Asking>((db, ids, value) =>
  selectListed(db, value).where('issues.id', 'in', ids),
);

/** The issue with this number in the project; whether the caller may see it is not asked here. */
export async function findIssue(db: Reader, caller: Caller, projectId: number, iid: number): Promise<Issue | null> {
  return (await issueByIid.first(db, { project: projectId, iid, user: caller.user?.id ?? 0 })) ?? null;
}

/** Several issues in the order of their ids, in one statement; missing ones are left out. */
export async function findIssues(db: Reader, caller: Caller, ids: readonly number[]): Promise<Issue[]> {
  return inOrderOf(ids, await issuesByIds(db, ids, { user: caller.user?.id ?? 0 }));
}

/** The same without their descriptions, for lists. */
export async function findListedIssues(db: Reader, caller: Caller, ids: readonly number[]): Promise<ListedIssue[]> {
  return inOrderOf(ids, await listedByIds(db, ids, { user: caller.user?.id ?? 0 }));
}

/** Its author or one of its assignees? */
export function isOwnIssue(caller: Caller, { author_id, assigned }: Pick<Issue, 'author_id' | 'assigned'>): boolean {
  return caller.user !== null && (author_id === caller.user.id || assigned === 1);
}

/** May the caller, who sees the project, read this issue of it? */
export function mayReadIssue(
  caller: Caller,
  project: Project,
  issue: Pick<Issue, 'confidential' | 'author_id' | 'assigned'>,
): boolean {
  if (!mayInProject(caller, 'read_issue', project)) return false;
  return !issue.confidential || mayInProject(caller, 'read_confidential_issue', project) || isOwnIssue(caller, issue);
}

/** May he change its text, close and reopen it? Members from Planner on, its author and its assignees. */
export function mayUpdateIssue(caller: Caller, project: Project, issue: Issue): boolean {
  if (!mayReadIssue(caller, project, issue)) return false;
  if (isOwnIssue(caller, issue) && mayInProject(caller, 'update_own_issue', project)) return true;
  return mayInProject(caller, 'update_issue', project);
}

type Eb = ExpressionBuilder<Schema, 'issues' | 'projects'>;

/** Of issues that are read together with their projects: those that the caller may read. `today` ends memberships. */
export function issueVisibleTo(caller: Caller, today: string) {
  return (eb: Eb): Expression<SqlBool> => {
    const own = caller.user === null ? [] : [ownIssue(eb, caller.user.id)];
    return readableIn(eb as unknown as ProjectEb, caller, today, [notConfidential(eb), ...own]);
  };
}

/**
 * The same of issues of which nothing is known but their project, and whether they are confidential: those that are his own are
 * left out where others' are (`onlyAsOwnVisibleTo`).
 */
export function issueOfAnybodyVisibleTo(caller: Caller, today: string, notConfidential: Expression<SqlBool>) {
  return (eb: ProjectEb): Expression<SqlBool> => readableIn(eb, caller, today, [notConfidential]);
}

/** Confidential ones that the caller may read only because they are his own. */
export function onlyAsOwnVisibleTo(caller: Caller, today: string) {
  return (eb: Eb): Expression<SqlBool> => {
    if (caller.user === null || isAdministrator(caller)) return eb.lit(false);
    const { id } = caller.user;
    const projects = eb as unknown as ProjectEb;
    const seesAll = projectWithRole(id, PLANNER, today)(projects);
    const confidential = eb('issues.confidential', '=', true);
    return eb.and([confidential, readableIn(projects, caller, today, [ownIssue(eb, id)]), eb.not(seesAll)]);
  };
}

type ProjectEb = ExpressionBuilder<Schema, 'projects'>;

/** Issues of projects where the caller sees them, members from Planner on all of them, others the `open` ones. */
function readableIn(
  eb: ProjectEb,
  caller: Caller,
  today: string,
  open: readonly Expression<SqlBool>[],
): Expression<SqlBool> {
  const level = eb.ref('projects.issues_access_level');
  if (isAdministrator(caller)) return eb(level, '<>', 'disabled');
  const visible = projectVisibleTo(caller, today)(eb);
  const enabled = eb(level, '=', 'enabled');
  if (caller.user === null) return eb.and([visible, enabled, eb.or(open)]);
  const { id } = caller.user;
  const forMembers = eb.and([eb(level, '=', 'private'), projectWithRole(id, 1, today)(eb)]);
  const all = projectWithRole(id, PLANNER, today)(eb);
  return eb.and([visible, eb.or([enabled, forMembers]), eb.or([...open, all])]);
}

/** Of the issues of one project: those that the caller may read. */
export function issueOfProjectVisibleTo(caller: Caller, project: Project) {
  return (eb: ExpressionBuilder<Schema, 'issues'>): Expression<SqlBool> => {
    if (!mayInProject(caller, 'read_issue', project)) return eb.lit(false);
    if (mayInProject(caller, 'read_confidential_issue', project)) return eb.lit(true);
    return caller.user === null ? notConfidential(eb) : eb.or([notConfidential(eb), ownIssue(eb, caller.user.id)]);
  };
}

type IssueEb = ExpressionBuilder<Schema, 'issues'>;

const notConfidential = (eb: IssueEb | Eb) => (eb as IssueEb)('issues.confidential', '=', false);

function ownIssue(eb: IssueEb | Eb, userId: number): Expression<SqlBool> {
  const issues = eb as IssueEb;
  return issues.or([issues('issues.author_id', '=', userId), issues.exists(assignmentsOf(userId).select('mine.id'))]);
}

/**
 * Of these users those who may read an issue of the project that is so confidential and by this author, in the order in
 * which they are named.
 */
export function issueReadersAmong(
  db: Reader,
  project: Project,
  issue: Pick<Issue, 'confidential' | 'author_id'>,
  userIds: readonly number[],
): Promise<number[]> {
  return readersAmong(db, project, userIds, (reader, seen) => mayReadIssue(reader, seen, { ...issue, assigned: 0 }));
}

/** How many open issues each of these projects has, of those that are for everybody who sees it, and of confidential ones. */
export interface OpenIssues {
  readonly open: number;
  readonly confidential: number;
}

/** By project; of those that have none nothing is told. index: issues_by_project_state */
export async function openIssuesOf(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, OpenIssues>> {
  const counts = new Map<number, OpenIssues>();
  for (const { project_id, confidential, count } of await openIssueCounts(db, projectIds)) {
    const { open, confidential: hidden } = counts.get(project_id) ?? { open: 0, confidential: 0 };
    counts.set(project_id, confidential ? { open, confidential: count } : { open: count, confidential: hidden });
  }
  return counts;
}

const openIssueCounts = prepareForIds((db, ids) =>
  db
    .selectFrom('issues')
    .select(['project_id', 'confidential', (eb) => eb.fn.countAll<number>().as('count')])
    .where('project_id', 'in', ids)
    .where('state', '=', sql.lit('opened'))
    .groupBy(['project_id', 'confidential']),
);
