import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';

/** In whose name it is done what nobody asks for at this moment; nobody's, when he is gone. */
export async function actorOf(db: Reader, userId: number | null): Promise<Caller> {
  const user = userId === null ? null : await readUser(db, userId);
  return user === null ? ANONYMOUS : { ...ANONYMOUS, user };
}
