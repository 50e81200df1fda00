import { type Expression, type ExpressionBuilder, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { toZeroOrOne } from '#database/dialect.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import { ANY_ROLE, PLANNER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from './abilities.ts';
import { filterProjectReaders } from './readers.ts';
import { projectVisibleTo, projectWithRole } from './visibility.ts';

// Who may see an issue (contract/planning.md §0 "Seeing things"): anyone who can see its project while issues are
// enabled. A confidential issue is visible only to its author, its assignees and members who are at least Planner. Each
// rule has two forms: for a row, and as a condition for lists.

/** An issue without its search columns. */
export type IssueRow = Omit<Selectable<Schema['issues']>, 'title_key' | 'description_key'>;

/** An issue with everything that authorization and entities need. */
export type Issue = IssueRow & {
  /** 1 if the viewer is an assignee. */
  readonly assigned: 0 | 1;
  /** 1 if the description of a merge request closes it. */
  readonly closing: 0 | 1;
  /** Number of open issues that it blocks. */
  readonly blocking: number;
};

/** An issue in a list, without its description. */
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
  'issues.duplicated_to_id',
  'issues.imported_from',
  'issues.created_at',
  'issues.updated_at',
] as const;

/** `user`: id of the viewer; 0 for an anonymous one, who has no assignments. */
type IssueViewerParams = { user: number };

function buildListedIssueQuery(db: Reader, value: Params<IssueViewerParams>) {
  return db
    .selectFrom('issues')
    .select(listedColumns)
    .select((eb) => [
      toZeroOrOne(eb.exists(buildAssignmentQuery(value('user')).select('own_assignee.id'))).as('assigned'),
      // index: merge_request_closing_iids_by_issue
      toZeroOrOne(
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

const buildIssueQuery = (db: Reader, value: Params<IssueViewerParams>) =>
  buildListedIssueQuery(db, value).select('issues.description');

// index: issue_assignees_by_issue
function buildAssignmentQuery(user: Expression<number> | number) {
  return expressionBuilder<Schema, 'issues'>()
    .selectFrom('issue_assignees as own_assignee')
    .whereRef('own_assignee.issue_id', '=', 'issues.id')
    .where('own_assignee.user_id', '=', user);
}

// index: issues_by_iid
const findIssueRow = prepare((db, value: Params<IssueViewerParams & { project: number; iid: number }>) =>
  buildIssueQuery(db, value as Params<IssueViewerParams>)
    .where('issues.project_id', '=', value('project'))
    .where('issues.iid', '=', value('iid')),
);

// index: issues primary key
const loadIssueRows = prepareForIds<Issue, IssueViewerParams>((db, ids, value) =>
  buildIssueQuery(db, value).where('issues.id', 'in', ids),
);

// index: issues primary key
const loadListedIssueRows = prepareForIds<ListedIssue, IssueViewerParams>((db, ids, value) =>
  buildListedIssueQuery(db, value).where('issues.id', 'in', ids),
);

/** Returns the issue with this iid in the project, or null. Does not check visibility. */
export async function findIssue(db: Reader, caller: Caller, projectId: number, iid: number): Promise<Issue | null> {
  return (await findIssueRow.first(db, { project: projectId, iid, user: caller.user?.id ?? 0 })) ?? null;
}

/** Returns the existing issues in the order of `ids`, with one query. */
export async function findIssues(db: Reader, caller: Caller, ids: readonly number[]): Promise<Issue[]> {
  return sortByIds(ids, await loadIssueRows(db, ids, { user: caller.user?.id ?? 0 }));
}

/** Returns the existing issues in the order of `ids`, without descriptions, for lists. */
export async function findIssuesForList(db: Reader, caller: Caller, ids: readonly number[]): Promise<ListedIssue[]> {
  return sortByIds(ids, await loadListedIssueRows(db, ids, { user: caller.user?.id ?? 0 }));
}

/** Loads, by id, the project and iid of the issues that the caller may read. index: issues primary key, projects primary key */
export async function loadVisibleIssueReferences(
  db: Reader,
  caller: Caller,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Pick<Issue, 'project_id' | 'iid'>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['issues.id', 'issues.project_id', 'issues.iid'])
    .where('issues.id', 'in', ids)
    .where(issueVisibleTo(caller, db.today))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns whether the caller is the author or an assignee. */
function isOwnIssue(caller: Caller, { author_id, assigned }: Pick<Issue, 'author_id' | 'assigned'>): boolean {
  return caller.user !== null && (author_id === caller.user.id || assigned === 1);
}

/** Returns whether the caller, who can see the project, may read the issue. */
export function mayReadIssue(
  caller: Caller,
  project: Project,
  issue: Pick<Issue, 'confidential' | 'author_id' | 'assigned'>,
): boolean {
  if (!mayInProject(caller, 'read_issue', project)) return false;
  return !issue.confidential || mayInProject(caller, 'read_confidential_issue', project) || isOwnIssue(caller, issue);
}

/** Returns whether the caller may edit, close and reopen the issue: at least a Planner, the author or an assignee. */
export function mayUpdateIssue(caller: Caller, project: Project, issue: Issue): boolean {
  if (!mayReadIssue(caller, project, issue)) return false;
  if (isOwnIssue(caller, issue) && mayInProject(caller, 'update_own_issue', project)) return true;
  return mayInProject(caller, 'update_issue', project);
}

type IssueInProjectEb = ExpressionBuilder<Schema, 'issues' | 'projects'>;

// Kysely's type of a builder over two tables is not assignable to that of a builder over one of them.
const issues = expressionBuilder<Schema, 'issues'>();
const projects = expressionBuilder<Schema, 'projects'>();

/**
 * Condition on issues joined with their projects: the caller may read the issue. `today`: memberships that end on or
 * before this day do not count.
 */
export function issueVisibleTo(caller: Caller, today: string) {
  return (_eb: IssueInProjectEb): Expression<SqlBool> => {
    const ownIssueConditions = caller.user === null ? [] : [isOwnIssueRow(caller.user.id)];
    return isReadableIssue(caller, today, [isNotConfidential(), ...ownIssueConditions]);
  };
}

/**
 * The same condition for rows that know only the project and whether the issue is confidential. It ignores that the
 * caller may be the author or an assignee (see `issueVisibleOnlyToParticipant`).
 */
export function issueVisibleToNonParticipant(
  caller: Caller,
  today: string,
  isNotConfidential: Expression<SqlBool>,
): Expression<SqlBool> {
  return isReadableIssue(caller, today, [isNotConfidential]);
}

/** Condition: the issue is confidential, and the caller may read it only as its author or assignee. */
export function issueVisibleOnlyToParticipant(caller: Caller, today: string) {
  return (eb: IssueInProjectEb): Expression<SqlBool> => {
    if (caller.user === null || isAdministrator(caller)) return eb.lit(false);
    const { id } = caller.user;
    const mayReadConfidential = projectWithRole(id, PLANNER, today)(projects);
    const confidential = eb('issues.confidential', '=', true);
    return eb.and([confidential, isReadableIssue(caller, today, [isOwnIssueRow(id)]), eb.not(mayReadConfidential)]);
  };
}

/**
 * Condition on issues joined with projects: issues are enabled for the caller, who is at least a Planner or matches one of
 * `conditions`.
 */
function isReadableIssue(
  caller: Caller,
  today: string,
  conditions: readonly Expression<SqlBool>[],
): Expression<SqlBool> {
  const eb = projects;
  const level = eb.ref('projects.issues_access_level');
  if (isAdministrator(caller)) return eb(level, '<>', 'disabled');
  const visible = projectVisibleTo(caller, today)(eb);
  const enabled = eb(level, '=', 'enabled');
  if (caller.user === null) return eb.and([visible, enabled, eb.or(conditions)]);
  const { id } = caller.user;
  const isEnabledForMembers = eb.and([eb(level, '=', 'private'), projectWithRole(id, ANY_ROLE, today)(eb)]);
  const mayReadAll = projectWithRole(id, PLANNER, today)(eb);
  return eb.and([visible, eb.or([enabled, isEnabledForMembers]), eb.or([...conditions, mayReadAll])]);
}

/** Condition on issues of one project: the caller may read the issue. */
export function issueInProjectVisibleTo(caller: Caller, project: Project) {
  return (eb: ExpressionBuilder<Schema, 'issues'>): Expression<SqlBool> => {
    if (!mayInProject(caller, 'read_issue', project)) return eb.lit(false);
    if (mayInProject(caller, 'read_confidential_issue', project)) return eb.lit(true);
    return caller.user === null ? isNotConfidential() : eb.or([isNotConfidential(), isOwnIssueRow(caller.user.id)]);
  };
}

const isNotConfidential = () => issues('issues.confidential', '=', false);

function isOwnIssueRow(userId: number): Expression<SqlBool> {
  return issues.or([
    issues('issues.author_id', '=', userId),
    issues.exists(buildAssignmentQuery(userId).select('own_assignee.id')),
  ]);
}

/**
 * Returns the users among these who may read an issue of the project with this confidentiality and author, in the given
 * order.
 */
export function filterIssueReaders(
  db: Reader,
  project: Project,
  issue: Pick<Issue, 'confidential' | 'author_id'>,
  userIds: readonly number[],
): Promise<number[]> {
  // Assignments are not loaded: an assignee without another permission is left out.
  return filterProjectReaders(db, project, userIds, (reader, readableProject) =>
    mayReadIssue(reader, readableProject, { ...issue, assigned: 0 }),
  );
}
