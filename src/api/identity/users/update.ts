import { changed } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { isOnlyAdministrator } from '#authentication/users/administrators.ts';
import {
  changeableUser,
  updateUser as changeUser,
  readUser,
  type Unchangeable,
  type User,
  type UserChanges,
  type UserFailure,
} from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { moveNamespaceRoutes } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordUser } from './activity.ts';
import { type ChosenPassword, choosePassword } from './choose-password.ts';

/** What an administrator wants changed; undefined stays. */
export interface UserUpdate extends Pick<UserChanges, 'username' | 'name' | 'email' | 'identity' | 'details'> {
  readonly password?: string | undefined;
  /** As private or not as the instance's settings make a new one. */
  readonly usualPrivacy: boolean;
}

/** The password that the user is to have, for `updateUser`; null: as it is, or of nobody. */
export async function nextPassword(
  db: Reader,
  id: number,
  { password, name, username, email }: UserUpdate,
): Promise<ChosenPassword | null> {
  const user = password === undefined ? null : await readUser(db, id);
  if (password === undefined || user === null) return null;
  return choosePassword(db, password, {
    name: name ?? user.name,
    username: username ?? user.username,
    email: email?.address ?? user.email,
  });
}

/** Changes a user, moves its personal namespace with its name, and tells the history. */
export async function updateUser(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
  { password: _, usualPrivacy, ...wish }: UserUpdate,
  password: ChosenPassword | null,
): Promise<User | Failure<UserFailure | Unchangeable | 'onlyAdministrator'>> {
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  if (wish.details?.admin === false && (await isOnlyAdministrator(uow, user))) return fail('onlyAdministrator');
  const hash = password?.hash ?? null;
  // One that another sets has to be renewed.
  const renewed = hash === null ? undefined : { hash, expired: uow.actor.user.id !== id };
  const details = usualPrivacy ? { ...wish.details, private_profile: await usuallyPrivate(uow) } : wish.details;
  const changes = { ...wish, details, password: renewed, passwordProblems: password?.problems };
  const updated = await changeUser(uow, user, changes);
  if (isFailure(updated)) return updated;
  await moveNamespace(uow, user, updated);
  await recordChanges(uow, user, updated);
  if (renewed) {
    await recordUser(uow, updated, { name: 'user_password_updated', called: updated.name, ...changed('password') });
  }
  return updated;
}

async function usuallyPrivate(db: Reader): Promise<boolean> {
  return (await readSettings(db)).user_defaults_to_private_profile;
}

async function moveNamespace(uow: UnitOfWork, before: User, { id, username: path, name }: User): Promise<void> {
  if (before.username === path && before.name === name) return;
  // index: namespaces_by_owner
  const namespace = await uow
    .updateTable('namespaces')
    .set({ path, name, name_key: foldCase(name), updated_at: uow.now })
    .where('owner_id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (namespace === undefined) return;
  await moveNamespaceRoutes(uow, namespace.id, { full_path: path, full_name: name }, ({ project_id, old_path }) =>
    uow.publish('project-moved', { projectId: project_id, oldPaths: [old_path] }),
  );
}

/** What of a user is told of when it changes: the event, and how it calls the field. */
const TOLD = [
  ['email', 'user_email_address_updated', 'email address'],
  ['username', 'user_username_updated', 'username'],
  ['name', 'user_name_updated', 'name'],
  ['admin', 'user_admin_status_updated', 'admin status'],
] as const;

async function recordChanges(uow: UnitOfWork, before: User, after: User): Promise<void> {
  for (const [field, event, word] of TOLD) {
    if (before[field] !== after[field]) {
      const told = { name: event, called: after.name, ...changed(word, before[field], after[field]) };
      await recordUser(uow, after, told);
    }
  }
}
