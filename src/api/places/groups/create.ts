import { mayCreateSubgroupIn } from '../../../access/creation.ts';
import { changeGroupAttributes, type GroupAttributes } from '../../../access/group-attributes.ts';
import { findGroup, type Group } from '../../../access/groups.ts';
import { addMembership } from '../../../access/memberships.ts';
import { groupPathProblems, nameProblems } from '../../../access/names.ts';
import { insertNamespace } from '../../../access/namespaces.ts';
import { OWNER } from '../../../access/roles.ts';
import { childOf, isPathTaken, type Place } from '../../../access/routes.ts';
import { narrower, type Visibility } from '../../../access/visibility.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import { isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { fieldErrors, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { branchErrors } from '../projects/index.ts';
import { auditedGroup, type Surroundings } from './audited.ts';
import { placeProblems } from './places.ts';
import { restrictedTo, tooVisibleFor } from './visibility.ts';

export interface NewGroup {
  readonly name: string;
  readonly path: string;
  readonly description?: string | null | undefined;
  readonly visibility?: Visibility | null | undefined;
  readonly attributes: Partial<GroupAttributes>;
}

type Refusal = 'forbidden' | 'notSaved';

/**
 * A group at the top level, or below `parent`, whose Owner is who made it (contract/planning.md §3.1); a token's bot has
 * its role there from above. Top-level groups are for users who may create groups, subgroups for those whom the parent's
 * settings let. Gives its id.
 */
export async function createGroup(
  { database, ...surroundings }: Surroundings & { readonly database: Database },
  caller: SignedIn,
  parent: Group | null,
  wish: NewGroup,
): Promise<number | Refused<Refusal>> {
  try {
    return await database.transaction((tx) => create(tx, surroundings, caller, parent, wish));
  } catch (error) {
    if (isPathTaken(error)) return notSaved({ path: ['has already been taken'] });
    throw error;
  }
}

async function create(
  tx: Transaction,
  surroundings: Surroundings,
  caller: SignedIn,
  seen: Group | null,
  wish: NewGroup,
): Promise<number | Refused<Refusal>> {
  const parent = seen === null ? null : await findGroup(tx, caller, String(seen.id));
  const allowed =
    parent === null ? seen === null && (await mayCreateGroups(tx, caller)) : mayCreateSubgroupIn(caller, parent);
  if (!allowed) return refused('forbidden');
  const { default_group_visibility: usual } = await readSettings(tx);
  const visibility = wish.visibility ?? (parent === null ? usual : narrower(usual, parent.visibility));
  const place = childOf(parent, wish.path, wish.name);
  const problems = await problemsWith(tx, caller, parent, place, { ...wish, visibility });
  if (problems !== null) return notSaved(problems);
  const id = await insertNamespace(
    tx,
    {
      kind: 'group',
      owner_id: null,
      parent_id: parent?.id ?? null,
      path: wish.path,
      name: wish.name,
      description: wish.description ?? '',
      visibility,
      attributes: changeGroupAttributes('{}', wish.attributes),
    },
    place,
  );
  await addMembership(
    tx,
    { type: 'group', id },
    { userId: caller.user.id, accessLevel: OWNER, createdById: caller.user.id },
  );
  await recordAudit(tx, caller, {
    ...auditedGroup({ id, full_path: place.full_path }, surroundings.config.tier),
    name: 'group_created',
    message: 'Added group',
  });
  return id;
}

/** May this user have groups at the top level? */
export async function mayCreateGroups(db: Reader, caller: SignedIn): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  return !caller.user.external && ((await readUser(db, caller.user.id))?.can_create_group ?? false);
}

type Wanted = NewGroup & { readonly visibility: Visibility };

async function problemsWith(tx: Transaction, caller: SignedIn, parent: Group | null, place: Place, wanted: Wanted) {
  const path = groupPathProblems(wanted.path, { topLevel: parent === null });
  return fieldErrors({
    name: nameProblems(wanted.name),
    path: path.length > 0 ? path : await placeProblems(tx, place),
    visibility_level: [
      ...tooVisibleFor(parent, wanted.visibility),
      ...(await restrictedTo(tx, caller, wanted.visibility)),
    ],
    ...branchErrors(wanted.attributes.default_branch),
  });
}

/** This one call's errors are a text, in the notation that its clients know. */
function notSaved(errors: Readonly<Record<string, readonly string[]>>): Refused<'notSaved'> {
  const quoted = Object.entries(errors).map(
    ([field, texts]) => `:${field}=>[${texts.map((text) => JSON.stringify(text)).join(', ')}]`,
  );
  return refused('notSaved', { errors: `{${quoted.join(', ')}}` });
}
