import { Type } from 'typebox';
import { toNotificationTarget } from '#activity/index.ts';
import { Commit } from '#api/code/commits/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { NamespaceBasic, ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { findEpicsForList } from '#authorization/epics.ts';
import { findIssuesForList } from '#authorization/issues.ts';
import { findListedMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { TODO_ACTIONS, TODO_STATES } from '#database/schema.ts';
import { type NamespaceRow, namespaceColumns } from '#domain/namespaces/namespaces.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { buildProjectUrl, getRepository } from '#repositories/repository.ts';
import { requireRow } from '#runtime/failure.ts';
import { EpicInList } from '../epics/index.ts';
import { IssueInList } from '../issues/index.ts';
import { MergeRequestInList } from '../merge-requests/index.ts';
import type { TodoRow } from '../todo-rows/index.ts';

// A to-do item (contract/planning.md §1 "Todo").

const fields = {
  id: Type.Integer(),
  // The parent of the target: a group for epics, else a project.
  project: Type.Optional(ProjectIdentity.schema),
  group: Type.Optional(NamespaceBasic.schema),
  author: UserBasic.schema,
  action_name: Type.Enum([...TODO_ACTIONS]),
  target_type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Commit']),
  /** Null for a commit that the repository has lost. */
  target: nullable(Type.Union([IssueInList.schema, MergeRequestInList.schema, EpicInList.schema, Commit.schema])),
  target_url: Type.String(),
  body: Type.String({ description: 'Text of the comment that caused the item, else the title of the target.' }),
  state: Type.Enum([...TODO_STATES]),
  created_at: dateTime,
  updated_at: dateTime,
};

const loadBodies = createTextLoader('notes', 'body');

// index: namespaces primary key, routes_by_namespace
const loadNamespaces = prepareForIds<NamespaceRow>((db, ids) =>
  db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .where('namespaces.id', 'in', ids),
);

const toMapById = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));

/** Loads the targets by type and id, in the shape of lists outside a project or group. */
async function loadTargets(rows: readonly TodoRow[], context: SerializationContext) {
  const { db, caller } = context;
  const withoutReferenceContext = <Row extends object>(rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, referenceContext: null }));
  const [issues, mergeRequests, epics] = await Promise.all([
    findIssuesForList(db, caller, collectIds(rows, 'issue_id')).then((issues) =>
      IssueInList.serializeAll(withoutReferenceContext(issues), context),
    ),
    findListedMergeRequests(db, caller, collectIds(rows, 'merge_request_id')).then((mergeRequests) =>
      MergeRequestInList.serializeAll(withoutReferenceContext(mergeRequests), context),
    ),
    findEpicsForList(db, collectIds(rows, 'epic_id')).then((epics) =>
      EpicInList.serializeAll(
        // No group has the id 0, so the references are full.
        epics.map((epic) => ({ ...epic, referenceContext: 0 })),
        context,
      ),
    ),
  ]);
  return { Issue: toMapById(issues), MergeRequest: toMapById(mergeRequests), Epic: toMapById(epics) };
}

type TodoProjects = ReadonlyMap<number, Project>;

/** Loads commits by the id of their row in `commented_commits`, with one read per repository. */
async function loadCommits(rows: readonly TodoRow[], projects: TodoProjects, context: SerializationContext) {
  const { db, git } = context;
  const commentedCommits = await loadCommentedCommits(db, collectIds(rows, 'commented_commit_id'));
  const commitsById = new Map<number, CommitTarget>();
  for (const [projectId, commits] of Map.groupBy(commentedCommits, ({ project_id }) => project_id)) {
    const project = requireRow(projects.get(projectId));
    const shas = commits.map(({ sha }) => sha);
    const gitCommits = await readCommits(git, getRepository(git, project), shas);
    for (const [index, { id, sha, title }] of commits.entries()) {
      const commit = gitCommits[index];
      const target = commit ? Commit.serialize({ commit, project }, context) : null;
      const web_url = `${buildProjectUrl({ baseUrl: context.url }, project)}/-/commit/${sha}`;
      commitsById.set(id, { target, title, web_url });
    }
  }
  return commitsById;
}

/** A commit as a target, with its title and URL. */
interface CommitTarget {
  /** Null if the repository has lost the commit. */
  readonly target: ReturnType<typeof Commit.serialize> | null;
  readonly title: string;
  readonly web_url: string;
}

// index: commented_commits primary key
const loadCommentedCommits = prepareForIds((db, ids) =>
  db.selectFrom('commented_commits').select(['id', 'project_id', 'sha', 'title']).where('id', 'in', ids),
);

const collectIds = (
  rows: readonly TodoRow[],
  column: 'project_id' | 'group_id' | 'issue_id' | 'merge_request_id' | 'epic_id' | 'commented_commit_id' | 'note_id',
) => [...new Set(rows.flatMap((row) => row[column] ?? []))];

async function loadRelations(rows: readonly TodoRow[], context: SerializationContext) {
  const { db, caller } = context;
  const authors = rows.map(({ author_id }) => author_id);
  const [users, projects, groups, bodies, targets] = await Promise.all([
    loadUsersById(db, authors),
    findProjects(db, caller, collectIds(rows, 'project_id')),
    loadGroups(db, rows),
    loadBodies(db, collectIds(rows, 'note_id')),
    loadTargets(rows, context),
  ]);
  const projectsById = toMapById(projects);
  return {
    users,
    projects: projectsById,
    groups,
    bodies,
    targets,
    commits: await loadCommits(rows, projectsById, context),
  };
}

const loadGroups = async (db: Reader, rows: readonly TodoRow[]) =>
  toMapById(await loadNamespaces(db, collectIds(rows, 'group_id')));

export const Todo = entity('Todo', fields)
  .columns('id', 'state', 'created_at', 'updated_at')
  .from(loadRelations, (todo: TodoRow, context, { users, bodies, targets, commits, ...parents }) => {
    const { type, id } = toNotificationTarget(todo);
    const { target, title, web_url } =
      type === 'Commit' ? requireRow(commits.get(id)) : toTarget(requireRow(targets[type].get(id)));
    const parent =
      todo.project_id === null
        ? { group: NamespaceBasic.serialize(requireRow(parents.groups.get(todo.group_id ?? 0)), context) }
        : { project: ProjectIdentity.serialize(requireRow(parents.projects.get(todo.project_id)), context) };
    return {
      ...parent,
      author: UserBasic.serialize(requireRow(users.get(todo.author_id)), context),
      action_name: todo.action,
      target_type: type,
      target,
      target_url: `${web_url}${targetUrlSuffix(todo)}`,
      body: bodies.get(todo.note_id ?? 0) ?? title,
    };
  });

const toTarget = <Target extends { readonly title: string; readonly web_url: string }>(target: Target) => ({
  target,
  title: target.title,
  web_url: target.web_url,
});

/** Returns the fragment or sub-path of the target to which the item links. */
function targetUrlSuffix({ note_id, action }: TodoRow): string {
  if (note_id !== null) return `#note_${note_id}`;
  return action === 'build_failed' ? '/pipelines' : '';
}
