import type { Reader } from '#database/database.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import { type Admitted, type Describe, describingWith } from '../access-level-descriptions.ts';

/** What the elements of protected environments are called (contract/environments.md Part 2). */

const ROLE_TEXTS: Readonly<Record<number, string>> = {
  [REPORTER]: 'Reporters + Developers + Maintainers',
  [DEVELOPER]: 'Developers + Maintainers',
  [MAINTAINER]: 'Maintainers',
  [INSTANCE_ADMIN]: 'Administrators',
};

/** Knows the words for all of these elements. */
export function describing(db: Reader, principals: readonly Admitted[]): Promise<Describe> {
  return describingWith(ROLE_TEXTS, db, principals);
}
