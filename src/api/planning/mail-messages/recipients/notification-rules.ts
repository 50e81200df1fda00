import { isEventEnabled, type UserNotificationSetting } from '#api/planning/notification-settings/index.ts';
import type { AlertMailEvent, EmailEvent, MailEvent, MailReason } from '#database/schema.ts';

// Rules that decide who gets a mail (contract/activity.md Part 5 "Who gets a mail"), as pure functions.

/** The involvement of a candidate in the subject. */
export type Involvement = 'participating' | 'mention' | 'watch' | 'custom' | 'subscription';

/** A user who may get a mail about an event. */
export interface NotificationCandidate {
  readonly involvements: ReadonlySet<Involvement>;
  /** Applicable settings, nearest first, the global one last; may be empty. */
  readonly settings: readonly UserNotificationSetting[];
  /** Whether they are active, not a bot, and have a confirmed address. */
  readonly isReachable: boolean;
  /** Whether they may read the subject now. */
  readonly mayRead: boolean;
  /** Whether they caused the event. */
  readonly isActor: boolean;
  /** Whether they unsubscribed from the noteable. */
  readonly isUnsubscribed: boolean;
  /** All reasons that apply. */
  readonly reasons: ReadonlySet<MailReason>;
}

interface RuleContext {
  readonly event: MailEvent;
  /** Whether mails are disabled for the project or an ancestor group. */
  readonly mailsDisabled: boolean;
}

/** The first rule that excludes a candidate. */
export type DropReason = 'unreachable' | 'unreadable' | 'mailsDisabled' | 'actor' | 'unsubscribed' | 'level';

/** No mail, or a mail with its reason; null means the notification settings. */
type NotificationDecision = { readonly dropReason: DropReason } | { readonly reason: MailReason | null };

/** Returns the first rule that excludes the candidate, or else the reason for the mail; null means the notification settings. */
export function decideNotification(
  { event, mailsDisabled }: RuleContext,
  candidate: NotificationCandidate,
): NotificationDecision {
  if (!candidate.isReachable) return { dropReason: 'unreachable' };
  if (!candidate.mayRead) return { dropReason: 'unreadable' };
  if (mailsDisabled) return { dropReason: 'mailsDisabled' };
  if (candidate.isActor && !ACTORLESS_EVENTS.includes(event)) return { dropReason: 'actor' };
  if (candidate.isUnsubscribed && !candidate.involvements.has('mention')) return { dropReason: 'unsubscribed' };
  if (!isNotificationEnabled(findEffectiveSetting(candidate.settings), event, candidate.involvements))
    return { dropReason: 'level' };
  return { reason: REASONS_BY_PRIORITY.find((reason) => candidate.reasons.has(reason)) ?? null };
}

/** Events without an actor: a due date, the end of a pipeline. */
const ACTORLESS_EVENTS: readonly MailEvent[] = ['issue_due', 'failed_pipeline', 'fixed_pipeline', 'success_pipeline'];

const REASONS_BY_PRIORITY: readonly MailReason[] = ['assigned', 'review_requested', 'mentioned', 'subscribed'];

/** Returns the nearest setting whose level is not `global`; the default is `participating`. */
export function findEffectiveSetting(settings: readonly UserNotificationSetting[]): UserNotificationSetting {
  return settings.find(({ level }) => level !== 'global') ?? { level: 'participating' };
}

/** Events for which the level `participating` requires no involvement. */
const ALWAYS_FOR_PARTICIPANTS: readonly EmailEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** Events that the level `watch` excludes. */
const NOT_FOR_WATCHERS: readonly EmailEvent[] = ['push_to_merge_request', 'issue_due', 'success_pipeline', 'approver'];

const isAlertEvent = (event: MailEvent): event is AlertMailEvent =>
  event === 'alert_triggered' || event === 'alert_resolved';

function isNotificationEnabled(
  setting: UserNotificationSetting,
  event: MailEvent,
  involvements: ReadonlySet<Involvement>,
): boolean {
  // Recipients of alerts are chosen by the project, not by their level.
  if (isAlertEvent(event)) return setting.level !== 'disabled';
  const hasInvolvement = (...involvementsToMatch: Involvement[]) =>
    involvementsToMatch.some((involvement) => involvements.has(involvement));
  const isInvolved = hasInvolvement('participating', 'mention', 'subscription');
  switch (setting.level) {
    // An explicit subscription overrides this level.
    case 'disabled':
      return hasInvolvement('subscription');
    case 'mention':
      return hasInvolvement('mention', 'subscription');
    case 'custom':
      return isInvolved || isEventChosen(setting, event);
    case 'watch':
      return !NOT_FOR_WATCHERS.includes(event);
    default:
      return isInvolved || ALWAYS_FOR_PARTICIPANTS.includes(event);
  }
}

/** Returns whether the setting includes the event. Mails of successful pipelines include those of fixed ones. */
const isEventChosen = (setting: UserNotificationSetting, event: EmailEvent) =>
  isEventEnabled(setting, event) || (event === 'fixed_pipeline' && isEventEnabled(setting, 'success_pipeline'));
