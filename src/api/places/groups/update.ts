import { changeGroupAttributes, type GroupAttributes } from '../../../access/group-attributes.ts';
import { findGroup, type Group } from '../../../access/groups.ts';
import { groupPathProblems, nameProblems } from '../../../access/names.ts';
import { childOf, isPathTaken, type Place, placeOfNamespace } from '../../../access/routes.ts';
import type { Visibility } from '../../../access/visibility.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import { type AuditEvent, changed, recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { fieldErrors, type Refused, refused } from '../../../refused.ts';
import { branchErrors } from '../projects/index.ts';
import { auditedGroup, type Surroundings, visibilityChanged } from './audited.ts';
import { moveGroup, placeProblems } from './places.ts';
import { restrictedTo, tooVisibleBelow, tooVisibleFor } from './visibility.ts';

/** What a caller sends; absent and null ones stay as they are. */
export interface GroupChanges {
  readonly name?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
  readonly attributes: Partial<GroupAttributes>;
}

type Refusal = 'invalid' | 'gone';

/** Changes a group; another name or path changes the full path of everything below it at once. */
export async function updateGroup(
  { database, ...surroundings }: Surroundings & { readonly database: Database },
  caller: SignedIn,
  groupId: number,
  changes: GroupChanges,
): Promise<null | Refused<Refusal>> {
  try {
    return await database.transaction((tx) => update(tx, surroundings, caller, groupId, changes));
  } catch (error) {
    if (isPathTaken(error)) return refused('invalid', { errors: { path: ['has already been taken'] } });
    throw error;
  }
}

type Columns = Pick<Group, 'name' | 'path' | 'description' | 'visibility'>;

async function update(
  tx: Transaction,
  { config, facts }: Surroundings,
  caller: SignedIn,
  groupId: number,
  changes: GroupChanges,
): Promise<null | Refused<Refusal>> {
  const group = await findGroup(tx, caller, String(groupId));
  if (group === null) return refused('gone');
  const next: Columns = {
    name: changes.name ?? group.name,
    path: changes.path ?? group.path,
    description: changes.description === undefined ? group.description : (changes.description ?? ''),
    visibility: changes.visibility ?? group.visibility,
  };
  const parent = group.parent_id === null ? null : await readParent(tx, group.parent_id);
  const place = childOf(parent, next.path, next.name);
  const errors = await problemsWith(tx, caller, { group, parent, place, next, attributes: changes.attributes });
  if (errors !== null) return refused('invalid', { errors });
  const attributes = changeGroupAttributes(group.attributes, changes.attributes);
  const row = { ...next, name_key: foldCase(next.name), attributes, updated_at: tx.now };
  await tx.updateTable('namespaces').set(row).where('id', '=', group.id).execute();
  if (next.name !== group.name || next.path !== group.path) await moveGroup(tx, facts, group.id, place);
  for (const event of events(group, next)) {
    await recordAudit(tx, caller, {
      ...auditedGroup({ id: group.id, full_path: place.full_path }, config.tier),
      ...event,
    });
  }
  return null;
}

type Parent = Place & Pick<Group, 'visibility'>;

async function readParent(tx: Transaction, id: number): Promise<Parent> {
  const { visibility } = await tx
    .selectFrom('namespaces')
    .select('visibility')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...(await placeOfNamespace(tx, id)), visibility };
}

interface Change {
  readonly group: Group;
  readonly parent: Parent | null;
  readonly place: Place;
  readonly next: Columns;
  readonly attributes: GroupChanges['attributes'];
}

/** What was fine before and stays as it is, is not asked again. */
async function problemsWith(tx: Transaction, caller: SignedIn, { group, parent, place, next, attributes }: Change) {
  const path = next.path === group.path ? [] : groupPathProblems(next.path, { topLevel: parent === null });
  const visible =
    next.visibility === group.visibility
      ? []
      : [
          ...tooVisibleFor(parent, next.visibility),
          ...(await tooVisibleBelow(tx, group.id, next.visibility)),
          ...(await restrictedTo(tx, caller, next.visibility)),
        ];
  return fieldErrors({
    name: next.name === group.name ? [] : nameProblems(next.name),
    path: path.length > 0 ? path : await placeProblems(tx, place, group.id),
    visibility_level: visible,
    ...branchErrors(attributes.default_branch),
  });
}

function events(group: Group, next: Columns): Pick<AuditEvent, 'name' | 'message' | 'details'>[] {
  const all: (Pick<AuditEvent, 'name' | 'message' | 'details'> | false)[] = [
    next.name !== group.name && { name: 'group_name_updated', ...changed('name', group.name, next.name) },
    next.path !== group.path && { name: 'group_path_updated', ...changed('path', group.path, next.path) },
    next.visibility !== group.visibility && visibilityChanged(group.visibility, next.visibility),
    next.description !== group.description && {
      name: 'group_description_updated',
      ...changed('description', group.description, next.description),
    },
  ];
  return all.filter((event) => event !== false);
}
