import type { Tier } from '#config.ts';
import { EMAIL_EVENTS, type EmailEvent, type SourceType } from '#database/schema.ts';

/** Returns the events that exist for this kind of source and tier: projects have no epics, groups no approvals. */
export function listAvailableEvents(source: SourceType | 'everything', tier: Tier): EmailEvent[] {
  return EMAIL_EVENTS.filter((event) => {
    if (event === 'new_epic' && source === 'project') return false;
    if (event === 'approver' && source === 'group') return false;
    return getTiersOfEvent(event).includes(tier);
  });
}

/** Returns the tiers that have the feature of the event. */
export function getTiersOfEvent(event: EmailEvent): readonly Tier[] {
  if (event === 'new_epic') return ['ultimate'];
  return event === 'approver' ? ['premium', 'ultimate'] : ['free', 'premium', 'ultimate'];
}

/** Events that are enabled by default. */
const DEFAULT_ENABLED_EVENTS: readonly EmailEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** Returns whether the event is enabled at the level `custom`. A null or missing value means the default. */
export function isEventEnabled(
  setting: { readonly [Event in EmailEvent]?: boolean | null },
  event: EmailEvent,
): boolean {
  return setting[event] ?? DEFAULT_ENABLED_EVENTS.includes(event);
}
