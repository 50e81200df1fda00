import { createPersonalNamespace } from '../../../access/namespaces.ts';
import { isPathTaken } from '../../../access/routes.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { passwordProblems } from '../../../identity/new-passwords.ts';
import { createUser as insertUser, type NewUser, type User, type UserRefusal } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { hashPassword } from '../../../secrets/passwords.ts';
import { readSettings } from '../../../settings/settings.ts';

/** What an administrator says of a new user. */
export interface UserOrderForm
  extends Pick<NewUser, 'username' | 'name' | 'email' | 'confirmed' | 'identity' | 'details'> {
  /** null: one that nobody knows. */
  readonly password: string | null;
}

/** Creates a user with its personal namespace. What is not said has the instance's defaults. */
export async function createUser(
  database: Database,
  form: UserOrderForm,
  caller: SignedIn,
): Promise<User | Refused<UserRefusal | 'path_taken'>> {
  const settings = await readSettings(database.reader);
  const { password, details, ...rest } = form;
  const problems = password === null ? [] : passwordProblems(password, form, settings.minimum_password_length);
  const user: NewUser = {
    ...rest,
    passwordHash: password === null || problems.length > 0 ? null : await hashPassword(password),
    passwordProblems: problems,
    createdById: caller.user.id,
    details: {
      projects_limit: settings.default_projects_limit,
      can_create_group: settings.can_create_group,
      external: settings.user_default_external,
      private_profile: settings.user_defaults_to_private_profile,
      ...details,
    },
  };
  return database.transaction((tx) => createWithNamespace(tx, user, caller));
}

async function createWithNamespace(tx: Transaction, user: NewUser, caller: SignedIn) {
  const created = await insertUser(tx, user);
  if (isRefused(created)) return created;
  try {
    await createPersonalNamespace(tx, created);
  } catch (error) {
    if (isPathTaken(error)) return refused('path_taken');
    throw error;
  }
  const { id, username } = created;
  await recordAudit(tx, caller, {
    name: 'user_created',
    entity: { type: 'User', id, path: username },
    target: { type: 'User', id, details: username },
    message: `User ${username} created`,
  });
  return created;
}
