import { loadBranchAccessDescriber } from '#authorization/access-level-descriptions.ts';
import { buildDefaultRule, findMatchingRules, type RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import {
  findProtectionRule,
  insertProtectionRule,
  listProtectionRules,
  type ProtectionRuleRow,
} from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { countContainedTips } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { formatQuotedList } from '#text/json-object.ts';
import { loadDefaultProtection } from '../ref-updates/ref-permissions.ts';
import { loadActor } from '../ref-updates/ref-update-actor.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { syncHead } from './default-branch.ts';

/** Names that have priority if the first branches do not include the configured default branch. */
const USUAL_NAMES = ['main', 'master'];

/**
 * Returns the default branch of an empty repository, whose first branches exist now (contract/repository.md §2): the
 * configured one if it is among them, else a usual name, else the branch that contains most of the others, else the
 * first. Null if no branch was created.
 */
export async function selectInitialDefaultBranch(
  git: Git,
  location: LocatedRepository,
  movedRefs: readonly RefChange[],
): Promise<string | null> {
  const branchChanges = movedRefs.filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== ZERO_ID);
  const names = branchChanges.map(({ ref }) => ref.slice(HEADS.length));
  if (names.length < 2) return names[0] ?? null;
  const expectedName = [location.default_branch, ...USUAL_NAMES].find((name) => names.includes(name));
  if (expectedName !== undefined) return expectedName;
  const heads = branchChanges.map(({ newId }) => newId);
  const counts = await countContainedTips(git, getRepository(git, location), heads);
  const maximum = counts.reduce((a, b) => Math.max(a, b));
  return names[counts.indexOf(maximum)]!;
}

/**
 * Sets the default branch of an empty repository after its first branches exist. The database decides between
 * concurrent first pushes; HEAD follows. Returns null if the project was deleted.
 */
export async function chooseDefaultBranch(
  { database, git, runUnitOfWork }: RefServices,
  projectId: number,
  movedRefs: readonly RefChange[],
): Promise<LocatedRepository | null> {
  const repositoryRow = await loadProjectRepository(database.reader, projectId);
  if (repositoryRow === null) return null;
  const branch = repositoryRow.empty ? await selectInitialDefaultBranch(git, repositoryRow, movedRefs) : null;
  if (branch === null) return repositoryRow;
  // The project's creator is the author of the default branch's protection rule, not the first pusher.
  const creator = await loadActor(database.reader, repositoryRow.creator_id);
  const default_branch = await runUnitOfWork(creator, (uow) => writeDefaultBranch(uow, projectId, branch), {
    exemptFromLimit: true,
  });
  if (default_branch === null) return null;
  await syncHead(database.reader, git, projectId);
  return { ...repositoryRow, default_branch };
}

interface ProjectRepositoryRow extends LocatedRepository {
  readonly id: number;
  readonly full_path: string;
  readonly creator_id: number | null;
  readonly empty: boolean;
}

async function loadProjectRepository(db: Reader, projectId: number): Promise<ProjectRepositoryRow | null> {
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

/** Stores the default branch, and protects it by the default rule if no rule matches. Null if the project was deleted. */
async function writeDefaultBranch(uow: UnitOfWork, projectId: number, branch: string): Promise<string | null> {
  const repositoryRow = await loadProjectRepository(uow, projectId);
  if (repositoryRow === null) return null;
  const { empty, default_branch, full_path } = repositoryRow;
  if (!empty) return default_branch;
  await uow
    .updateTable('repositories')
    .set({ empty: false, default_branch: branch })
    .where('project_id', '=', projectId)
    .execute();
  const rule = buildDefaultRule(branch, await loadDefaultProtection(uow, projectId));
  const rules = await listProtectionRules(uow, projectId);
  if (rule === null || findMatchingRules(rules, branch).length > 0) return branch;
  const createdRule = await findProtectionRule(uow, projectId, await insertProtectionRule(uow, projectId, rule));
  await recordProtectionRule(
    uow,
    'protected_branch_created',
    { id: projectId, full_path },
    createdRule as ProtectionRuleRow,
  );
  return branch;
}

/** Records an audit event for a created or deleted protection rule (contract/activity.md Part 3). */
export async function recordProtectionRule(
  uow: UnitOfWork,
  name: 'protected_branch_created' | 'protected_branch_removed',
  project: { readonly id: number; readonly full_path: string },
  rule: ProtectionRuleRow,
): Promise<void> {
  const describe = await loadBranchAccessDescriber(uow, [rule]);
  const describeEntries = (kind: RuleKind) => rule[kind].map((entry) => describe(entry));
  const [push_access_levels, merge_access_levels] = [describeEntries('push'), describeEntries('merge')];
  const { allow_force_push, code_owner_approval_required } = rule;
  const addedText = `Added protected branch with [allowed to push: ${formatQuotedList(push_access_levels)}, allowed to merge: ${formatQuotedList(merge_access_levels)}, allow force push: ${allow_force_push}, code owner approval required: ${code_owner_approval_required}]`;
  await uow.record({
    name,
    entity: { type: 'Project', id: project.id, path: project.full_path },
    target: { type: 'ProtectedBranch', id: rule.id, details: rule.name },
    message: name === 'protected_branch_created' ? addedText : 'Unprotected branch',
    details: { push_access_levels, merge_access_levels, allow_force_push, code_owner_approval_required },
  });
}
