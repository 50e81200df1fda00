import type { Project } from '../../../access/projects.ts';
import { type Refused, refused } from '../../../refused.ts';

interface Sent {
  readonly epic_id?: number | null | undefined;
  readonly epic_iid?: number | null | undefined;
}

/** No epic is known whose issue it could become; in personal projects nobody asks. */
export function epicRefusal({ namespace_kind }: Project, { epic_id, epic_iid }: Sent): Refused<'noEpic'> | undefined {
  return namespace_kind === 'group' && (epic_id || epic_iid) ? refused('noEpic') : undefined;
}
