import { type PasswordOwner, validatePassword } from '#authentication/users/password-rules.ts';
import type { Reader } from '#database/database.ts';
import { hashPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';

/** A hashed password, or its validation errors, which are reported together with the errors of other fields. */
export interface PreparedPassword {
  readonly hash: string | null;
  readonly problems: readonly string[];
}

/** Validates and hashes a password before the unit of work that stores it, because hashing takes longer than a transaction may. */
export async function preparePassword(db: Reader, password: string, owner: PasswordOwner): Promise<PreparedPassword> {
  const { minimum_password_length } = await loadSettings(db);
  const problems = validatePassword(password, owner, minimum_password_length);
  return { hash: problems.length > 0 ? null : await hashPassword(password), problems };
}
