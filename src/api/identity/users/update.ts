import { isPathTaken, moveNamespaceRoutes } from '../../../access/routes.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { FactBus } from '../../../facts/bus.ts';
import { type AuditEventName, changed, recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { passwordProblems } from '../../../identity/new-passwords.ts';
import {
  updateUser as changeUser,
  readUser,
  type User,
  type UserChanges,
  type UserRefusal,
} from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { hashPassword } from '../../../secrets/passwords.ts';
import { readSettings } from '../../../settings/settings.ts';

/** What an administrator wants changed; undefined stays. */
export interface UserUpdate extends Pick<UserChanges, 'username' | 'name' | 'email' | 'identity' | 'details'> {
  readonly password?: string | undefined;
}

export interface UpdateRooms {
  readonly database: Database;
  readonly facts: FactBus;
}

type UpdateRefusal = UserRefusal | 'notFound' | 'internalUser' | 'path_taken';

/** Changes a user, moves its personal namespace with its name, and tells the history. */
export async function updateUser(
  rooms: UpdateRooms,
  id: number,
  update: UserUpdate,
  caller: SignedIn,
): Promise<User | Refused<UpdateRefusal>> {
  const { database, facts } = rooms;
  const password = await newPassword(database, id, update, caller);
  const changes: UserChanges = { ...update, ...password };
  return database.transaction(async (tx) => {
    const user = await readUser(tx, id);
    if (user === null) return refused('notFound');
    if (user.internal) return refused('internalUser');
    const updated = await changeUser(tx, user, changes);
    if (isRefused(updated)) return updated;
    const moved = await moveNamespace(tx, facts, user, updated);
    if (isRefused(moved)) return moved;
    await recordChanges(tx, caller, user, updated, changes.password !== undefined);
    return updated;
  });
}

/** Hashed before the transaction: it takes longer than a transaction may. One that another sets has to be renewed. */
async function newPassword(database: Database, id: number, { password, ...update }: UserUpdate, caller: SignedIn) {
  if (password === undefined) return { password: undefined };
  const user = await readUser(database.reader, id);
  if (user === null) return { password: undefined };
  const { minimum_password_length } = await readSettings(database.reader);
  const owner = {
    name: update.name ?? user.name,
    username: update.username ?? user.username,
    email: update.email?.address ?? user.email,
  };
  const problems = passwordProblems(password, owner, minimum_password_length);
  if (problems.length > 0) return { password: undefined, passwordProblems: problems };
  return { password: { hash: await hashPassword(password), expired: caller.user.id !== id } };
}

async function moveNamespace(tx: Transaction, facts: FactBus, before: User, after: User) {
  if (before.username === after.username && before.name === after.name) return null;
  // index: namespaces_by_owner
  const namespace = await tx.selectFrom('namespaces').select('id').where('owner_id', '=', after.id).executeTakeFirst();
  if (namespace === undefined) return null;
  const { username: path, name } = after;
  await tx
    .updateTable('namespaces')
    .set({ path, name, name_key: foldCase(name), updated_at: tx.now })
    .where('id', '=', namespace.id)
    .execute();
  try {
    const moved = await moveNamespaceRoutes(tx, namespace.id, { full_path: path, full_name: name });
    for (const { project_id: projectId, old_path } of moved) {
      await facts.publish(tx, 'project-moved', { projectId, oldPaths: [old_path] });
    }
  } catch (error) {
    if (isPathTaken(error)) return refused('path_taken');
    throw error;
  }
  return null;
}

async function recordChanges(tx: Transaction, caller: SignedIn, before: User, after: User, password: boolean) {
  const record = (name: AuditEventName, told: ReturnType<typeof changed>) =>
    recordAudit(tx, caller, {
      name,
      entity: { type: 'User', id: after.id, path: after.username },
      target: { type: 'User', id: after.id, details: after.name },
      ...told,
    });
  if (before.email !== after.email) {
    await record('user_email_address_updated', changed('email address', before.email, after.email));
  }
  if (before.username !== after.username) {
    await record('user_username_updated', changed('username', before.username, after.username));
  }
  if (before.name !== after.name) await record('user_name_updated', changed('name', before.name, after.name));
  if (before.admin !== after.admin) {
    await record('user_admin_status_updated', changed('admin status', before.admin, after.admin));
  }
  if (password) await record('user_password_updated', changed('password'));
}
