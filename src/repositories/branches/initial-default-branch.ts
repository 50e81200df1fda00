import { defaultRule, rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import {
  findRule,
  insertRule,
  protectionRules,
  type StoredRule,
} from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { defaultProtection } from '../ref-updates/ref-permissions.ts';
import { actorOf } from '../ref-updates/ref-update-actor.ts';
import type { Placed } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { pointHead } from './default-branch.ts';
import { recordRule } from './protection-activity.ts';

/**
 * The first branches of an empty repository decide its default branch (contract/repository.md §2): HEAD's own target
 * when it is among them, else the first of them. The database decides, so that two first pushes agree; then HEAD follows.
 * Null: the project is gone.
 */
export async function settleDefaultBranch(
  { database, git, runUnitOfWork }: RefServices,
  projectId: number,
  moved: readonly RefChange[],
): Promise<Placed | null> {
  const found = await projectOf(database.reader, projectId);
  if (found === null) return null;
  const branches = moved
    .filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== zeroId)
    .map(({ ref }) => ref.slice(HEADS.length));
  if (!found.empty || branches.length === 0) return found;
  // Whoever pushes first: the rule that protects the default branch comes with the project.
  const creator = await actorOf(database.reader, found.creator_id);
  const default_branch = await runUnitOfWork(creator, (uow) => decide(uow, projectId, branches), { owed: true });
  if (default_branch === null) return null;
  await pointHead(database.reader, git, projectId);
  return { ...found, default_branch };
}

interface Beginning extends Placed {
  readonly id: number;
  readonly full_path: string;
  readonly creator_id: number | null;
  readonly empty: boolean;
}

async function projectOf(db: Reader, projectId: number): Promise<Beginning | null> {
  // index: repositories primary key, projects primary key, routes_by_project
  const row = await db
    .selectFrom('repositories')
    .innerJoin('projects', 'projects.id', 'repositories.project_id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select([
      'projects.id',
      'projects.creator_id',
      'routes.full_path',
      'repositories.storage',
      'repositories.disk_path',
      'repositories.default_branch',
      'repositories.empty',
    ])
    .where('repositories.project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? null;
}

async function decide(uow: UnitOfWork, projectId: number, branches: readonly string[]): Promise<string | null> {
  const found = await projectOf(uow, projectId);
  if (found === null) return null;
  const { empty, default_branch, full_path } = found;
  if (!empty) return default_branch;
  const decided = branches.includes(default_branch) ? default_branch : (branches[0] as string);
  await uow
    .updateTable('repositories')
    .set({ empty: false, default_branch: decided })
    .where('project_id', '=', projectId)
    .execute();
  const rule = defaultRule(decided, await defaultProtection(uow, projectId));
  const rules = await protectionRules(uow, projectId);
  if (rule === null || rulesFor(rules, decided).length > 0) return decided;
  const made = await findRule(uow, projectId, await insertRule(uow, projectId, rule));
  await recordRule(uow, 'protected_branch_created', { id: projectId, full_path }, made as StoredRule);
  return decided;
}
