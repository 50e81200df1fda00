import { getVisibilityRank, validateAllowedVisibility } from '#authorization/visibility.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import {
  type GroupAttributes,
  mergeGroupAttributes,
  parseGroupAttributes,
} from '#domain/namespaces/group-attributes.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { validateGroupPath, validateName } from '#domain/namespaces/name-validation.ts';
import { buildChildPath, type FullPath, getNamespacePath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordGroupChanges } from './activity.ts';
import { toAttributeChanges, validateGroupAttributes } from './attributes.ts';
import { moveGroupRoutes } from './changes.ts';
import type { GroupInput } from './parameters.ts';
import { type GroupRow, getGroupRow, reloadGroup } from './store.ts';
import { validateDescendantVisibility, validateFullPath, validateParentVisibility } from './validation.ts';

/** Changes of a group. Absent and null values change nothing, except that a null description becomes empty. */
interface UpdateGroupInput extends GroupInput {
  readonly name?: string | null | undefined;
  readonly path?: string | null | undefined;
}

/** Updates a group. A new name or path changes the full paths of everything below it. */
export async function updateGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
  changes: UpdateGroupInput,
): Promise<GroupRow | Failure<'invalid' | 'notFound'>> {
  const group = await reloadGroup(uow, id);
  if (group === null) return fail('notFound');
  const after: GroupColumns = {
    name: changes.name ?? group.name,
    path: changes.path ?? group.path,
    description: changes.description === undefined ? group.description : (changes.description ?? ''),
    visibility: changes.visibility ?? group.visibility,
  };
  const parent = group.parent_id === null ? null : await loadParent(uow, group.parent_id);
  const fullPath = buildChildPath(parent, after.path, after.name);
  const attributes = toAttributeChanges(changes, uow, parent === null);
  const errors = compactFieldErrors({
    ...(await validateColumns(uow, { group, parent, fullPath, after })),
    ...validateGroupAttributes(changes, attributes),
  });
  if (errors !== null) return invalid(errors);
  await uow
    .updateTable('namespaces')
    .set({
      ...after,
      name_key: foldCase(after.name),
      attributes: mergeGroupAttributes(group.attributes, attributes),
      updated_at: uow.now,
    })
    .where('id', '=', id)
    .execute();
  if (enablesInstanceRunners(parseGroupAttributes(group.attributes), attributes))
    await uow.publish('runner-access-extended', { type: 'group', id });
  if (getVisibilityRank(after.visibility) < getVisibilityRank(group.visibility))
    await uow.publish('visibility-reduced', { type: 'group', id });
  if (after.name !== group.name || after.path !== group.path) await moveGroupRoutes(uow, id, fullPath);
  await recordGroupChanges(uow, { id, full_path: fullPath.full_path }, group, after);
  return getGroupRow(uow, id);
}

/** Returns whether the update lets projects in the group use the runners of the instance, which the group forbade before. */
function enablesInstanceRunners(
  before: GroupAttributes,
  { shared_runners_setting: after }: Partial<GroupAttributes>,
): boolean {
  const forbidden = 'disabled_and_unoverridable';
  const isChanged = after !== undefined && after !== before.shared_runners_setting;
  return isChanged && before.shared_runners_setting === forbidden;
}

/** The columns that an update can change, in addition to the attributes. */
type GroupColumns = Pick<Group, 'name' | 'path' | 'description' | 'visibility'>;
/** The path and visibility of a parent group. */
type ParentOfGroup = FullPath & Pick<Group, 'visibility'>;

/** Returns the path and visibility of the parent group. index: namespaces primary key */
async function loadParent(db: Reader, id: number): Promise<ParentOfGroup> {
  const { visibility } = await db
    .selectFrom('namespaces')
    .select('visibility')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...(await getNamespacePath(db, id)), visibility };
}

/** A group with its new values. */
interface GroupChange {
  readonly group: Group;
  readonly parent: ParentOfGroup | null;
  readonly fullPath: FullPath;
  readonly after: GroupColumns;
}

/** Returns errors of changed columns; unchanged values are not checked again. */
async function validateColumns(uow: UnitOfWork, change: GroupChange): Promise<FieldErrors> {
  const { group, parent, fullPath, after } = change;
  const path = after.path === group.path ? [] : validateGroupPath(after.path, { topLevel: parent === null });
  return {
    name: after.name === group.name ? [] : validateName(after.name),
    path: path.length > 0 ? path : await validateFullPath(uow, fullPath, group.id),
    visibility_level: after.visibility === group.visibility ? [] : await validateVisibility(uow, change),
  };
}

async function validateVisibility(
  uow: UnitOfWork,
  { group, parent, after: { visibility } }: GroupChange,
): Promise<string[]> {
  return [
    ...validateParentVisibility(parent, visibility),
    ...(await validateDescendantVisibility(uow, group.id, visibility)),
    ...validateAllowedVisibility(uow.actor, visibility, await loadSettings(uow)),
  ];
}
