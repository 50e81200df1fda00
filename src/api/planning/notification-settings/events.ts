import type { Tier } from '../../../config.ts';
import type { SourceType } from '../../../database/tables/access.ts';
import { EMAIL_EVENTS, type EmailEvent } from '../../../database/tables/notifications.ts';

/** The events that one may choose of a kind of source, on this tier: projects have no epics, groups no approvals. */
export function eventsOf(source: SourceType | 'everything', tier: Tier): EmailEvent[] {
  return EMAIL_EVENTS.filter((event) => {
    if (event === 'new_epic') return source !== 'project' && tier === 'ultimate';
    if (event === 'approver') return source !== 'group' && tier !== 'free';
    return true;
  });
}
