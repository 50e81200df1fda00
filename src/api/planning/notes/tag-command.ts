import { taggedText } from '#activity/index.ts';
import { createTagAt } from '#api/code/tags/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { CommitNoteable, NoteableKind } from '#http/access/noteables.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';
import { notesLockKey } from '../note-rows/index.ts';
import { type ParsedCommand, type ParsedText, parseCommands, type QuickActionChanges } from '../quick-actions/index.ts';
import { reloadForComment } from './access.ts';

// The quick action `/tag` in comments on commits (contract/planning.md §3.17).

const COMMANDS: ReadonlyMap<string, 'tag'> = new Map([['tag', 'tag']]);

export const parseTagCommands = (body: string): ParsedText => parseCommands(body, COMMANDS);

/** Returns what the commands will change, and their messages. The last tag is created. */
export function evaluateTagCommands(
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
export async function runTagCommand(
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

export interface CommitNoteContext {
  readonly kind: NoteableKind;
  readonly noteable: CommitNoteable;
  readonly caller: SignedInCaller;
}
