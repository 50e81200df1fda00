import { type PasswordOwner, passwordProblems } from '#authentication/users/password-rules.ts';
import type { Reader } from '#database/database.ts';
import { hashPassword } from '#security/passwords.ts';
import { readSettings } from '#settings/settings.ts';

/** A password as it is kept, or what is wrong with it: that is told together with the other fields. */
export interface ChosenPassword {
  readonly hash: string | null;
  readonly problems: readonly string[];
}

/** Hashes a password before the act that sets it: it takes longer than a transaction may. */
export async function choosePassword(db: Reader, password: string, owner: PasswordOwner): Promise<ChosenPassword> {
  const { minimum_password_length } = await readSettings(db);
  const problems = passwordProblems(password, owner, minimum_password_length);
  return { hash: problems.length > 0 ? null : await hashPassword(password), problems };
}
