import { ownReach, reachOf } from '#domain/namespaces/scope.ts';
import { forBoth, type ParentKind, turnOf } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { atLeastOne, exactlyOne, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { expression, ruledText, sizedText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import {
  anyLabel,
  labelInBody,
  labelOfProject,
  MANAGING,
  namedLabelOfProject,
  ownLabel,
  promoting,
  SEEING,
} from './access.ts';
import { createLabel } from './create.ts';
import { deleteLabel } from './delete.ts';
import { Label, ProjectLabel } from './entities.ts';
import { promoteLabel } from './promote.ts';
import { listLabels } from './store.ts';
import { subscribeToLabel } from './subscriptions.ts';
import { changeLabel, type LabelChange } from './update.ts';

// Projects and groups have the same endpoints (contract/planning.md §3.5).

/** Bytes of a description. */
const LONGEST_DESCRIPTION = 512 * 1024;

const REFUSES = {
  notFound: [404, '404 Label Not Found'],
  exists: [409, 'Label already exists'],
  invalid: INVALID,
} as const;
const TAKEN = { labels_by_project: 'exists', labels_by_group: 'exists' } as const;

/** How a project or group shows one of its labels. */
const entityOf = (parent: ParentKind) =>
  parent.own<typeof Label | typeof ProjectLabel>({ group: Label, project: ProjectLabel });

/** Projects give labels priorities; below groups the parameter is unknown, and so never there. */
const priorityOf = (parent: ParentKind) =>
  parent.own<object>({ group: {}, project: { priority: optional(integer) } }) as {
    readonly priority: Parameter<number, 'optional'>;
  };

const changes = (parent: ParentKind) => ({
  new_name: optional(ruledText(255)),
  color: optional(string),
  description: optional(sizedText(LONGEST_DESCRIPTION)),
  ...priorityOf(parent),
  archived: optional(boolean),
});
const oneChange = (parent: ParentKind) => atLeastOne(...Object.keys(changes(parent)));

const changeOf = ({
  new_name: title,
  ...change
}: Omit<LabelChange, 'title'> & { readonly new_name?: string | null | undefined }): LabelChange => ({
  title,
  ...change,
});

export const [listGroupLabels, listProjectLabels] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/labels`,
    summary: 'List labels, those of the groups above too',
    access: parent.may(SEEING),
    params: {
      with_counts: optional(boolean, false),
      include_ancestor_groups: optional(boolean, true),
      // Lists of groups hold no others.
      ...parent.own<object>({ group: { only_group_labels: optional(boolean, true) }, project: {} }),
      search: optional(expression),
    },
    response: page(entityOf(parent)),
    read: async (db, { parent, params, page }) =>
      listLabels(db, params.include_ancestor_groups ? await reachOf(db, parent) : ownReach(parent), params, page),
  }),
);

export const [readGroupLabel, readProjectLabel] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/labels/:label_id`,
    summary: 'Read a label, by id or title',
    access: parent.may(SEEING).resource(anyLabel),
    response: ok(entityOf(parent)),
    read: (_db, { label }) => label,
  }),
);

export const [createGroupLabel, createProjectLabel] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/labels`,
    summary: 'Create a label',
    access: parent.may(MANAGING),
    params: {
      name: required(ruledText(255)),
      color: required(string),
      description: optional(sizedText(LONGEST_DESCRIPTION)),
      ...priorityOf(parent),
    },
    lock: ({ parent }) => turnOf('labels', parent),
    errors: REFUSES,
    response: created(entityOf(parent)),
    write: (uow, { parent, params: { name: title, color, description = null, priority } }) =>
      createLabel(uow, parent, { title, color, description, priority }),
  }),
);

export const [updateGroupLabel, updateProjectLabel] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/labels/:label_id`,
    summary: 'Change a label, named by id or title',
    access: parent.may(MANAGING).resource(ownLabel),
    params: changes(parent),
    rules: [oneChange(parent)],
    lock: ({ parent }) => turnOf('labels', parent),
    errors: REFUSES,
    uniqueErrors: TAKEN,
    response: ok(entityOf(parent)),
    write: (uow, { parent, label, params }) => changeLabel(uow, parent, label.id, changeOf(params)),
  }),
);

export const [updateNamedGroupLabel, updateNamedProjectLabel] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/labels`,
    summary: 'Change a label that the body names',
    access: parent.may(MANAGING).resource(labelInBody),
    params: changes(parent),
    rules: [exactlyOne('label_id', 'name'), oneChange(parent)],
    lock: ({ parent }) => turnOf('labels', parent),
    errors: REFUSES,
    uniqueErrors: TAKEN,
    response: ok(entityOf(parent)),
    write: (uow, { parent, label, params }) => changeLabel(uow, parent, label.id, changeOf(params)),
  }),
);

export const [deleteGroupLabel, deleteProjectLabel] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/labels/:label_id`,
    summary: 'Delete a label, named by id or title',
    access: parent.may(MANAGING).resource(ownLabel),
    lastModified: ({ label }) => label.updated_at,
    errors: { notFound: REFUSES.notFound },
    response: noContent,
    handle: ({ label, parent: place, caller }, { runUnitOfWork }) =>
      deleteLabel(runUnitOfWork, { parent: place, caller }, label.id),
  }),
);

export const [deleteNamedGroupLabel, deleteNamedProjectLabel] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/labels`,
    summary: 'Delete a label that the body names',
    access: parent.may(MANAGING).resource(labelInBody),
    rules: [exactlyOne('label_id', 'name')],
    lastModified: ({ label }) => label.updated_at,
    errors: { notFound: REFUSES.notFound },
    response: noContent,
    handle: ({ label, parent: place, caller }, { runUnitOfWork }) =>
      deleteLabel(runUnitOfWork, { parent: place, caller }, label.id),
  }),
);

export const [subscribeToGroupLabel, subscribeToProjectLabel] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/labels/:label_id/subscribe`,
    summary: 'Be told of what gets a label',
    access: parent.may(SEEING).resource(anyLabel),
    errors: { already: NOT_MODIFIED },
    response: created(entityOf(parent)),
    write: (uow, { parent, label }) => subscribeToLabel(uow, parent, label, true),
  }),
);

export const [unsubscribeFromGroupLabel, unsubscribeFromProjectLabel] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/labels/:label_id/unsubscribe`,
    summary: 'Be told no longer of what gets a label',
    access: parent.may(SEEING).resource(anyLabel),
    errors: { already: NOT_MODIFIED },
    response: created(entityOf(parent)),
    write: (uow, { parent, label }) => subscribeToLabel(uow, parent, label, false),
  }),
);

export const promoteNamedLabel = endpoint({
  put: '/projects/:id/labels/promote',
  summary: "Make a project's label, which the body names, one of its group",
  access: promoting().resource(namedLabelOfProject),
  lock: ({ project }) => turnOf('labels', project),
  errors: { notFound: REFUSES.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});

export const promoteProjectLabel = endpoint({
  put: '/projects/:id/labels/:label_id/promote',
  summary: "Make a project's label, named by id or title, one of its group",
  access: promoting().resource(labelOfProject),
  lock: ({ project }) => turnOf('labels', project),
  errors: { notFound: REFUSES.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});
