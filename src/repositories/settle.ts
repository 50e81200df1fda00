import { type DefaultProtection, defaultRule, rulesFor } from '../access/branches.ts';
import { insertRule, protectionRules } from '../access/protected-branches.ts';
import type { Transaction } from '../database/database.ts';
import type { Act } from '../facts/act.ts';
import { gitFor } from '../git/git.ts';
import { HEADS } from '../git/names.ts';
import { zeroId } from '../git/refs.ts';
import type { RefChange } from '../git/update-refs.ts';
import { type Push, recordPushEvents } from '../history/index.ts';
import { NOBODY } from '../identity/caller.ts';
import { readSettings } from '../settings/settings.ts';
import { pointHead } from './default-branch.ts';
import { describeChanges } from './describe-changes.ts';
import { type Intent, takeIntent } from './intents.ts';
import { type Placed, repositoryOf } from './repository.ts';
import type { RefRooms } from './rooms.ts';

/** Records what really moved and strikes the intent out, exactly once whoever does it and however often it is tried. */
export async function settleIntent(rooms: RefRooms, intent: Intent, moved: readonly RefChange[]): Promise<void> {
  const { database, acting } = rooms;
  const { projectId } = intent;
  // The refs have moved: this is owed to everybody, and not only to a client that may have gone.
  const git = gitFor(rooms.git, null);
  const place = await settleDefaultBranch(rooms, projectId, moved);
  if (place === null) {
    // The project is gone, and with it everybody who would want to know.
    await database.transaction((tx) => takeIntent(tx, intent.id));
    return;
  }
  const { push_event_activities_limit: limit } = await readSettings(database.reader);
  const context = { git, repository: repositoryOf(git, place), defaultBranch: place.default_branch, limit };
  const changes = intent.userId === null ? [] : await describeChanges(moved, context);
  // All changes of a repository write its version.
  const turn = `refs of ${projectId}`;
  await acting(NOBODY, (act) => recordMoved(act, intent, moved, { changes, limit }), { turn });
}

/** The events are the pusher's, whoever settles the intent: be it the start of a server after a crash. */
async function recordMoved(
  act: Act,
  { id, projectId }: Intent,
  moved: readonly RefChange[],
  { changes, limit }: Pick<Push, 'changes' | 'limit'>,
): Promise<void> {
  const taken = await takeIntent(act, id);
  if (taken === null || moved.length === 0) return;
  const { userId } = taken;
  await raiseVersion(act, projectId);
  if (userId !== null && changes.length > 0) {
    await recordPushEvents(act, { projectId, authorId: userId, changes, limit });
  }
  await act.publish('refs-changed', { projectId, userId, changes: moved });
}

async function raiseVersion(tx: Transaction, projectId: number): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ ref_state_version: eb('ref_state_version', '+', 1) }))
    .where('project_id', '=', projectId)
    .execute();
}

/**
 * The first branches of an empty repository decide its default branch (contract/repository.md §2): HEAD's own target
 * when it is among them, else the first of them. The database decides, so that two first pushes agree; then HEAD follows.
 */
async function settleDefaultBranch(
  rooms: RefRooms,
  projectId: number,
  moved: readonly RefChange[],
): Promise<Placed | null> {
  const { database, git } = rooms;
  const found = await database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch', 'empty'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (found === undefined) return null;
  const branches = moved
    .filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== zeroId)
    .map(({ ref }) => ref.slice(HEADS.length));
  if (!found.empty || branches.length === 0) return found;
  const default_branch = await decideNow(database, projectId, branches);
  await pointHead(database.reader, git, projectId);
  return { ...found, default_branch };
}

async function decideNow(
  database: RefRooms['database'],
  projectId: number,
  branches: readonly string[],
): Promise<string> {
  const { default_branch_protection } = await readSettings(database.reader);
  return database.transaction((tx) =>
    decideDefaultBranch(tx, projectId, branches, default_branch_protection as DefaultProtection),
  );
}

async function decideDefaultBranch(
  tx: Transaction,
  projectId: number,
  branches: readonly string[],
  protection: DefaultProtection,
): Promise<string> {
  const { empty, default_branch } = await tx
    .selectFrom('repositories')
    .select(['empty', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  if (!empty) return default_branch;
  const decided = branches.includes(default_branch) ? default_branch : (branches[0] as string);
  await tx
    .updateTable('repositories')
    .set({ empty: false, default_branch: decided })
    .where('project_id', '=', projectId)
    .execute();
  const rule = defaultRule(decided, protection);
  const rules = await protectionRules(tx, projectId);
  if (rule !== null && rulesFor(rules, decided).length === 0) await insertRule(tx, projectId, rule);
  return decided;
}
