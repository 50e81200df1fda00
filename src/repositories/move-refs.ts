import type { Git } from '../git/git.ts';
import { ensureRepository } from '../git/storage.ts';
import type { RefChange, RefRefusal } from '../git/update-refs.ts';
import { updateRefs } from '../git/update-refs.ts';
import { isRefused, type Refused, refused } from '../refused.ts';
import { type Intent, insertIntent, takeIntent } from './intents.ts';
import { type Placed, repositoryOf } from './repository.ts';
import type { RefRooms } from './rooms.ts';
import { settleIntent } from './settle.ts';

/**
 * The one road on which refs change, for API writes, merges and pushes alike (design "Ref and database"): (1) an intent
 * row, refused while the repository is read-only; (2) git moves the refs by compare-and-swap; (3) one transaction
 * records the events and facts, raises the ref-state version and strikes the intent out; (4) the caller answers.
 * Whatever happens between, the intent is settled later by comparing it with the refs.
 */

export interface MovingProject extends Placed {
  readonly id: number;
  readonly default_branch: string;
}

export interface Move {
  readonly project: MovingProject;
  /** In whose name; null: the server's own, which makes no push event. */
  readonly userId: number | null;
  readonly changes: readonly RefChange[];
  /** It is to make the repository's first branch: refused (`notFirst`) once another one is there or on its way. */
  readonly first?: boolean;
}

export type MoveRefusal = 'readOnly' | 'notFirst' | RefRefusal['refused'];

/** Moves refs, all or none. What git refuses comes back as a code with git's values: nothing was moved or recorded then. */
export async function moveRefs(rooms: RefRooms, move: Move): Promise<undefined | Refused<MoveRefusal>> {
  const intent = await beginMove(rooms, move);
  if (isRefused(intent)) return intent;
  const repository = repositoryOf(rooms.git, move.project);
  const update = await updateRefs(rooms.git, repository, move.changes);
  if ('refused' in update) {
    await dropIntent(rooms, intent);
    const { refused: code, ...values } = update;
    return refused(code, values) as Refused<MoveRefusal>;
  }
  await settleIntent(rooms, intent, move.changes);
  return undefined;
}

/** The first half, for pushes: git itself moves the refs between the halves. */
export function beginMove(
  { database }: RefRooms,
  { project, userId, changes, first }: Move,
): Promise<Intent | Refused<'readOnly' | 'notFirst'>> {
  return database.transaction((tx) => insertIntent(tx, { projectId: project.id, userId, changes, first }));
}

/** Nothing moved: the intent goes without a trace. */
export async function dropIntent({ database }: RefRooms, intent: Intent): Promise<void> {
  await database.transaction((tx) => takeIntent(tx, intent.id));
}

/** The repository's directory, made at the first write. */
export async function ensureProjectRepository(git: Git, project: MovingProject): Promise<void> {
  await ensureRepository(repositoryOf(git, project), { defaultBranch: project.default_branch });
}
