import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';

/** Returns the user as the actor of a background change; `ANONYMOUS` if the id is null or the user was deleted. */
export async function loadActor(db: Reader, userId: number | null): Promise<Caller> {
  const user = userId === null ? null : await findUserById(db, userId);
  return user === null ? ANONYMOUS : { ...ANONYMOUS, user };
}
