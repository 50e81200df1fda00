import { Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { InThing, Noteable, NoteableKind, Thing } from '#http/access/noteables.ts';
import { type Entity, eitherEntity, entity } from '#http/endpoint/entity.ts';
import { Reply } from '#http/endpoint/responses.ts';
import type { ErrorTable } from '#http/errors/error-table.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, isFailure } from '#runtime/failure.ts';
import { commandedEpics } from '../epics/index.ts';
import { commandedIssues } from '../issues/index.ts';
import { commandedMergeRequests } from '../merge-requests/index.ts';
import {
  type Changes,
  type CommandedKind,
  CommandsChanges,
  commandsIn,
  interpret,
  type Parsed,
  reopens,
} from '../quick-actions/index.ts';
import { stillCommenting, turnOfNotes } from './access.ts';

/** Comments with quick actions (contract/planning.md §3.17 "Notes"). */

/** What a comment has come to that was nothing but commands. */
interface OnlyCommands {
  readonly commands_changes: Changes;
  /** One text of all messages. */
  readonly summary: readonly string[];
}

const Commanded = entity('CommandsOnly', { commands_changes: CommandsChanges, summary: Type.Array(Type.String()) });

/** What was said, or what its commands have come to. */
export const orCommanded = <Row extends object, Said extends Entity<Row>>(said: Said) =>
  eitherEntity(said, Commanded, (row) => !('summary' in (row as object)));

export const COMMAND_REFUSALS = {
  noCommands: [400, '400 Bad request - Failed to apply commands.'],
  unruly: [400, '400 Bad request - Note {:validation=>[{text}]}'],
} as const satisfies ErrorTable;

/** What is said of a text without its commands, and they have changed. */
export interface Saying {
  readonly body: string;
  readonly changes?: Changes;
}

interface Ways<Said, Code extends string> {
  /** Says what is left of the text. */
  readonly say: (uow: UnitOfWork<SignedInCaller>, saying: Saying) => Promise<Said | Failure<Code>>;
  /** When nothing is left of it. */
  readonly unsay?: (uow: UnitOfWork<SignedInCaller>) => Promise<undefined | Failure<Code>>;
}

type Unruly = keyof typeof COMMAND_REFUSALS;

/** Says something on a thing, and does what it commands: all of it, or nothing. */
export async function sayAndDo<Said, Code extends string>(
  services: RefServices,
  { kind, thing, caller }: InThing<Noteable> & { readonly kind: NoteableKind },
  body: string,
  ways: Ways<Said, Code>,
): Promise<Said | Reply<OnlyCommands> | Failure<Code | Unruly>> {
  const turn = [turnOfNotes({ thing })];
  const parsed = commandsIn(body);
  if (thing.type === 'Commit' || parsed.commands.length === 0) {
    return services.runUnitOfWork(caller, (uow) => ways.say(uow, { body }), { turn });
  }
  const how = { turn, reopens: reopens(parsed) };
  const commanded = COMMANDED[thing.type];
  return commanded.runUnitOfWork(services, caller, thing, how, (uow, change) =>
    doAll(uow, { kind, thing, commanded, change }, parsed, ways),
  );
}

const COMMANDED = {
  Issue: commandedIssues as CommandedKind,
  MergeRequest: commandedMergeRequests as CommandedKind,
  Epic: commandedEpics as CommandedKind,
} as const;

interface On {
  readonly kind: NoteableKind;
  readonly thing: Thing;
  readonly commanded: CommandedKind;
  readonly change: Parameters<Parameters<CommandedKind['runUnitOfWork']>[4]>[1];
}

async function doAll<Said, Code extends string>(
  uow: UnitOfWork<SignedInCaller>,
  { kind, thing: asked, commanded, change }: On,
  { commands, rest }: Parsed,
  { say, unsay }: Ways<Said, Code>,
): Promise<Said | Reply<OnlyCommands> | Failure<Code | Unruly>> {
  const { thing, caller } = await stillCommenting(uow, kind, asked);
  const subject = await commanded.subject(uow, caller, thing as Thing);
  if (subject === null) return fail('noCommands');
  const { wish, changes, messages, besides } = await interpret(uow, subject, commands);
  if (rest === '' && messages.length === 0) return fail('noCommands');
  const said = rest === '' ? await unsay?.(uow) : await say(uow, { body: rest, changes });
  if (isFailure(said)) return said as Failure<Code>;
  const changed = Object.keys(wish).length === 0 ? undefined : await change(wish);
  const failed = isFailure(changed) ? changed : await besides(thing.id);
  if (isFailure(failed)) return fail('unruly', { text: JSON.stringify(textOf(failed)) });
  if (rest !== '') return said as Said;
  return new Reply({ commands_changes: changes, summary: [messages.join(' ')] }, { status: 202 });
}

/** `Title can't be blank` */
function textOf({ code, values }: Failure): string {
  const [field, texts] = Object.entries((values.errors ?? {}) as FieldErrors)[0] ?? [];
  if (field !== undefined)
    return field === 'base'
      ? texts![0]!
      : `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')} ${texts![0]}`;
  return code === 'exists'
    ? `Another open merge request already exists for this source branch: !${values.iid}`
    : 'This cannot be done';
}
