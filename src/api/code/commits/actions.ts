import { isRaw, type Raw } from '#http/parameters/brackets.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import { fileContent, pathText, refName } from '#http/parameters/texts.ts';
import { arrayOf, oneOf } from '#http/parameters/types.ts';
import type { WantedChange } from '#repositories/commits/commit-to-branch.ts';
import type { Bytes } from '#repositories/lfs/lfs-content.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { contentParams, decodeContent, readEncoding, readFilemode, textOf } from '../repository-files/index.ts';

/** The `actions` of a commit, checked by hand, the first broken rule answers (contract/repository.md §4). */

export type ActionFailure = keyof typeof ACTION_REFUSALS;

export const ACTION_REFUSALS = {
  noActions: [400, '400 Bad request - Provide at least one action, or set allow_empty to true'],
  actionsNoArray: [400, '400 Bad request - actions must be an array'],
  actionWrong: [400, '400 Bad request - actions[{index}][{name}] {problem}'],
} as const;

const KINDS = ['create', 'update', 'move', 'delete', 'chmod'] as const;
type Kind = (typeof KINDS)[number];

/** The fields of one action. */
const action = hash({
  action: required(oneOf(...KINDS)),
  file_path: required(pathText),
  previous_path: optional(pathText),
  last_commit_id: optional(refName),
  ...contentParams,
  content: optional(fileContent),
});

/** Chosen: each is a file to store, and no commit of people has more. */
const MOST_ACTIONS = 10_000;

export const actionsParam = arrayOf(action, MOST_ACTIONS);

/** The elements as they came, of which there is at least one. */
export function actionsIn(
  given: unknown,
  { allowEmpty }: { readonly allowEmpty: boolean },
): readonly unknown[] | Failure<'noActions' | 'actionsNoArray'> {
  const items = given === undefined || given === null || given === '' ? [] : elements(given);
  if (items === null) return fail('actionsNoArray');
  return items.length === 0 && !allowEmpty ? fail('noActions') : items;
}

export async function readActions(items: readonly unknown[]): Promise<WantedChange[] | Failure<'actionWrong'>> {
  const changes: WantedChange[] = [];
  const giveWay = givingWay();
  for (const [index, item] of items.entries()) {
    await giveWay();
    const change = isRaw(item) ? await readAction(item) : wrong('action', 'is required');
    if ('problem' in change) return fail('actionWrong', { index, ...change });
    changes.push(change);
  }
  return changes;
}

/** A form's `actions[0][action]=…` comes as a hash with whole-number keys. */
function elements(given: unknown): unknown[] | null {
  if (Array.isArray(given)) return given;
  if (!isRaw(given) || !Object.keys(given).every((key) => /^\d+$/.test(key))) return null;
  return Object.keys(given)
    .sort((a, b) => Number(a) - Number(b))
    .map((key) => given[key]);
}

interface Wrong {
  readonly name: string;
  readonly problem: string;
}

function wrong(name: string, problem: string): Wrong {
  return { name, problem };
}

async function readAction(item: Raw): Promise<WantedChange | Wrong> {
  const action = textOf(item, 'action') ?? '';
  if (action === '') return wrong('action', 'is required');
  if (!isKind(action)) return wrong('action', `must be one of: ${KINDS.join(', ')}`);
  const path = withoutSlash(textOf(item, 'file_path'));
  if (path === '') return wrong('file_path', 'is required');
  const lastCommitId = textOf(item, 'last_commit_id') || undefined;
  if (action === 'delete') return { action, path, lastCommitId };
  const executable = readFilemode(item.execute_filemode);
  if (executable === 'invalid') return wrong('execute_filemode', 'must be a boolean');
  if (action === 'chmod') {
    if (executable === undefined) return wrong('execute_filemode', 'is required for chmod action');
    return { action, path, executable, lastCommitId };
  }
  // A moved file without content keeps its own; another one is empty with `null`, and wants one.
  const content = await readContent(item.encoding, action === 'move' ? (item.content ?? undefined) : item.content);
  if (content !== undefined && 'problem' in content) return content;
  if (action === 'move') {
    const from = withoutSlash(textOf(item, 'previous_path'));
    if (from === '') return wrong('previous_path', 'is required for move action');
    return { action, path, from, content, executable, lastCommitId };
  }
  if (content === undefined) return wrong('content', `is required for ${action} action`);
  return { action, path, content, executable, lastCommitId };
}

function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text);
}

async function readContent(given: unknown, text: unknown): Promise<Bytes | undefined | Wrong> {
  const encoding = readEncoding(given);
  if (encoding === 'unknown') return wrong('encoding', 'must be text or base64');
  if (text === undefined) return undefined;
  const content = await decodeContent(text ?? '', encoding);
  if (content === 'invalid') return wrong('content', 'is invalid');
  return content === 'notBase64' ? wrong('content', 'is not valid base64') : content;
}

function withoutSlash(path: string | undefined): string {
  return (path ?? '').replace(/^\/+/, '');
}
