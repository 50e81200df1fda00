import { VISIBILITY_NAMES, type Visibility } from '../../../access/visibility.ts';
import type { Tier } from '../../../config.ts';
import type { Transaction } from '../../../database/database.ts';
import { type AuditEvent, changed, recordAudit } from '../../../history/index.ts';
import type { Caller } from '../../../identity/caller.ts';

/** The audit events of a project's own life (contract/activity.md Part 3). */

interface Audited {
  readonly id: number;
  readonly full_path: string;
}

type Recorded = Pick<AuditEvent, 'name' | 'message' | 'details'> & { readonly shown?: string };

export async function auditProject(
  tx: Transaction,
  { caller, tier }: { readonly caller: Caller; readonly tier: Tier },
  project: Audited,
  { shown, ...event }: Recorded,
): Promise<void> {
  const { id, full_path: path } = project;
  await recordAudit(tx, caller, {
    ...event,
    entity: { type: 'Project', id, path, tier },
    target: { type: 'Project', id, details: shown ?? path },
  });
}

/** What of a project is watched. */
export interface Watched {
  readonly name: string;
  readonly path: string;
  readonly description: string | null;
  readonly visibility: Visibility;
}

/** One event for each watched attribute that differs. */
export function changesOf(before: Watched, after: Watched): Recorded[] {
  const events: Recorded[] = [];
  if (before.name !== after.name)
    events.push({ name: 'project_name_updated', ...changed('name', before.name, after.name) });
  if (before.path !== after.path)
    events.push({ name: 'project_path_updated', ...changed('path', before.path, after.path) });
  if (before.description !== after.description) {
    events.push({
      name: 'project_description_updated',
      ...changed('description', before.description, after.description),
    });
  }
  if (before.visibility !== after.visibility) events.push(visibilityChange(before.visibility, after.visibility));
  return events;
}

export function visibilityChange(from: Visibility, to: Visibility): Recorded {
  return {
    name: 'project_visibility_level_updated',
    ...changed('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]),
  };
}
