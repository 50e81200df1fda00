import { profileOf, type SourceUser, type Users, userHere } from '../bulk-import-relations/index.ts';
import { CallFailed, ComeBack } from './interruptions.ts';
import type { Running } from './running-entity.ts';
import { ask } from './source-calls.ts';
import { keepUser, knownUsers, type TrackerRow } from './store.ts';

/** Who the users of a source are here: each is asked for once in an import (contract/operations.md §1.4 "Users"). */
export async function usersOf(
  running: Running,
  tracker: TrackerRow,
  people: readonly (SourceUser | null | undefined)[],
): Promise<Users> {
  const { database } = running.services;
  const importId = running.entity.bulk_import_id;
  const named = new Map(people.flatMap((user) => (user == null ? [] : [[user.id, user] as const])));
  const known = new Map(await knownUsers(database.forRequest().reader, importId, [...named.keys()]));
  for (const [id, user] of named) {
    if (known.has(id)) continue;
    const profile = profileOf(await askFor(running, tracker, id), user);
    const local = await userHere(database.forRequest().reader, profile);
    await database.transaction((tx) => keepUser(tx, importId, id, local));
    known.set(id, local);
    // A page may name a hundred thousand.
    if (running.now() > running.until) throw new ComeBack(running.now());
  }
  return { of: (user) => (user == null ? null : (known.get(user.id) ?? null)) };
}

/** What the source answers of a user; null when it says nothing. */
async function askFor(running: Running, tracker: TrackerRow, id: number): Promise<unknown> {
  if (id <= 0) return null;
  try {
    return (await ask(running, tracker, `/users/${id}`)).value;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return null;
  }
}
