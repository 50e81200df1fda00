import type { KeyObject } from 'node:crypto';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { findSite, updateSiteRow } from './store.ts';

/** Credentials of a secondary (contract/operations.md §3.3). The API returns the secret only once. */
export interface SiteCredentials {
  readonly access_key: string;
  readonly secret_access_key: string;
}

/** Issues new credentials for a secondary and invalidates the previous ones. Fails with `isPrimary` or `notFound`. */
export async function issueCredentials(
  uow: UnitOfWork,
  key: KeyObject,
  siteId: number,
): Promise<SiteCredentials | Failure<'isPrimary' | 'notFound'>> {
  const site = await findSite(uow, siteId);
  if (site === null) return fail('notFound');
  if (site.is_primary) return fail('isPrimary');
  const credentials = { access_key: generateToken('', 20), secret_access_key: generateToken('', 40) };
  await updateSiteRow(uow, siteId, {
    access_key_digest: hashToken(credentials.access_key),
    secret_access_key: encrypt(
      key,
      credentials.secret_access_key,
      ENCRYPTED_COLUMNS.siteSecret.buildContext({ id: siteId }),
    ),
  });
  return credentials;
}
