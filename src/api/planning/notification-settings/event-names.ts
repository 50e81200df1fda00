import type { Tier } from '#config.ts';
import type { SourceType } from '#database/tables/domain.ts';
import { EMAIL_EVENTS, type EmailEvent } from '#database/tables/notification-settings.ts';

/** The events that one may choose of a kind of source, on this tier: projects have no epics, groups no approvals. */
export function eventsOf(source: SourceType | 'everything', tier: Tier): EmailEvent[] {
  return EMAIL_EVENTS.filter((event) => {
    if (event === 'new_epic' && source === 'project') return false;
    if (event === 'approver' && source === 'group') return false;
    return tiersWith(event).includes(tier);
  });
}

/** The tiers that have what the event tells of. */
export function tiersWith(event: EmailEvent): readonly Tier[] {
  if (event === 'new_epic') return ['ultimate'];
  return event === 'approver' ? ['premium', 'ultimate'] : ['free', 'premium', 'ultimate'];
}

/** Told of unless something else is chosen. */
const ON_BY_DEFAULT: readonly EmailEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** Is whoever has set this told of the event, with the level `custom`? An event that is null, or not there, is at its default. */
export function isChosen(setting: { readonly [Event in EmailEvent]?: boolean | null }, event: EmailEvent): boolean {
  return setting[event] ?? ON_BY_DEFAULT.includes(event);
}
