import { ancestorsAndSelf, selfOnly } from '#domain/namespaces/scope.ts';
import { forGroupAndProject, hierarchyLockKey, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { atLeastOne, exactlyOne, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, searchExpression, sizedText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import {
  type LabelsBelow,
  labelInBody,
  labelInScope,
  labelInScopeOrBelow,
  labelsBelowParams,
  MANAGE_LABELS,
  ownLabel,
  projectLabel,
  projectLabelInBody,
  promoteLabelAccess,
  READ_LABELS,
  toLabelsBelowCondition,
} from './access.ts';
import {
  createLabel,
  deleteLabel,
  promoteLabel,
  setLabelSubscription,
  type UpdateLabelInput,
  updateLabel,
} from './changes.ts';
import { Label, ProjectLabel } from './entities.ts';
import { listLabels } from './store.ts';

// Projects and groups have the same endpoints (contract/planning.md §3.5).

/** Maximum length of a title in characters. */
const MAX_TITLE_LENGTH = 255;
/** Maximum size of a description in bytes. */
const MAX_DESCRIPTION_BYTES = 512 * 1024;

const ERRORS = {
  notFound: [404, '404 Label Not Found'],
  exists: [409, 'Label already exists'],
  invalid: INVALID,
} as const;
const UNIQUE_ERRORS = { labels_by_project: 'exists', labels_by_group: 'exists' } as const;

/** Returns the entity for labels of this kind of parent. */
const getLabelEntity = (parent: ParentKind) =>
  parent.select<typeof Label | typeof ProjectLabel>({ group: Label, project: ProjectLabel });

/** Returns the `priority` parameter, which exists in projects only. */
const getPriorityParam = (parent: ParentKind) =>
  parent.select<object>({ group: {}, project: { priority: optional(integer) } }) as {
    readonly priority: Parameter<number, 'optional'>;
  };

const getUpdateParams = (parent: ParentKind) => ({
  new_name: optional(domainValidatedText(MAX_TITLE_LENGTH)),
  color: optional(string),
  description: optional(sizedText(MAX_DESCRIPTION_BYTES)),
  ...getPriorityParam(parent),
  archived: optional(boolean),
});
const requireAtLeastOneChange = (parent: ParentKind) => atLeastOne(...Object.keys(getUpdateParams(parent)));

/** Converts the parameters: `new_name` is the new title. */
const toUpdateInput = ({
  new_name: title,
  ...otherParams
}: Omit<UpdateLabelInput, 'title'> & { readonly new_name?: string | null | undefined }): UpdateLabelInput => ({
  title,
  ...otherParams,
});

export const [listGroupLabels, listProjectLabels] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/labels`,
    summary: 'List labels, including those of ancestor groups',
    access: parent.accessWith(READ_LABELS),
    params: {
      with_counts: optional(boolean, false),
      include_ancestor_groups: optional(boolean, true),
      ...parent.select<object>({ group: labelsBelowParams, project: {} }),
      search: optional(searchExpression),
      archived: optional(boolean),
    },
    response: page(getLabelEntity(parent)),
    async read(db, { parent, caller, params, page }) {
      const scope = params.include_ancestor_groups ? await ancestorsAndSelf(db, parent) : selfOnly(parent);
      const condition = toLabelsBelowCondition(db, { parent, caller }, scope, params as LabelsBelow);
      return listLabels(db, scope, { ...params, condition }, page);
    },
  }),
);

export const [getGroupLabel, getProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/labels/:label_id`,
    summary: 'Get a label by ID or title',
    access: parent.accessWith(READ_LABELS).resource(labelInScopeOrBelow(parent)),
    response: ok(getLabelEntity(parent)),
    read: (_db, { label }) => label,
  }),
);

export const [createGroupLabel, createProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/labels`,
    summary: 'Create a label',
    access: parent.accessWith(MANAGE_LABELS),
    params: {
      name: required(domainValidatedText(MAX_TITLE_LENGTH)),
      color: required(string),
      description: optional(sizedText(MAX_DESCRIPTION_BYTES)),
      archived: optional(boolean),
      ...getPriorityParam(parent),
    },
    lock: ({ parent }) => hierarchyLockKey('labels', parent),
    errors: ERRORS,
    response: created(getLabelEntity(parent)),
    write: (uow, { parent, params: { name: title, color, description = null, archived, priority } }) =>
      createLabel(uow, parent, { title, color, description, archived, priority }),
  }),
);

export const [updateGroupLabel, updateProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/labels/:label_id`,
    summary: 'Update a label by ID or title',
    access: parent.accessWith(MANAGE_LABELS).resource(ownLabel),
    params: getUpdateParams(parent),
    rules: [requireAtLeastOneChange(parent)],
    lock: ({ parent }) => hierarchyLockKey('labels', parent),
    errors: ERRORS,
    uniqueErrors: UNIQUE_ERRORS,
    response: ok(getLabelEntity(parent)),
    write: (uow, { parent, label, params }) => updateLabel(uow, parent, label.id, toUpdateInput(params)),
  }),
);

export const [updateNamedGroupLabel, updateNamedProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/labels`,
    summary: 'Update a label named in the body',
    access: parent.accessWith(MANAGE_LABELS).resource(labelInBody),
    params: getUpdateParams(parent),
    rules: [exactlyOne('label_id', 'name'), requireAtLeastOneChange(parent)],
    lock: ({ parent }) => hierarchyLockKey('labels', parent),
    errors: ERRORS,
    uniqueErrors: UNIQUE_ERRORS,
    response: ok(getLabelEntity(parent)),
    write: (uow, { parent, label, params }) => updateLabel(uow, parent, label.id, toUpdateInput(params)),
  }),
);

export const [deleteGroupLabel, deleteProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/labels/:label_id`,
    summary: 'Delete a label by ID or title',
    access: parent.accessWith(MANAGE_LABELS).resource(ownLabel),
    lastModified: ({ label }) => label.updated_at,
    errors: { notFound: ERRORS.notFound },
    response: noContent,
    handle: ({ label, parent, caller }, { runUnitOfWork }) => deleteLabel(runUnitOfWork, { parent, caller }, label.id),
  }),
);

export const [deleteNamedGroupLabel, deleteNamedProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/labels`,
    summary: 'Delete a label named in the body',
    access: parent.accessWith(MANAGE_LABELS).resource(labelInBody),
    rules: [exactlyOne('label_id', 'name')],
    lastModified: ({ label }) => label.updated_at,
    errors: { notFound: ERRORS.notFound },
    response: noContent,
    handle: ({ label, parent, caller }, { runUnitOfWork }) => deleteLabel(runUnitOfWork, { parent, caller }, label.id),
  }),
);

export const [subscribeToGroupLabel, subscribeToProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/labels/:label_id/subscribe`,
    summary: 'Subscribe to a label',
    access: parent.accessWith(READ_LABELS).resource(labelInScope),
    errors: { subscriptionUnchanged: NOT_MODIFIED },
    response: created(getLabelEntity(parent)),
    write: (uow, { parent, label }) => setLabelSubscription(uow, parent, label, true),
  }),
);

export const [unsubscribeFromGroupLabel, unsubscribeFromProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/labels/:label_id/unsubscribe`,
    summary: 'Unsubscribe from a label',
    access: parent.accessWith(READ_LABELS).resource(labelInScope),
    errors: { subscriptionUnchanged: NOT_MODIFIED },
    response: created(getLabelEntity(parent)),
    write: (uow, { parent, label }) => setLabelSubscription(uow, parent, label, false),
  }),
);

export const promoteNamedLabel = endpoint({
  put: '/projects/:id/labels/promote',
  summary: 'Promote a project label named in the body',
  access: promoteLabelAccess().resource(projectLabelInBody),
  lock: ({ project }) => hierarchyLockKey('labels', project),
  errors: { notFound: ERRORS.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});

export const promoteProjectLabel = endpoint({
  put: '/projects/:id/labels/:label_id/promote',
  summary: 'Promote a project label to a group label',
  access: promoteLabelAccess().resource(projectLabel),
  lock: ({ project }) => hierarchyLockKey('labels', project),
  errors: { notFound: ERRORS.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});
