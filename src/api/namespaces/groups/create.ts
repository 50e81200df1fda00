import type { SignedInCaller } from '#authentication/caller.ts';
import { narrower, restrictedErrors, type Visibility } from '#authorization/visibility-levels.ts';
import type { Reader } from '#database/database.ts';
import { addMembership, groupSource } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { changeGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { groupPathProblems, nameProblems } from '#domain/namespaces/name-validation.ts';
import { insertNamespace } from '#domain/namespaces/namespaces.ts';
import { childOf, type Place } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { errorsInText, type Failure, type FieldErrors, fail, fieldErrors, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordCreated } from './activity.ts';
import { attributeChanges, attributeErrors } from './attributes.ts';
import type { GroupWish } from './parameters.ts';
import { mayHaveGroupsIn, namedParent } from './parent.ts';
import { placeProblems, TAKEN } from './path-validation.ts';
import { type GroupRow, readGroupRow } from './store.ts';
import { tooVisibleFor } from './visibility.ts';

interface NewGroup extends GroupWish {
  readonly name: string;
  readonly path: string;
  /** null: at the top level. */
  readonly parent_id?: number | null | undefined;
}

/**
 * A group at the top level, or below another, whose Owner is who made it (contract/planning.md §3.1); a token's bot has
 * its role there from above. `storages`: the names of those that are configured.
 */
export async function createGroup(
  uow: UnitOfWork<SignedInCaller>,
  wish: NewGroup,
  storages: readonly string[],
): Promise<GroupRow | Failure<'groupNotFound' | 'forbidden' | 'notSaved'>> {
  const parent = await namedParent(uow, wish.parent_id);
  if (isFailure(parent)) return parent;
  if (!(await mayHaveGroupsIn(uow, parent))) return fail('forbidden');
  const place = childOf(parent, wish.path, wish.name);
  const visibility = wish.visibility ?? (await usualVisibility(uow, parent));
  const attributes = attributeChanges(wish, uow, parent === null);
  const settings = await readSettings(uow);
  const problems = fieldErrors({
    ...(await placeErrors(uow, wish, parent, place)),
    visibility_level: [...tooVisibleFor(parent, visibility), ...restrictedErrors(uow.actor, visibility, settings)],
    ...attributeErrors(wish, attributes),
  });
  if (problems !== null) return notSaved(problems);
  const id = await insertNamespace(
    uow,
    {
      kind: 'group',
      owner_id: null,
      parent_id: parent?.id ?? null,
      path: wish.path,
      name: wish.name,
      description: wish.description ?? '',
      visibility,
      attributes: changeGroupAttributes('{}', attributes),
      storage: chooseStorage(storages, settings.repository_storages_weighted),
    },
    place,
  );
  const userId = uow.actor.user.id;
  await addMembership(uow, groupSource(id), { userId, accessLevel: OWNER, createdById: userId });
  await recordCreated(uow, { id, full_path: place.full_path });
  return readGroupRow(uow, id);
}

async function usualVisibility(db: Reader, parent: Group | null): Promise<Visibility> {
  const { default_group_visibility: usual } = await readSettings(db);
  return parent === null ? usual : narrower(usual, parent.visibility);
}

async function placeErrors(
  db: Reader,
  { name, path }: NewGroup,
  parent: Group | null,
  place: Place,
): Promise<FieldErrors> {
  const problems = groupPathProblems(path, { topLevel: parent === null });
  return { name: nameProblems(name), path: problems.length > 0 ? problems : await placeProblems(db, place) };
}

/** This one call's errors are a text, in the notation that its clients know. */
function notSaved(errors: FieldErrors): Failure<'notSaved'> {
  return fail('notSaved', { errors: errorsInText(errors) });
}

/** Somebody else has got the path meanwhile. */
export const PATH_NOT_SAVED = notSaved({ path: TAKEN });
