import { hierarchyLockKey } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { epicAccessWithAbility, epicGroupAccess, readEpicAccess, signedInEpicGroupAccess } from './access.ts';
import { createEpicWithQuickActions, removeEpic, updateEpicWithQuickActions } from './changes.ts';
import { Epic, EpicDetails, EpicInList } from './entities.ts';
import { findEpicPage } from './list.ts';
import { createEpicParams, epicFilterRules, epicListParams, updateEpicParams } from './parameters.ts';

export const listEpics = endpoint({
  get: '/groups/:id/epics',
  summary: 'List the epics of a group',
  description:
    "Lists the epics of the group and, by default, of its subgroups, newest first by default. Confidential epics are listed only for callers with at least the Planner role in the epic's group. Requires a tier with epics.",
  access: epicGroupAccess('read_epic'),
  params: epicListParams,
  rules: epicFilterRules,
  response: page(EpicInList),
  read: (db, { group, caller, params, page }) => findEpicPage(db, caller, group, params, page),
});

export const getEpic = endpoint({
  get: '/groups/:id/epics/:epic_iid',
  summary: 'Get an epic',
  description:
    'Returns an epic of this very group by its `iid`. Answers 403 if the epic is confidential and the caller may not read it.',
  access: readEpicAccess(),
  response: ok(EpicDetails),
  read: (_db, { epic }) => epic,
});

export const createEpic = endpoint({
  post: '/groups/:id/epics',
  summary: 'Create an epic',
  description:
    'Creates an epic and executes the quick actions in its description. Unknown labels are created. Watchers of the group and mentioned users are notified.',
  access: signedInEpicGroupAccess('admin_epic'),
  params: { title: required(shortText), ...createEpicParams },
  lock: ({ group }) => hierarchyLockKey('epics', group),
  errors: { invalid: INVALID, parentNotFound: NOT_FOUND, notFound: NOT_FOUND },
  activity: ['label add', 'note mention'],
  response: created(Epic),
  write: (uow, { group, params }) => createEpicWithQuickActions(uow, group, params),
});

export const updateEpic = endpoint({
  put: '/groups/:id/epics/:epic_iid',
  summary: 'Update an epic',
  description:
    'Updates the given attributes and executes the quick actions in the description. At least one attribute is required. A change of state is recorded as a state event, changes of title, description and confidentiality as system notes.',
  access: epicAccessWithAbility('admin_epic'),
  params: updateEpicParams,
  rules: [atLeastOne(...Object.keys(updateEpicParams))],
  lock: ({ group }) => hierarchyLockKey('epics', group),
  errors: { invalid: INVALID, parentNotFound: NOT_FOUND, notFound: NOT_FOUND },
  activity: [
    'state closed',
    'state opened',
    'label add',
    'label remove',
    'note title',
    'note description',
    'note confidential',
    'note mention',
  ],
  response: ok(Epic),
  write: (uow, { group, epic, params }) => updateEpicWithQuickActions(uow, group, epic.iid, params),
});

export const deleteEpic = endpoint({
  delete: '/groups/:id/epics/:epic_iid',
  summary: 'Delete an epic',
  description: 'Deletes the epic with its notes. Its issues and child epics remain and lose their epic.',
  access: epicAccessWithAbility('delete_epic'),
  errors: { notFound: NOT_FOUND },
  response: noContent,
  handle: ({ epic, caller }, { runUnitOfWork }) => removeEpic(runUnitOfWork, caller, epic),
});
