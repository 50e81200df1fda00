import { openness, restrictedErrors } from '#authorization/visibility-levels.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { changeGroupAttributes, type GroupAttributes, groupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { groupPathProblems, nameProblems } from '#domain/namespaces/name-validation.ts';
import { childOf, type Place, placeOfNamespace } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordChanges } from './activity.ts';
import { attributeChanges, attributeErrors } from './attributes.ts';
import type { GroupWish } from './parameters.ts';
import { moveGroup, placeProblems } from './path-validation.ts';
import { type GroupRow, groupNow, readGroupRow } from './store.ts';
import { tooVisibleBelow, tooVisibleFor } from './visibility.ts';

/** What a caller sends; absent and null ones stay as they are. */
interface GroupChanges extends GroupWish {
  readonly name?: string | null | undefined;
  readonly path?: string | null | undefined;
}

/** Changes a group; another name or path changes the full path of everything below it at once. */
export async function updateGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
  changes: GroupChanges,
): Promise<GroupRow | Failure<'invalid' | 'gone'>> {
  const group = await groupNow(uow, id);
  if (group === null) return fail('gone');
  const next: Columns = {
    name: changes.name ?? group.name,
    path: changes.path ?? group.path,
    description: changes.description === undefined ? group.description : (changes.description ?? ''),
    visibility: changes.visibility ?? group.visibility,
  };
  const parent = group.parent_id === null ? null : await readParent(uow, group.parent_id);
  const place = childOf(parent, next.path, next.name);
  const attributes = attributeChanges(changes, uow, parent === null);
  const errors = fieldErrors({
    ...(await problemsWith(uow, { group, parent, place, next })),
    ...attributeErrors(changes, attributes),
  });
  if (errors !== null) return invalid(errors);
  await uow
    .updateTable('namespaces')
    .set({
      ...next,
      name_key: foldCase(next.name),
      attributes: changeGroupAttributes(group.attributes, attributes),
      updated_at: uow.now,
    })
    .where('id', '=', id)
    .execute();
  if (letsRunnersIn(groupAttributes(group.attributes), attributes))
    await uow.publish('runners-let-in', { type: 'group', id });
  if (openness(next.visibility) < openness(group.visibility))
    await uow.publish('sight-narrowed', { type: 'group', id });
  if (next.name !== group.name || next.path !== group.path) await moveGroup(uow, id, place);
  await recordChanges(uow, { id, full_path: place.full_path }, group, next);
  return readGroupRow(uow, id);
}

/** May projects below take the runners of the instance, which they might not before? */
function letsRunnersIn(was: GroupAttributes, { shared_runners_setting: next }: Partial<GroupAttributes>): boolean {
  const forbids = 'disabled_and_unoverridable';
  return was.shared_runners_setting === forbids && (next ?? forbids) !== forbids;
}

type Columns = Pick<Group, 'name' | 'path' | 'description' | 'visibility'>;
type Parent = Place & Pick<Group, 'visibility'>;

/** index: namespaces primary key */
async function readParent(db: Reader, id: number): Promise<Parent> {
  const { visibility } = await db
    .selectFrom('namespaces')
    .select('visibility')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...(await placeOfNamespace(db, id)), visibility };
}

interface Change {
  readonly group: Group;
  readonly parent: Parent | null;
  readonly place: Place;
  readonly next: Columns;
}

/** What was fine before and stays as it is, is not asked again. */
async function problemsWith(uow: UnitOfWork, change: Change): Promise<FieldErrors> {
  const { group, parent, place, next } = change;
  const path = next.path === group.path ? [] : groupPathProblems(next.path, { topLevel: parent === null });
  return {
    name: next.name === group.name ? [] : nameProblems(next.name),
    path: path.length > 0 ? path : await placeProblems(uow, place, group.id),
    visibility_level: next.visibility === group.visibility ? [] : await visibilityProblems(uow, change),
  };
}

async function visibilityProblems(uow: UnitOfWork, { group, parent, next: { visibility } }: Change): Promise<string[]> {
  return [
    ...tooVisibleFor(parent, visibility),
    ...(await tooVisibleBelow(uow, group.id, visibility)),
    ...restrictedErrors(uow.actor, visibility, await readSettings(uow)),
  ];
}
