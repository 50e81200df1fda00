import { isChosen, type Setting } from '#api/planning/notification-settings/index.ts';
import type { AlertMailEvent, MailEvent, MailReason } from '#database/tables/mail.ts';
import type { EmailEvent } from '#database/tables/notification-settings.ts';

/**
 * Who is told of what (contract/activity.md Part 5 "Who gets a mail"): what is known of a candidate, and what that makes
 * of it. Pure.
 */

/** As what somebody may be told. */
export type Involvement = 'participating' | 'mention' | 'watch' | 'custom' | 'subscription';

export interface Candidate {
  readonly involvements: ReadonlySet<Involvement>;
  /** Of those that may count the nearest one first, the one for everything last; some have chosen nothing. */
  readonly choices: readonly Setting[];
  /** Active, no bot, with a confirmed address. */
  readonly reachable: boolean;
  /** Sees now what it is about. */
  readonly mayRead: boolean;
  /** He did it himself. */
  readonly isActor: boolean;
  /** He has said that he wants to hear no more of it. */
  readonly unsubscribed: boolean;
  /** Why he may be told, of all that is true. */
  readonly reasons: ReadonlySet<MailReason>;
}

interface Told {
  readonly event: MailEvent;
  /** Mails are off for the project, or a group above it. */
  readonly mailsOff: boolean;
}

/** Why somebody hears nothing, by the first of the rules that says so. */
export type Dropped = 'unreachable' | 'unreadable' | 'mailsOff' | 'actor' | 'unsubscribed' | 'level';

export type Verdict = { readonly dropped: Dropped } | { readonly reason: MailReason | null };

export function judge({ event, mailsOff }: Told, candidate: Candidate): Verdict {
  if (!candidate.reachable) return { dropped: 'unreachable' };
  if (!candidate.mayRead) return { dropped: 'unreadable' };
  if (mailsOff) return { dropped: 'mailsOff' };
  if (candidate.isActor && !NOBODYS.includes(event)) return { dropped: 'actor' };
  if (candidate.unsubscribed && !candidate.involvements.has('mention')) return { dropped: 'unsubscribed' };
  if (!keeps(effectiveSetting(candidate.choices), event, candidate.involvements)) return { dropped: 'level' };
  return { reason: REASONS.find((reason) => candidate.reasons.has(reason)) ?? null };
}

/** That a day has come, or that a pipeline ends: nobody has done it. */
const NOBODYS: readonly MailEvent[] = ['issue_due', 'failed_pipeline', 'fixed_pipeline', 'success_pipeline'];

const REASONS: readonly MailReason[] = ['assigned', 'review_requested', 'mentioned', 'subscribed'];

/** The nearest that says something itself. Of everything `global` means the same as choosing nothing: what one takes part in. */
export function effectiveSetting(choices: readonly Setting[]): Setting {
  return choices.find(({ level }) => level !== 'global') ?? { level: 'participating' };
}

/** What whoever takes part in something is told of although it is not that. */
const FOR_PARTICIPANTS: readonly EmailEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** What those who watch everything have not meant. */
const NOT_FOR_WATCHERS: readonly EmailEvent[] = ['push_to_merge_request', 'issue_due', 'success_pipeline', 'approver'];

const isOfAlert = (event: MailEvent): event is AlertMailEvent =>
  event === 'alert_triggered' || event === 'alert_resolved';

function keeps(choice: Setting, event: MailEvent, involvements: ReadonlySet<Involvement>): boolean {
  // It is the project that has chosen them.
  if (isOfAlert(event)) return choice.level !== 'disabled';
  const isAny = (...some: Involvement[]) => some.some((one) => involvements.has(one));
  const takesPart = isAny('participating', 'mention', 'subscription');
  switch (choice.level) {
    case 'disabled':
      return isAny('subscription');
    case 'mention':
      return isAny('mention', 'subscription');
    case 'custom':
      return takesPart || hasChosen(choice, event);
    case 'watch':
      return !NOT_FOR_WATCHERS.includes(event);
    default:
      return takesPart || FOR_PARTICIPANTS.includes(event);
  }
}

const hasChosen = (choice: Setting, event: EmailEvent) =>
  isChosen(choice, event) || (event === 'fixed_pipeline' && isChosen(choice, 'success_pipeline'));
