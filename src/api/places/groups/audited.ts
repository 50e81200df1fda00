import { VISIBILITY_NAMES, type Visibility } from '../../../access/visibility.ts';
import type { Config, Tier } from '../../../config.ts';
import type { FactBus } from '../../../facts/bus.ts';
import { type AuditEvent, changed } from '../../../history/index.ts';

/** What changing a group needs besides the transaction. */
export interface Surroundings {
  readonly config: Pick<Config, 'tier'>;
  readonly facts: FactBus;
}

/** Entity and target of an audit event about a group (contract/activity.md Part 3). */
export function auditedGroup(
  { id, full_path }: { readonly id: number; readonly full_path: string },
  tier: Tier,
): Pick<AuditEvent, 'entity' | 'target'> {
  return {
    entity: { type: 'Group', id, path: full_path, tier },
    target: { type: 'Group', id, details: full_path },
  };
}

export function visibilityChanged(from: Visibility, to: Visibility): Pick<AuditEvent, 'name' | 'message' | 'details'> {
  const change = changed('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]);
  return { name: 'group_visibility_level_updated', ...change };
}
