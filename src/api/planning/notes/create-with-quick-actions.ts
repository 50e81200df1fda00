import { Type } from 'typebox';
import { taggedText } from '#activity/index.ts';
import { createTagAt } from '#api/code/tags/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { CommitNoteable, Issuable, Noteable, NoteableContext, NoteableKind } from '#http/access/noteables.ts';
import { type Entity, eitherEntity, entity } from '#http/endpoint/entity.ts';
import { Reply } from '#http/endpoint/responses.ts';
import type { ErrorTable } from '#http/errors/error-messages.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, isFailure } from '#runtime/failure.ts';
import { epicQuickActions } from '../epics/index.ts';
import { issueQuickActions } from '../issues/index.ts';
import { mergeRequestQuickActions } from '../merge-requests/index.ts';
import { notesLockKey } from '../note-rows/index.ts';
import {
  containsReopen,
  findMoveTarget,
  findTargetBranch,
  NoteCommandsChanges,
  type ParsedCommand,
  type ParsedText,
  parseCommands,
  parseQuickActions,
  type QuickActionChanges,
  type QuickActionKind,
  type QuickActionOptions,
  runQuickActions,
} from '../quick-actions/index.ts';
import { reloadForComment } from './access.ts';

// Comments with quick actions (contract/planning.md §3.17 "Notes").

/** The response to a comment that contains only quick actions. */
interface CommandsOnlyNote {
  readonly commands_changes: QuickActionChanges;
  /** One text: all messages of the quick actions, joined by spaces. */
  readonly summary: readonly string[];
}

const QuickActionsOnly = entity('CommandsOnly', {
  commands_changes: NoteCommandsChanges,
  summary: Type.Array(Type.String()),
});

/** Returns the response entity: the note or, if its text contains only quick actions, the effects of these. */
export const createNoteOrQuickActionsEntity = <Row extends object, Written extends Entity<Row>>(noteEntity: Written) =>
  eitherEntity(noteEntity, QuickActionsOnly, (row) => !('summary' in (row as object)));

/** Errors of all endpoints whose texts may contain quick actions. */
export const QUICK_ACTION_ERRORS = {
  noCommands: [400, '400 Bad request - Failed to apply commands.'],
  updateFailed: [400, '400 Bad request - Note {:validation=>[{text}]}'],
} as const satisfies ErrorTable;

/** The text without its quick actions, and the changes that these have made. */
interface NoteText {
  readonly body: string;
  readonly changes?: QuickActionChanges;
}

/** The functions with which an endpoint stores the note. */
interface NoteHandlers<Written, Code extends string> extends QuickActionOptions {
  /** Writes the text without the quick actions. */
  readonly write: (uow: UnitOfWork<SignedInCaller>, text: NoteText) => Promise<Written | Failure<Code>>;
  /** Runs instead of `write` if the text contains only quick actions. */
  readonly onEmpty?: (uow: UnitOfWork<SignedInCaller>) => Promise<undefined | Failure<Code>>;
}

type QuickActionErrorCode = keyof typeof QUICK_ACTION_ERRORS;

/** Writes a note and executes its quick actions in one transaction. */
export async function writeNoteWithQuickActions<Written, Code extends string>(
  services: RefServices,
  { kind, noteable, caller }: NoteableContext<Noteable> & { readonly kind: NoteableKind },
  body: string,
  handlers: NoteHandlers<Written, Code>,
): Promise<Written | Reply<CommandsOnlyNote> | Failure<Code | QuickActionErrorCode>> {
  if (noteable.type === 'Commit') return writeCommitNote(services, { kind, noteable, caller }, body, handlers);
  const lock = [notesLockKey({ noteable })];
  if (noteable.type === 'Snippet')
    return services.runUnitOfWork(caller, (uow) => handlers.write(uow, { body }), { lock });
  const parsedText = parseQuickActions(body);
  if (parsedText.commands.length === 0)
    return services.runUnitOfWork(caller, (uow) => handlers.write(uow, { body: parsedText.remainingText }), { lock });
  const options = {
    lock,
    reopens: containsReopen(parsedText),
    targetBranch: findTargetBranch(parsedText),
    moveTarget: findMoveTarget(parsedText),
  };
  const quickActions = QUICK_ACTIONS_BY_TYPE[noteable.type];
  return quickActions.runUnitOfWork(services, caller, noteable, options, (uow, updateNoteable) =>
    writeNoteAndRunCommands(uow, { kind, noteable, quickActions, updateNoteable }, parsedText, handlers),
  );
}

/** Writes a note on a commit, and then creates the tag of its quick action: refs cannot change in the transaction of the note. */
async function writeCommitNote<Written, Code extends string>(
  services: RefServices,
  context: CommitNoteContext,
  body: string,
  { write, onEmpty }: NoteHandlers<Written, Code>,
): Promise<Written | Reply<CommandsOnlyNote> | Failure<Code | QuickActionErrorCode>> {
  const { commands, remainingText } = parseCommands(body, COMMIT_COMMANDS);
  const { changes, messages } = evaluateTagCommands(context.caller, context.noteable, commands);
  const isCommandsOnly = remainingText === '' && commands.length > 0;
  if (isCommandsOnly && messages.length === 0) return fail('noCommands');
  const text = { body: remainingText, ...(commands.length > 0 && { changes }) };
  const writeResult = await services.runUnitOfWork(
    context.caller,
    async (uow) => (isCommandsOnly ? onEmpty?.(uow) : write(uow, text)),
    { lock: [notesLockKey(context)] },
  );
  if (isFailure(writeResult)) return writeResult as Failure<Code>;
  await runTagCommand(services, context, changes);
  if (!isCommandsOnly) return writeResult as Written;
  return new Reply({ commands_changes: changes, summary: [messages.join(' ')] }, { status: 202 });
}

// The casts drop the type of noteable, which the key determines.
const QUICK_ACTIONS_BY_TYPE = {
  Issue: issueQuickActions as QuickActionKind,
  MergeRequest: mergeRequestQuickActions as QuickActionKind,
  Epic: epicQuickActions as QuickActionKind,
} as const;

interface QuickActionTarget {
  readonly kind: NoteableKind;
  readonly noteable: Issuable;
  readonly quickActions: QuickActionKind;
  readonly updateNoteable: Parameters<Parameters<QuickActionKind['runUnitOfWork']>[4]>[1];
}

async function writeNoteAndRunCommands<Written, Code extends string>(
  uow: UnitOfWork<SignedInCaller>,
  { kind, noteable: requestedNoteable, quickActions, updateNoteable }: QuickActionTarget,
  { commands, remainingText }: ParsedText,
  { write, onEmpty, ...options }: NoteHandlers<Written, Code>,
): Promise<Written | Reply<CommandsOnlyNote> | Failure<Code | QuickActionErrorCode>> {
  const { noteable, caller } = await reloadForComment(uow, kind, requestedNoteable);
  const subject = await quickActions.loadSubject(uow, caller, noteable as Issuable);
  if (subject === null) return fail('noCommands');
  const { input, changes, messages, afterUpdate } = await runQuickActions(uow, subject, commands, options);
  // Without a message no quick action had an effect.
  if (remainingText === '' && messages.length === 0) return fail('noCommands');
  const writeResult = remainingText === '' ? await onEmpty?.(uow) : await write(uow, { body: remainingText, changes });
  if (isFailure(writeResult)) return writeResult as Failure<Code>;
  const updateResult = Object.keys(input).length === 0 ? undefined : await updateNoteable(input);
  const updateFailure = isFailure(updateResult) ? updateResult : await afterUpdate(noteable.id);
  if (isFailure(updateFailure))
    return fail('updateFailed', { text: JSON.stringify(formatUpdateFailure(updateFailure)) });
  if (remainingText !== '') return writeResult as Written;
  return new Reply({ commands_changes: changes, summary: [messages.join(' ')] }, { status: 202 });
}

/** Formats the first error of a failed update: `Title can't be blank`. */
function formatUpdateFailure({ code, values }: Failure): string {
  const [field, texts] = Object.entries((values.errors ?? {}) as FieldErrors)[0] ?? [];
  if (field !== undefined)
    return field === 'base'
      ? texts![0]!
      : `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${texts![0]}`;
  return code === 'exists'
    ? `Another open merge request already exists for this source branch: !${values.iid}`
    : 'This cannot be done';
}

// The quick action `/tag` in comments on commits (contract/planning.md §3.17).

const COMMIT_COMMANDS: ReadonlyMap<string, 'tag'> = new Map([['tag', 'tag']]);

/** Returns the changes that the commands will make, and their messages. Only the last tag is created. */
function evaluateTagCommands(
  caller: SignedInCaller,
  { project }: CommitNoteable,
  commands: readonly ParsedCommand[],
): { readonly changes: QuickActionChanges; readonly messages: readonly string[] } {
  if (commands.length > 0 && !mayInProject(caller, 'push_code', project))
    return { changes: {}, messages: commands.map(() => 'Could not apply tag command.') };
  const tags = commands.flatMap(({ argument }) => parseTag(argument) ?? []);
  return {
    changes: { ...tags.at(-1) },
    messages: tags.map(({ tag_name: name, tag_message: message }) =>
      message === null ? `Tagged this commit to ${name}.` : `Tagged this commit to ${name} with "${message}".`,
    ),
  };
}

function parseTag(argument: string) {
  if (argument === '') return null;
  const [name = ''] = argument.split(/\s/, 1);
  return { tag_name: name, tag_message: argument.slice(name.length).trim() || null };
}

/** Creates the tag with a system note. As in the reference, a tag that cannot be created is ignored. */
async function runTagCommand(
  services: RefServices,
  { kind, noteable, caller }: CommitNoteContext,
  { tag_name: name, tag_message: message }: QuickActionChanges,
): Promise<void> {
  if (name === undefined) return;
  const { project, commit } = noteable;
  const tag = await createTagAt(services, caller, project, { name, ref: commit.id, message });
  if (isFailure(tag)) return;
  await services.runUnitOfWork(
    caller,
    async (uow) => {
      const { id } = (await reloadForComment(uow, kind, noteable)).noteable;
      await uow.record({ noteOn: { type: 'Commit', id }, text: taggedText(commit.id, name, project.full_path) });
    },
    { lock: [notesLockKey({ noteable })] },
  );
}

interface CommitNoteContext {
  readonly kind: NoteableKind;
  readonly noteable: CommitNoteable;
  readonly caller: SignedInCaller;
}
