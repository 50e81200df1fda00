import { ancestorsAndSelf, selfOnly } from '#domain/namespaces/scope.ts';
import { forGroupAndProject, hierarchyLockKey, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, exactlyOne, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, searchExpression, sizedText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import {
  type DescendantLabelOptions,
  descendantLabelParams,
  includeAncestorGroups,
  labelInBody,
  labelInScope,
  labelInScopeOrDescendants,
  MANAGE_LABELS,
  ownLabel,
  projectLabel,
  projectLabelInBody,
  promoteLabelAccess,
  READ_LABELS,
  toLabelOwnerCondition,
} from './access.ts';
import {
  createLabel,
  deleteLabel,
  MAX_TITLE_LENGTH,
  promoteLabel,
  setLabelSubscription,
  type UpdateLabelInput,
  updateLabel,
} from './changes.ts';
import { Label, ProjectLabel } from './entities.ts';
import { listLabels } from './store.ts';

// Projects and groups have the same endpoints (contract/planning.md §3.5).

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

const priority: Parameter<number, 'optional'> = describe(
  optional(integer),
  'Rank of the label in the project: lists by `label_priority` start with the least. Null removes it.',
);
const COLOR_DESCRIPTION = '`#RGB`, `#RRGGBB` or the name of a CSS color.';

/** Returns the `priority` parameter, which exists in projects only. */
const getPriorityParam = (parent: ParentKind) =>
  parent.select<object>({ group: {}, project: { priority } }) as { readonly priority: typeof priority };

const getUpdateParams = (parent: ParentKind) => ({
  new_name: describe(optional(domainValidatedText(MAX_TITLE_LENGTH)), 'The new title.'),
  color: describe(optional(string), COLOR_DESCRIPTION),
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
    description:
      'Lists labels ordered by title. `subscribed` tells whether the caller is subscribed to the label, in this project or everywhere.',
    access: parent.accessWith(READ_LABELS),
    params: {
      with_counts: describe(
        optional(boolean, false),
        'Adds how many open and closed issues and open merge requests with the label the caller may read.',
      ),
      include_ancestor_groups: includeAncestorGroups,
      ...parent.select<object>({ group: descendantLabelParams, project: {} }),
      search: describe(
        optional(searchExpression),
        'Words that must all occur in the title, or all in the description.',
      ),
      archived: describe(
        optional(boolean),
        'Lists only archived labels, or only others. Both are listed if it is absent.',
      ),
    },
    response: page(getLabelEntity(parent)),
    async read(db, { parent, caller, params, page }) {
      const scope = params.include_ancestor_groups ? await ancestorsAndSelf(db, parent) : selfOnly(parent);
      // Only the declaration for groups has these parameters.
      const options = params as DescendantLabelOptions;
      const ownerCondition = toLabelOwnerCondition(db, { parent, caller }, scope, options);
      return listLabels(db, scope, { ...params, ownerCondition }, page);
    },
  }),
);

export const [getGroupLabel, getProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/labels/:label_id`,
    summary: 'Get a label by ID or title',
    description:
      'Returns one label of the project or group or, unless excluded, of its ancestor groups. A number is first taken as an ID, then as a title.',
    access: parent.accessWith(READ_LABELS).resource(labelInScopeOrDescendants(parent)),
    response: ok(getLabelEntity(parent)),
    read: (_db, { label }) => label,
  }),
);

export const [createGroupLabel, createProjectLabel] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/labels`,
    summary: 'Create a label',
    description:
      'Creates a label. Fails with 409 if the project or group, or one of its ancestor groups, already has a label of this title.',
    access: parent.accessWith(MANAGE_LABELS),
    params: {
      name: describe(required(domainValidatedText(MAX_TITLE_LENGTH)), 'The title; it must not contain a comma.'),
      color: describe(required(string), COLOR_DESCRIPTION),
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
    description:
      'Updates the given attributes; at least one is required. Labels of ancestor groups are not found here. A label titled `promote` can be updated only by its ID.',
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
    description:
      'Updates the given attributes of the label that `label_id` or `name` identifies; at least one attribute is required. Labels of ancestor groups are not found.',
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
    description:
      'Deletes the label and removes it from all issues, merge requests and epics, without recording label events. Existing label events show a null `label` afterwards. Labels of ancestor groups are not found.',
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
    description:
      'Deletes the label that `label_id` or `name` identifies and removes it from all issues, merge requests and epics. Existing label events show a null `label` afterwards. Labels of ancestor groups are not found.',
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
    description:
      'Subscribes the caller to mails about new issues, merge requests and epics with the label. A subscription in a project applies to that project only; one in a group applies everywhere. Answers 304 if the caller is already subscribed.',
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
    description:
      "Ends the caller's subscription to the label. In a project, this also ends a subscription that applies everywhere. Answers 304 if the caller is not subscribed.",
    access: parent.accessWith(READ_LABELS).resource(labelInScope),
    errors: { subscriptionUnchanged: NOT_MODIFIED },
    response: created(getLabelEntity(parent)),
    write: (uow, { parent, label }) => setLabelSubscription(uow, parent, label, false),
  }),
);

export const promoteNamedLabel = endpoint({
  put: '/projects/:id/labels/promote',
  summary: 'Promote a project label named in the body',
  description:
    "As the call that names the label in the path: moves the project's own label to its direct group and returns the group's label.",
  access: promoteLabelAccess().resource(projectLabelInBody),
  lock: ({ project }) => hierarchyLockKey('labels', project),
  errors: { notFound: ERRORS.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});

export const promoteProjectLabel = endpoint({
  put: '/projects/:id/labels/:label_id/promote',
  summary: 'Promote a project label to a group label',
  description:
    "Creates a label of the same title in the project's direct group, or uses the existing one, and returns it. All labels of that title in the group's projects and subgroups are merged into it and deleted. Their issues, merge requests, epics, events, priorities and subscriptions follow, partly in the background if there are many. The caller needs the ability in the group too.",
  access: promoteLabelAccess().resource(projectLabel),
  lock: ({ project }) => hierarchyLockKey('labels', project),
  errors: { notFound: ERRORS.notFound },
  response: ok(Label),
  write: (uow, { project, group, label }) => promoteLabel(uow, { project, group }, label.id),
});
