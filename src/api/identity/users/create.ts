import type { SignedInCaller } from '#authentication/caller.ts';
import {
  type CreateUserInput,
  createUser as insertUser,
  type User,
  type UserFailure,
} from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordUserEvent } from './activity.ts';
import { type PreparedPassword, preparePassword } from './choose-password.ts';

/** The input of an administrator for a new user. */
export interface NewUserInput
  extends Pick<CreateUserInput, 'username' | 'name' | 'email' | 'confirmed' | 'identity' | 'details'> {
  /** Password; null: a random password that nobody knows. */
  readonly password: string | null;
}

/** Prepares the password of a new user, for `createUser`. */
export async function prepareInitialPassword(db: Reader, input: NewUserInput): Promise<PreparedPassword> {
  return input.password === null ? { hash: null, problems: [] } : preparePassword(db, input.password, input);
}

/** Creates a user with a personal namespace. Omitted attributes have the defaults of the instance. */
export async function createUser(
  uow: UnitOfWork<SignedInCaller>,
  { username, name, email, confirmed, identity, details }: NewUserInput,
  password: PreparedPassword,
): Promise<User | Failure<UserFailure>> {
  const settings = await loadSettings(uow);
  const user = await insertUser(uow, {
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
  if (isFailure(user)) return user;
  await createPersonalNamespace(uow, user);
  const message = `User ${user.username} created`;
  await recordUserEvent(uow, user, { name: 'user_created', targetDetails: user.username, message });
  return user;
}
