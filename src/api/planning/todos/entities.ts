import { Type } from 'typebox';
import { resourceOfRow } from '#activity/index.ts';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { NamespaceBasic, ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { findListedEpics } from '#authorization/epics.ts';
import { findListedIssues } from '#authorization/issues.ts';
import { findListedMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { textsOf } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { TODO_ACTIONS, TODO_STATES } from '#database/tables/todos.ts';
import { type NamespaceRow, namespaceColumns } from '#domain/namespaces/namespaces.ts';
import { findProjects } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import { EpicInList } from '../epics/index.ts';
import { IssueInList } from '../issues/index.ts';
import { MergeRequestInList } from '../merge-requests/index.ts';
import type { TodoRow } from '../todo-rows/index.ts';

/** Something to do (contract/planning.md §1 "Todo"). */

const fields = {
  id: Type.Integer(),
  /** Where its target is. */
  project: Type.Optional(ProjectIdentity.schema),
  group: Type.Optional(NamespaceBasic.schema),
  author: UserBasic.schema,
  action_name: Type.Enum([...TODO_ACTIONS]),
  target_type: Type.Enum(['Issue', 'MergeRequest', 'Epic']),
  target: Type.Union([IssueInList.schema, MergeRequestInList.schema, EpicInList.schema]),
  target_url: Type.String(),
  body: Type.String(),
  state: Type.Enum([...TODO_STATES]),
  created_at: dateTime,
  updated_at: dateTime,
};

const bodiesOf = textsOf('notes', 'body');

// index: namespaces primary key, routes_by_namespace
const namespacesByIds = prepareForIds<NamespaceRow>((db, ids) =>
  db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .where('namespaces.id', 'in', ids),
);

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

/** The targets by their types and ids, as lists show them that are of no place. */
async function targetsOf(rows: readonly TodoRow[], to: SerializationContext) {
  const { db, caller } = to;
  const seen = <Row extends object>(found: readonly Row[]) => found.map((row) => ({ ...row, seenFrom: null }));
  const [issues, mergeRequests, epics] = await Promise.all([
    findListedIssues(db, caller, idsIn(rows, 'issue_id')).then((found) => IssueInList.serializeAll(seen(found), to)),
    findListedMergeRequests(db, caller, idsIn(rows, 'merge_request_id')).then((found) =>
      MergeRequestInList.serializeAll(seen(found), to),
    ),
    findListedEpics(db, idsIn(rows, 'epic_id')).then((found) =>
      EpicInList.serializeAll(
        found.map((epic) => ({ ...epic, seenFrom: 0 })),
        to,
      ),
    ),
  ]);
  return { Issue: byId(issues), MergeRequest: byId(mergeRequests), Epic: byId(epics) };
}

const idsIn = (
  rows: readonly TodoRow[],
  column: 'project_id' | 'group_id' | 'issue_id' | 'merge_request_id' | 'epic_id' | 'note_id',
) => [...new Set(rows.flatMap((row) => row[column] ?? []))];

async function beside(rows: readonly TodoRow[], to: SerializationContext) {
  const { db, caller } = to;
  const authors = rows.map(({ author_id }) => author_id);
  const [users, projects, groups, bodies, targets] = await Promise.all([
    usersById(db, authors),
    findProjects(db, caller, idsIn(rows, 'project_id')),
    groupsOf(db, rows),
    bodiesOf(db, idsIn(rows, 'note_id')),
    targetsOf(rows, to),
  ]);
  return { users, projects: byId(projects), groups, bodies, targets };
}

const groupsOf = async (db: Reader, rows: readonly TodoRow[]) =>
  byId(await namespacesByIds(db, idsIn(rows, 'group_id')));

export const Todo = entity('Todo', fields).from(beside, (todo: TodoRow, to, { users, bodies, targets, ...places }) => {
  const { type, id } = resourceOfRow(todo);
  const target = stillThere(targets[type].get(id));
  const where =
    todo.project_id === null
      ? { group: NamespaceBasic.serialize(stillThere(places.groups.get(todo.group_id ?? 0)), to) }
      : { project: ProjectIdentity.serialize(stillThere(places.projects.get(todo.project_id)), to) };
  return {
    id: todo.id,
    ...where,
    author: UserBasic.serialize(stillThere(users.get(todo.author_id)), to),
    action_name: todo.action,
    target_type: type,
    target,
    target_url: `${target.web_url}${behind(todo)}`,
    body: bodies.get(todo.note_id ?? 0) ?? target.title,
    state: todo.state,
    created_at: todo.created_at,
    updated_at: todo.updated_at,
  };
});

/** What of its target it leads to. */
function behind({ note_id, action }: TodoRow): string {
  if (note_id !== null) return `#note_${note_id}`;
  return action === 'build_failed' ? '/pipelines' : '';
}
