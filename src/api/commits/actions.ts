import type { FileChange } from '../../git/commit.ts';
import { isRaw, type Raw } from '../../http/parameters/brackets.ts';
import type { Spills } from '../../http/spilled-text.ts';
import { type Refused, refused } from '../../refused.ts';
import type { NewBytes } from '../../repositories/new-content.ts';
import { decodeContent, isContent, readFilemode, textOf } from '../repository-files/index.ts';

/** The `actions` of a commit, checked by hand, the first broken rule answers (contract/repository.md §4). */

export interface Action {
  /** Its content stands beside it. */
  readonly change: FileChange;
  readonly content: NewBytes | undefined;
  /** What the client knew of the file when it began to edit it. */
  readonly lastCommitId: string | undefined;
}

export type ActionRefusal = 'noActions' | 'actionsNoArray' | 'actionWrong';

export const ACTION_REFUSALS = {
  noActions: [400, '400 Bad request - Provide at least one action, or set allow_empty to true'],
  actionsNoArray: [400, '400 Bad request - actions must be an array'],
  actionWrong: [400, '400 Bad request - actions[{index}][{name}] {problem}'],
} as const;

const KINDS = ['create', 'update', 'move', 'delete', 'chmod'] as const;
type Kind = (typeof KINDS)[number];

/** The elements as they came; none only where an empty commit is allowed. */
export function actionsIn(
  given: unknown,
  allowEmpty: boolean,
): readonly unknown[] | Refused<'noActions' | 'actionsNoArray'> {
  const items = given === undefined || given === null ? [] : elements(given);
  if (items === null) return refused('actionsNoArray');
  return items.length === 0 && !allowEmpty ? refused('noActions') : items;
}

export async function readActions(
  items: readonly unknown[],
  spills: Spills,
): Promise<Action[] | Refused<'actionWrong'>> {
  const actions: Action[] = [];
  for (const [index, item] of items.entries()) {
    const action = isRaw(item) ? await readAction(item, spills) : wrong('action', 'is required');
    if ('problem' in action) return refused('actionWrong', { index, ...action });
    actions.push(action);
  }
  return actions;
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

async function readAction(item: Raw, spills: Spills): Promise<Action | Wrong> {
  const kind = textOf(item, 'action') ?? '';
  if (kind === '') return wrong('action', 'is required');
  if (!(KINDS as readonly string[]).includes(kind)) return wrong('action', `must be one of: ${KINDS.join(', ')}`);
  const path = withoutSlash(textOf(item, 'file_path'));
  if (path === '') return wrong('file_path', 'is required');
  const content = kind === 'delete' || kind === 'chmod' ? undefined : await readContent(item, kind as Kind, spills);
  if (content !== undefined && 'problem' in content) return content;
  const change = readChange(item, kind as Kind, path, content !== undefined);
  if ('problem' in change) return change;
  return { change, content, lastCommitId: textOf(item, 'last_commit_id') || undefined };
}

/** Stands for content that is put in when it is written. */
const LATER = Buffer.alloc(0);

function readChange(item: Raw, kind: Kind, path: string, hasContent: boolean): FileChange | Wrong {
  if (kind === 'delete') return { action: 'delete', path };
  const executable = readFilemode(item.execute_filemode);
  if (executable === 'invalid') return wrong('execute_filemode', 'must be a boolean');
  if (kind === 'chmod') {
    return executable === undefined
      ? wrong('execute_filemode', 'is required for chmod action')
      : { action: 'chmod', path, executable };
  }
  const mode = executable === undefined ? {} : { executable };
  if (kind !== 'move') return { action: kind, path, content: LATER, ...mode };
  const from = withoutSlash(textOf(item, 'previous_path'));
  if (from === '') return wrong('previous_path', 'is required for move action');
  return { action: 'move', path, from, ...(hasContent ? { content: LATER } : {}), ...mode };
}

/** A move without content keeps the file's own. */
async function readContent(item: Raw, kind: Kind, spills: Spills): Promise<NewBytes | undefined | Wrong> {
  const encoding = textOf(item, 'encoding') ?? 'text';
  if (encoding !== 'text' && encoding !== 'base64') return wrong('encoding', 'must be text or base64');
  if (item.content === undefined || (item.content === null && kind === 'move')) {
    return kind === 'move' ? undefined : wrong('content', `is required for ${kind} action`);
  }
  if (!isContent(item.content)) return wrong('content', 'is invalid');
  return (await decodeContent(item.content ?? '', encoding, spills)) ?? wrong('content', 'is not valid base64');
}

function withoutSlash(path: string | undefined): string {
  return (path ?? '').replace(/^\/+/, '');
}
