import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { parseQuickActions, type QuickActionResult, runQuickActions } from './run.ts';
import type { QuickActionSubject } from './subject.ts';

// Quick actions in descriptions.

/** Other fields of the request, which apply before the quick actions. */
interface RequestedFields {
  readonly description?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly labels?: readonly string[] | null | undefined;
  readonly assignee_ids?: readonly number[] | null | undefined;
  readonly assignee_id?: number | null | undefined;
  readonly reviewer_ids?: readonly number[] | null | undefined;
}

interface DescriptionResult<Input> {
  /** The input with the changes of the commands, and with a description without the commands. */
  readonly input: Input;
  /** Effects to run after the write; null if none. */
  readonly afterUpdate: QuickActionResult['afterUpdate'] | null;
  /** Whether the commands close a new noteable, which happens after its creation. */
  readonly closesAfterCreation: boolean;
}

/** Messages of commands in descriptions are not shown, so they need no URLs. */
const NO_MESSAGES = { baseUrl: '' } as const;

/** Applies the quick actions of a description to the input. `loadSubject` is called only if there are any. */
export async function applyDescriptionCommands<Input extends RequestedFields>(
  uow: UnitOfWork<SignedInCaller>,
  input: Input,
  loadSubject: () => Promise<QuickActionSubject>,
): Promise<DescriptionResult<Input>> {
  const { commands, remainingText } = parseQuickActions(input.description);
  if (commands.length === 0) {
    // `/shrug` and `/tableflip` are not commands, but are replaced in the text.
    const inputWithSubstitutions = input.description == null ? input : { ...input, description: remainingText };
    return { input: inputWithSubstitutions, afterUpdate: null, closesAfterCreation: false };
  }
  const subject = applyRequestedFields(await loadSubject(), input);
  const { input: commandInput, afterUpdate } = await runQuickActions(uow, subject, commands, NO_MESSAGES);
  const { state_event, assignee_ids, epic_id, labels, ...otherFields } = commandInput;
  const isNew = subject.noteable === null;
  return {
    input: {
      ...input,
      ...otherFields,
      ...(!isNew && state_event !== undefined && { state_event }),
      ...(assignee_ids && { assignee_ids, assignee_id: undefined }),
      ...(epic_id !== undefined && { epic_id, epic_iid: undefined }),
      ...(labels && { labels: combineLabels(input, subject, labels) }),
      description: remainingText,
    },
    afterUpdate,
    closesAfterCreation: isNew && state_event === 'close',
  };
}

/** Runs the effects after the write and returns the reloaded row. */
export async function runAfterUpdate<Row extends { readonly id: number }>(
  updatedRow: Row,
  afterUpdate: QuickActionResult['afterUpdate'] | null,
  reloadRow: (id: number) => Promise<Row>,
): Promise<Row | Failure<'invalid'>> {
  if (afterUpdate === null) return updatedRow;
  const afterResult = await afterUpdate(updatedRow.id);
  return isFailure(afterResult) ? afterResult : reloadRow(updatedRow.id);
}

/** Returns the subject as it is after the other fields of the request are applied. */
function applyRequestedFields(
  subject: QuickActionSubject,
  { title, assignee_ids, assignee_id, reviewer_ids }: RequestedFields,
): QuickActionSubject {
  const { currentState } = subject;
  return {
    ...subject,
    currentState: {
      ...currentState,
      title: title ?? currentState.title,
      assignees: assignee_ids ?? (assignee_id ? [assignee_id] : currentState.assignees),
      reviewers: reviewer_ids ?? currentState.reviewers,
    },
  };
}

/** Combines labels: those of the request replace all existing ones, those of commands are added. */
function combineLabels(
  { labels: requestedLabels }: RequestedFields,
  { currentState }: QuickActionSubject,
  titles: readonly string[],
): string[] {
  if (requestedLabels == null) return [...titles];
  const previousTitles = new Set(currentState.labels.map(({ title }) => title));
  return [...new Set([...requestedLabels, ...titles.filter((title) => !previousTitles.has(title))])];
}
