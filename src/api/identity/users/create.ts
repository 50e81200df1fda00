import type { SignedInCaller } from '#authentication/caller.ts';
import { createUser as insertUser, type NewUser, type User, type UserFailure } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordUser } from './activity.ts';
import { type ChosenPassword, choosePassword } from './choose-password.ts';

/** What an administrator says of a new user. */
export interface UserWish extends Pick<NewUser, 'username' | 'name' | 'email' | 'confirmed' | 'identity' | 'details'> {
  /** null: one that nobody knows. */
  readonly password: string | null;
}

/** The password of a new user, for `createUser`. */
export async function firstPassword(db: Reader, wish: UserWish): Promise<ChosenPassword> {
  return wish.password === null ? { hash: null, problems: [] } : choosePassword(db, wish.password, wish);
}

/** Creates a user with its personal namespace. What is not said has the instance's defaults. */
export async function createUser(
  uow: UnitOfWork<SignedInCaller>,
  { username, name, email, confirmed, identity, details }: UserWish,
  password: ChosenPassword,
): Promise<User | Failure<UserFailure>> {
  const settings = await readSettings(uow);
  const created = await insertUser(uow, {
    username,
    name,
    email,
    confirmed,
    identity,
    passwordHash: password.hash,
    passwordProblems: password.problems,
    createdById: uow.actor.user.id,
    details: {
      projects_limit: settings.default_projects_limit,
      can_create_group: settings.can_create_group,
      external: settings.user_default_external,
      private_profile: settings.user_defaults_to_private_profile,
      ...details,
    },
  });
  if (isFailure(created)) return created;
  await createPersonalNamespace(uow, created);
  const message = `User ${created.username} created`;
  await recordUser(uow, created, { name: 'user_created', called: created.username, message });
  return created;
}
