import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { MailReason } from '#database/schema.ts';
import type { MailSubject, NewMailSubject } from '../subjects/subject.ts';
import { type CandidateDetails, loadCandidateDetails, loadNotificationSettings } from './candidate-details.ts';
import {
  decideNotification,
  findEffectiveSetting,
  type Involvement,
  type NotificationCandidate,
} from './notification-rules.ts';

/** A user who gets the mail. */
export interface Recipient {
  readonly userId: number;
  readonly email: string;
  readonly reason: MailReason | null;
  /** Whether they are mentioned. */
  readonly mention: boolean;
}

/** Returns the candidates who get a mail according to their settings and current access. */
export async function selectRecipients(
  db: Reader,
  subject: NewMailSubject,
  actorId: number | null,
  involvements: ReadonlyMap<number, ReadonlySet<Involvement>>,
): Promise<Recipient[]> {
  const ids = [...involvements.keys()];
  const [detailsByUserId, settingsByUserId] = await Promise.all([
    loadCandidateDetails(db, subject, ids),
    loadNotificationSettings(db, subject.container, ids),
  ]);
  return ids.flatMap((userId) => {
    const details = detailsByUserId.get(userId);
    if (details?.address == null) return [];
    const settings = settingsByUserId.get(userId) ?? [];
    const { level } = findEffectiveSetting(settings);
    const candidate: NotificationCandidate = {
      involvements: withLevelInvolvement(involvements.get(userId)!, level),
      settings,
      isReachable: true,
      mayRead: details.mayRead,
      isActor: userId === actorId,
      isUnsubscribed: details.isUnsubscribed,
      reasons: findReasons(subject, userId, involvements.get(userId)!),
    };
    const decision = decideNotification(
      { event: subject.event, mailsDisabled: subject.container.mailsDisabled },
      candidate,
    );
    return 'dropReason' in decision
      ? []
      : [{ userId, email: details.address, reason: decision.reason, mention: candidate.involvements.has('mention') }];
  });
}

/** Replaces the involvement `watch`, which a general setting can cause, by the effective level if that is `watch` or `custom`. */
function withLevelInvolvement(involvements: ReadonlySet<Involvement>, level: string): ReadonlySet<Involvement> {
  const otherInvolvements = [...involvements].filter((involvement) => involvement !== 'watch');
  return new Set(level === 'watch' || level === 'custom' ? [...otherInvolvements, level] : otherInvolvements);
}

/** Returns all reasons for which the user gets the mail. */
function findReasons(
  { assignees, reviewers, mentionedUserIds }: NewMailSubject,
  userId: number,
  involvements: ReadonlySet<Involvement>,
): ReadonlySet<MailReason> {
  const reasons: [MailReason, boolean][] = [
    ['assigned', assignees.includes(userId)],
    ['review_requested', reviewers.includes(userId)],
    ['mentioned', mentionedUserIds.includes(userId)],
    ['subscribed', involvements.has('subscription')],
  ];
  return new Set(reasons.filter(([, applies]) => applies).map(([reason]) => reason));
}

/** Returns whether the recipient may still get the mail at this address; checked again before sending. */
export function isStillRecipient(
  { container }: MailSubject,
  details: CandidateDetails | undefined,
  { email, mention }: Pick<Recipient, 'email' | 'mention'>,
): boolean {
  if (details?.address == null || !details.confirmedAddressKeys.has(foldCase(email))) return false;
  return details.mayRead && !container.mailsDisabled && (!details.isUnsubscribed || mention);
}
