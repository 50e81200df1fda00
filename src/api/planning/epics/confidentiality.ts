import type { Epic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import { hasPublicChildren } from './parents.ts';
import { hasPublicIssues } from './store.ts';

/** Child epics and issues of a confidential epic must be confidential. */

const CONTAINS_PUBLIC = 'Cannot make the epic confidential if it contains non-confidential';
const PUBLIC_BELOW_CONFIDENTIAL = 'A non-confidential epic cannot be assigned to a confidential parent epic';

interface RequestedConfidentiality {
  readonly confidential: boolean;
  /** The parent epic after the change. */
  readonly parent: Pick<Epic, 'confidential'> | null;
}

/** Returns the validation errors of the confidentiality after the change; `before` is null for a new epic. */
export async function validateConfidentiality(
  db: Reader,
  before: Pick<Epic, 'id' | 'confidential'> | null,
  { confidential, parent }: RequestedConfidentiality,
): Promise<string[]> {
  if (!confidential) return parent?.confidential ? [PUBLIC_BELOW_CONFIDENTIAL] : [];
  if (before === null || before.confidential) return [];
  return [
    ...((await hasPublicIssues(db, before.id)) ? [`${CONTAINS_PUBLIC} issues`] : []),
    ...((await hasPublicChildren(db, before.id)) ? [`${CONTAINS_PUBLIC} child epics`] : []),
  ];
}
