import type { RawBuilder, SqlBool } from 'kysely';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { isInScopeOrBelow } from '#authorization/descendant-resources.ts';
import type { Reader } from '#database/database.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf, type NamespaceScope, selfOnly } from '#domain/namespaces/scope.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import type { ParentContext, ParentKind } from '#http/access/parents.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { findLabel, findLabelByTitle } from './store.ts';

// Abilities to read and manage labels, and resources that load the label named in the path or body (contract/planning.md §3.5).

export const READ_LABELS = { group: 'read_label', project: 'read_label' } as const;
export const MANAGE_LABELS = { group: 'admin_label', project: 'admin_label' } as const;

const labelNotFound = () => notFound('Label');

const labelIdOrTitle = describe(required(string), 'ID or URL-encoded title of the label.');

/** Whether labels of the ancestor groups are included. */
export const includeAncestorGroups = describe(
  optional(boolean, true),
  'Set to false to leave out labels of the ancestor groups.',
);

/** Parameters of groups: whether labels of subgroups and projects are included. */
export const descendantLabelParams = {
  include_descendant_groups: describe(
    optional(boolean, false),
    'Includes labels of the subgroups that the caller can see.',
  ),
  only_group_labels: describe(
    optional(boolean, true),
    'Set to false to include labels of projects that the caller can see.',
  ),
};

/** Values of `descendantLabelParams`; absent for projects. */
export interface DescendantLabelOptions {
  readonly include_descendant_groups?: boolean;
  readonly only_group_labels?: boolean;
}

/**
 * Returns the condition that a label belongs to the scope or to an included subgroup or project. Returns null if the options include
 * none of these: the scope is then sufficient.
 */
export function toLabelOwnerCondition(
  db: Reader,
  { parent, caller }: ParentContext,
  scope: NamespaceScope,
  { include_descendant_groups: subgroups = false, only_group_labels: onlyGroups = true }: DescendantLabelOptions,
): RawBuilder<SqlBool> | null {
  if (!parent.group || (!subgroups && onlyGroups)) return null;
  const owners = { groupId: parent.group.id, subgroups, projects: !onlyGroups };
  return isInScopeOrBelow(db, 'labels', scope, caller, owners);
}

/** Loads the label of the path by id or title; labels of ancestor groups count unless `include_ancestor_groups` is false. */
export const labelInScope = {
  name: 'label',
  params: { label_id: labelIdOrTitle, include_ancestor_groups: includeAncestorGroups },
  async load({ db, params }: AccessCall<LabelInScopeParams>, context: ParentContext) {
    const { parent } = context;
    const scope = params.include_ancestor_groups ? await ancestorsAndSelf(db, parent) : selfOnly(parent);
    return findLabelByIdOrTitle(db, scope, params, toLabelOwnerCondition(db, context, scope, params));
  },
  notFound: labelNotFound,
} as const;

/** As `labelInScope`; for groups also labels of subgroups and projects, if the parameters include them. */
export const labelInScopeOrDescendants = (parent: ParentKind) => ({
  ...labelInScope,
  params: { ...labelInScope.params, ...parent.select<object>({ group: descendantLabelParams, project: {} }) },
});

interface LabelInScopeParams extends DescendantLabelOptions {
  readonly label_id: string;
  readonly include_ancestor_groups: boolean;
}

/** Loads the label of the path by id or title from the project or group itself. Inherited labels are not found. */
export const ownLabel = {
  name: 'label',
  params: { label_id: labelIdOrTitle },
  load: ({ db, params }: AccessCall<{ readonly label_id: string }>, { parent }: ParentContext) =>
    findLabelByIdOrTitle(db, selfOnly(parent), params),
  notFound: labelNotFound,
} as const;

/** Loads the label that the body names by id or title from the project or group itself. */
export const labelInBody = {
  name: 'label',
  params: {
    label_id: describe(optional(integer), 'ID of the label, unless `name` is given.'),
    name: describe(optional(string), 'Current title of the label, unless `label_id` is given.'),
  },
  load: ({ db, params }: AccessCall<LabelInBodyParams>, { parent }: ParentContext) =>
    params.label_id == null
      ? findLabelByTitle(db, selfOnly(parent), params.name ?? '')
      : findLabel(db, selfOnly(parent), params.label_id),
  notFound: labelNotFound,
} as const;

interface LabelInBodyParams {
  readonly label_id?: number | null | undefined;
  readonly name?: string | null | undefined;
}

async function findLabelByIdOrTitle(
  db: AccessCall['db'],
  scope: NamespaceScope,
  { label_id: idOrTitle }: { readonly label_id: string },
  ownerCondition: RawBuilder<SqlBool> | null = null,
) {
  const id = /^\d+$/.test(idOrTitle) ? Number(idOrTitle) : Number.NaN;
  const labelById = Number.isSafeInteger(id) ? await findLabel(db, scope, id, ownerCondition) : null;
  return labelById ?? findLabelByTitle(db, scope, idOrTitle, ownerCondition);
}

const PERSONAL_NAMESPACE_ERROR = {
  inPersonalNamespace: [400, 'Failed to promote project label to group label'],
} as const;

interface ProjectAndGroup {
  readonly project: Project;
  readonly group: Group;
}

/** Admits callers who may manage the labels of both the project and its group; fails with 400 in a personal namespace. */
export const promoteLabelAccess = (): Access<ProjectAndGroup & { readonly caller: SignedInCaller }> =>
  inProject('read_label')
    .resource({
      name: 'group',
      load: ({ db, caller }: AccessCall, { project }: { readonly project: Project }) =>
        findGroup(db, caller, String(project.namespace_id)),
      notFound: () => new HttpError(400, { message: PERSONAL_NAMESPACE_ERROR.inPersonalNamespace[1] }),
      authorize({ caller }: AccessCall, { project, group }: ProjectAndGroup) {
        const mayManage = mayInProject(caller, 'admin_label', project) && mayInGroup(caller, 'admin_label', group);
        if (!mayManage) throw forbidden();
      },
    })
    // Checks nothing: names the abilities that `authorize` checks, for `api.txt`.
    .withLabel('project:admin_label, group:admin_label')
    .withErrors(PERSONAL_NAMESPACE_ERROR);

/** Loads the project's own label that the path names by id or title. */
export const projectLabel = {
  name: 'label',
  params: { label_id: labelIdOrTitle },
  load: ({ db, params }: AccessCall<{ readonly label_id: string }>, { project }: ProjectAndGroup) =>
    findLabelByIdOrTitle(db, selfOnly({ project }), params),
  notFound: labelNotFound,
} as const;

/** Loads the project's own label that the body names by title. */
export const projectLabelInBody = {
  name: 'label',
  params: { name: describe(required(string), 'Title of the label.') },
  load: ({ db, params }: AccessCall<{ readonly name: string }>, { project }: ProjectAndGroup) =>
    findLabelByTitle(db, selfOnly({ project }), params.name),
  notFound: labelNotFound,
} as const;
