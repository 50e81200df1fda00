import type { Reader } from '../database/database.ts';
import { type Caller, NOBODY } from '../identity/caller.ts';
import { readUser } from '../identity/users.ts';

/** In whose name it is done what nobody asks for at this moment; nobody's, when he is gone. */
export async function actorOf(db: Reader, userId: number | null): Promise<Caller> {
  const user = userId === null ? null : await readUser(db, userId);
  return user === null ? NOBODY : { ...NOBODY, user };
}
