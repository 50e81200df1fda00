import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { commandsIn, interpret, type Outcome } from './run.ts';
import type { Subject } from './subject.ts';

/** The quick actions of descriptions. */

/** What is sent besides counts before them. */
interface Sent {
  readonly description?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly assignee_ids?: readonly number[] | null | undefined;
  readonly assignee_id?: number | null | undefined;
  readonly reviewer_ids?: readonly number[] | null | undefined;
}

interface Described<W> {
  /** With what the commands want, and a description without them. */
  readonly wish: W;
  /** Null: nothing. */
  readonly besides: Outcome['besides'] | null;
  /** What the commands alone want of its state: where it is being made that comes after. */
  readonly closes: boolean;
}

/** What a wish becomes by the quick actions of the description that is sent; `subject` is asked where there are some. */
export async function described<W extends Sent>(
  uow: UnitOfWork<SignedInCaller>,
  wish: W,
  subject: () => Promise<Subject>,
): Promise<Described<W>> {
  const { commands, rest } = commandsIn(wish.description);
  if (commands.length === 0) return { wish, besides: null, closes: false };
  const on = withSent(await subject(), wish);
  const { wish: wanted, besides } = await interpret(uow, on, commands);
  const { state_event, assignee_ids, epic_id, labels, ...plain } = wanted;
  return {
    wish: {
      ...wish,
      ...plain,
      ...(on.thing !== null && state_event !== undefined && { state_event }),
      ...(assignee_ids && { assignee_ids, assignee_id: undefined }),
      ...(epic_id !== undefined && { epic_id, epic_iid: undefined }),
      ...(labels && { labels: labelsWith(wish, on, labels) }),
      description: rest,
    },
    besides,
    closes: on.thing === null && state_event === 'close',
  };
}

/** The thing after what its commands want besides; `again` reads it. */
export async function afterBesides<Row extends { readonly id: number }>(
  changed: Row,
  besides: Outcome['besides'] | null,
  again: (id: number) => Promise<Row>,
): Promise<Row | Failure<'invalid'>> {
  if (besides === null) return changed;
  const done = await besides(changed.id);
  return isFailure(done) ? done : again(changed.id);
}

function withSent(subject: Subject, { title, assignee_ids, assignee_id, reviewer_ids }: Sent): Subject {
  const { now } = subject;
  const assignees = assignee_ids ?? (assignee_id ? [assignee_id] : now.assignees);
  return {
    ...subject,
    now: { ...now, title: title ?? now.title, assignees, reviewers: reviewer_ids ?? now.reviewers },
  };
}

/** Those that are sent are in place of all that there were; commands add theirs. */
function labelsWith({ labels: sent }: Sent, { now }: Subject, wanted: readonly string[]): string[] {
  if (sent == null) return [...wanted];
  const had = new Set(now.labels.map(({ title }) => title));
  return [...new Set([...sent, ...wanted.filter((title) => !had.has(title))])];
}
