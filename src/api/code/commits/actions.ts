import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { describe, object, optional, required } from '#http/parameters/declarations.ts';
import { fileContent, pathText, refName } from '#http/parameters/texts.ts';
import { arrayOf, oneOf } from '#http/parameters/types.ts';
import type { CommitFileChange } from '#repositories/commits/commit-to-branch.ts';
import type { FileBytes } from '#repositories/lfs/lfs-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import {
  contentParams,
  decodeContent,
  getTextParameter,
  parseBoolean,
  parseEncoding,
} from '../repository-files/index.ts';

// Parses the `actions` of a commit. Only the first violated rule is reported (contract/repository.md §4).

export type ActionFailure = keyof typeof ACTION_ERRORS;

/** Errors of `toActionList` and `parseActions`. */
export const ACTION_ERRORS = {
  noActions: [400, '400 Bad request - Provide at least one action, or set allow_empty to true'],
  actionsNotArray: [400, '400 Bad request - actions must be an array'],
  actionInvalid: [400, '400 Bad request - actions[{index}][{name}] {problem}'],
} as const;

const ACTION_KINDS = ['create', 'update', 'move', 'delete', 'chmod'] as const;
type ActionKind = (typeof ACTION_KINDS)[number];

const commitAction = object({
  action: required(oneOf(...ACTION_KINDS)),
  file_path: required(pathText),
  previous_path: describe(optional(pathText), 'For `move`: the present path of the file.'),
  last_commit_id: describe(optional(refName), 'The action fails if a later commit has changed the file.'),
  ...contentParams,
  content: describe(
    optional(fileContent),
    'Required for `create` and `update`; a `move` without it keeps the present content.',
  ),
});

/** Maximum number of actions per commit, because each action may write a file. */
const MAX_ACTIONS = 10_000;

/** The parameter type of `actions`. */
export const actionsParam = arrayOf(commitAction, MAX_ACTIONS);

/** Returns the elements of `actions` before they are validated. Fails for an empty list unless `allowEmpty` is set. */
export function toActionList(
  value: unknown,
  { allowEmpty }: { readonly allowEmpty: boolean },
): readonly unknown[] | Failure<'noActions' | 'actionsNotArray'> {
  const items = value === undefined || value === null || value === '' ? [] : toElements(value);
  if (items === null) return fail('actionsNotArray');
  return items.length === 0 && !allowEmpty ? fail('noActions') : items;
}

/** Parses the actions into file changes. Fails at the first action that violates a rule. */
export async function parseActions(items: readonly unknown[]): Promise<CommitFileChange[] | Failure<'actionInvalid'>> {
  const changes: CommitFileChange[] = [];
  const yieldToOthers = createYielder();
  for (const [index, item] of items.entries()) {
    await yieldToOthers();
    const change = isParameterObject(item) ? await parseAction(item) : toFieldProblem('action', 'is required');
    if ('problem' in change) return fail('actionInvalid', { index, ...change });
    changes.push(change);
  }
  return changes;
}

/** Returns the elements of a list, or null for another value. `actions[0][action]=…` in a form becomes an object with integer keys. */
function toElements(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isParameterObject(value) || !Object.keys(value).every((key) => /^\d+$/.test(key))) return null;
  return Object.keys(value)
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => value[key]);
}

/** A violated rule: the name of the field and the text for the error message. */
interface FieldProblem {
  readonly name: string;
  readonly problem: string;
}

function toFieldProblem(name: string, problem: string): FieldProblem {
  return { name, problem };
}

/** Parses one action. Returns the change of a file, or the first violated rule. */
async function parseAction(item: RawParameters): Promise<CommitFileChange | FieldProblem> {
  const action = getTextParameter(item, 'action') ?? '';
  if (action === '') return toFieldProblem('action', 'is required');
  if (!isActionKind(action)) return toFieldProblem('action', `must be one of: ${ACTION_KINDS.join(', ')}`);
  const path = stripLeadingSlashes(getTextParameter(item, 'file_path'));
  if (path === '') return toFieldProblem('file_path', 'is required');
  const lastCommitId = getTextParameter(item, 'last_commit_id') || undefined;
  if (action === 'delete') return { action, path, lastCommitId };
  const executable = parseBoolean(item.execute_filemode);
  if (executable === 'invalid') return toFieldProblem('execute_filemode', 'must be a boolean');
  if (action === 'chmod') {
    if (executable === undefined) return toFieldProblem('execute_filemode', 'is required for chmod action');
    return { action, path, executable, lastCommitId };
  }
  // A moved file without content keeps its content. Other actions require content, and null means an empty file.
  const requestedContent = action === 'move' && item.content === null ? undefined : item.content;
  const content = await parseContent(item.encoding, requestedContent);
  if (content !== undefined && 'problem' in content) return content;
  if (action === 'move') {
    const from = stripLeadingSlashes(getTextParameter(item, 'previous_path'));
    if (from === '') return toFieldProblem('previous_path', 'is required for move action');
    return { action, path, from, content, executable, lastCommitId };
  }
  if (content === undefined) return toFieldProblem('content', `is required for ${action} action`);
  return { action, path, content, executable, lastCommitId };
}

function isActionKind(text: string): text is ActionKind {
  return (ACTION_KINDS as readonly string[]).includes(text);
}

async function parseContent(encodingValue: unknown, text: unknown): Promise<FileBytes | undefined | FieldProblem> {
  const encoding = parseEncoding(encodingValue);
  if (encoding === 'unknown') return toFieldProblem('encoding', 'must be text or base64');
  if (text === undefined) return undefined;
  const content = await decodeContent(text ?? '', encoding);
  if (content === 'invalid') return toFieldProblem('content', 'is invalid');
  return content === 'notBase64' ? toFieldProblem('content', 'is not valid base64') : content;
}

function stripLeadingSlashes(path: string | undefined): string {
  return (path ?? '').replace(/^\/+/, '');
}
