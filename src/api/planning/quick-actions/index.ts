/**
 * Quick actions: lines of texts that change the thing which they are on (contract/planning.md §3.17). No family with endpoints of
 * its own, but what notes and descriptions do: `parse.ts` finds them, the rows of the table (`text-commands.ts`, `label-commands.ts`, `people-commands.ts`,
 * `planning-commands.ts`, `immediate-commands.ts`) say what each makes of the thing, and what they come to is one change by the verb of PUT.
 */
export { type Changes, CommandsChanges } from './changes.ts';
export { afterBesides, described } from './description-commands.ts';
export type { Parsed } from './parse.ts';
export { commandsIn, interpret, reopens } from './run.ts';
export { BEGINNING, type Subject } from './subject.ts';
export type { CommandedKind } from './update-noteable.ts';
