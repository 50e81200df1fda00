import {
  findLocalUserId,
  parseSourceProfile,
  type SourceUser,
  type UserMapping,
} from '../bulk-import-relations/index.ts';
import { CallFailed, ResumeLater } from './interruptions.ts';
import type { EntityRun } from './running-entity.ts';
import { callSource } from './source-calls.ts';
import { findMappedUsers, insertMappedUser, type TrackerRow } from './store.ts';

/** Maps users of the source to local users. Each profile is fetched once per import (contract/operations.md §1.4 "Users"). */
export async function mapSourceUsers(
  run: EntityRun,
  tracker: TrackerRow,
  users: readonly (SourceUser | null | undefined)[],
): Promise<UserMapping> {
  const { database } = run.services;
  const importId = run.entity.bulk_import_id;
  const usersById = new Map(users.flatMap((user) => (user == null ? [] : [[user.id, user] as const])));
  const localIdsBySourceId = new Map(
    await findMappedUsers(database.forRequest().reader, importId, [...usersById.keys()]),
  );
  for (const [id, user] of usersById) {
    if (localIdsBySourceId.has(id)) continue;
    const profile = parseSourceProfile(await fetchProfile(run, tracker, id), user);
    const localId = await findLocalUserId(database.forRequest().reader, profile);
    await database.transaction((tx) => insertMappedUser(tx, importId, id, localId));
    localIdsBySourceId.set(id, localId);
    // A page may refer to 100,000 users, so the run yields after its deadline.
    if (run.now() > run.deadline) throw new ResumeLater(run.now());
  }
  return { getLocalUserId: (user) => (user == null ? null : (localIdsBySourceId.get(user.id) ?? null)) };
}

/** Fetches the profile of a user from the source; null if the call fails. */
async function fetchProfile(run: EntityRun, tracker: TrackerRow, id: number): Promise<unknown> {
  // No user has such an id: the source sent invalid data.
  if (id <= 0) return null;
  try {
    return (await callSource(run, tracker, `/users/${id}`)).json;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return null;
  }
}
