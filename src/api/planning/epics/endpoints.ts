import { turnOf } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { inEpicsOf, inPublicEpicsOf, readingEpic, usingEpic } from './access.ts';
import { createEpic as create } from './create.ts';
import { removeEpic } from './delete.ts';
import { Epic, EpicAlone, EpicInList } from './entities.ts';
import { listEpics as list } from './list.ts';
import { epicChangeParams, epicFilterRules, epicListParams, newEpicParams } from './parameters.ts';
import { changeEpic } from './update.ts';

export const listEpics = endpoint({
  get: '/groups/:id/epics',
  summary: 'List the epics of a group, and of the groups above and below it',
  access: inPublicEpicsOf('read_epic'),
  params: epicListParams,
  rules: epicFilterRules,
  response: page(EpicInList),
  read: (db, { group, caller, params, page }) => list(db, caller, group, params, page),
});

export const readEpic = endpoint({
  get: '/groups/:id/epics/:epic_iid',
  summary: 'Read an epic',
  access: readingEpic(),
  response: ok(EpicAlone),
  read: (_db, { epic }) => epic,
});

export const createEpic = endpoint({
  post: '/groups/:id/epics',
  summary: 'Make an epic',
  access: inEpicsOf('admin_epic'),
  params: { title: required(title), ...newEpicParams },
  lock: ({ group }) => turnOf('epics', group),
  errors: { invalid: INVALID, noParent: NOT_FOUND, gone: NOT_FOUND },
  activity: ['label add', 'note mention'],
  response: created(Epic),
  write: (uow, { group, params }) => create(uow, group, params),
});

export const updateEpic = endpoint({
  put: '/groups/:id/epics/:epic_iid',
  summary: 'Change an epic, close or reopen it',
  access: usingEpic('admin_epic'),
  params: epicChangeParams,
  rules: [atLeastOne(...Object.keys(epicChangeParams))],
  lock: ({ group }) => turnOf('epics', group),
  errors: { invalid: INVALID, noParent: NOT_FOUND, gone: NOT_FOUND },
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
  write: (uow, { group, epic, params }) => changeEpic(uow, group, epic.iid, params),
});

export const deleteEpic = endpoint({
  delete: '/groups/:id/epics/:epic_iid',
  summary: 'Delete an epic; its issues stay',
  access: usingEpic('delete_epic'),
  errors: { gone: NOT_FOUND },
  response: noContent,
  handle: ({ epic, caller }, { runUnitOfWork }) => removeEpic(runUnitOfWork, caller, epic),
});
