import { recordAudit } from '#activity/index.ts';
import type { LockedAccount, PasswordCheckServices } from '#authentication/sessions/password-sign-in.ts';
import type { Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';

/**
 * Returns the dependencies of password checks. An account that becomes locked gets an audit event, without an author and
 * with the client's address (contract/activity.md Part 3).
 */
export function toPasswordCheckServices(
  { database, log, config }: Pick<Services, 'database' | 'log' | 'config'>,
  address: string,
): PasswordCheckServices {
  const actor = { user: null, token: null, address };
  const recordLock = (tx: Transaction, { id, username }: LockedAccount) =>
    recordAudit(
      tx,
      { actor, tier: config.tier },
      {
        name: 'user_access_locked',
        entity: { type: 'User', id, path: username },
        target: { type: 'User', id, details: username },
        message: 'User access locked',
      },
    );
  return { database, log, recordLock };
}
