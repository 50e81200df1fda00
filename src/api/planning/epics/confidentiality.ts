import type { Epic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import { hasOpenChildren } from './parents.ts';
import { hasOpenIssues } from './store.ts';

/** What is in a confidential epic is confidential too, epics and issues. */

const CONTAINS = 'Cannot make the epic confidential if it contains non-confidential';
const OPEN_BELOW_CONFIDENTIAL = 'A non-confidential epic cannot be assigned to a confidential parent epic';

interface Wished {
  readonly confidential: boolean;
  /** What it shall be below. */
  readonly parent: Pick<Epic, 'confidential'> | null;
}

/** What is wrong with what an epic would be; `before` is null for one that is not there yet. */
export async function confidentialErrors(
  db: Reader,
  before: Pick<Epic, 'id' | 'confidential'> | null,
  { confidential, parent }: Wished,
): Promise<string[]> {
  if (!confidential) return parent?.confidential ? [OPEN_BELOW_CONFIDENTIAL] : [];
  if (before === null || before.confidential) return [];
  return [
    ...((await hasOpenIssues(db, before.id)) ? [`${CONTAINS} issues`] : []),
    ...((await hasOpenChildren(db, before.id)) ? [`${CONTAINS} child epics`] : []),
  ];
}
