import type { Reader } from '#database/database.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import { type AccessDescriber, type AccessPrincipal, loadAccessDescriber } from '../access-level-descriptions.ts';

/** Descriptions of access levels of protected environments (contract/environments.md Part 2). */

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [REPORTER]: 'Reporters + Developers + Maintainers',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Administrators',
};

/** Returns a function that describes these access levels. */
export function loadEnvironmentAccessDescriber(
  db: Reader,
  principals: readonly AccessPrincipal[],
): Promise<AccessDescriber> {
  return loadAccessDescriber(ROLE_TEXTS, db, principals);
}
