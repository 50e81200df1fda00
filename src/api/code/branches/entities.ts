import { Type } from 'typebox';
import { findMatchingRules, mayPush } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { filterReachable } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import type { Commit as GitCommit } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevisionAtVersion } from '#git/refs/revision.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import {
  buildProjectUrl,
  encodeUrlPath,
  getRefVersion,
  getRepository,
  type VersionedRepository,
} from '#repositories/repository.ts';
import { Commit } from '../commits/index.ts';

/** A branch with its last commit (the tip), read from git. */
export interface BranchRow {
  readonly project: Project;
  readonly name: string;
  readonly commit: GitCommit;
}

/** A branch (contract/repository.md §2). */
export const Branch = entity('Branch', {
  name: Type.String(),
  commit: Commit.schema,
  merged: Type.Boolean({
    description: 'Whether the default branch contains the last commit, and its own last commit is another one.',
  }),
  protected: Type.Boolean({ description: 'Whether a protection rule matches the name.' }),
  developers_can_push: Type.Boolean({ description: 'Whether a matching rule admits Developers.' }),
  developers_can_merge: Type.Boolean({ description: 'Whether a matching rule admits Developers.' }),
  can_push: Type.Boolean({ description: 'Whether the caller may push to the branch.' }),
  default: Type.Boolean(),
  web_url: Type.String(),
}).from(loadBranchRelations, ({ project, name, commit }, context, { rules, merged }) => {
  const matchedRules = findMatchingRules(rules, name);
  const hasDeveloperEntry = (kind: 'push' | 'merge') =>
    matchedRules.some((rule) => rule[kind].some((entry) => entry.access_level === DEVELOPER && entry.user_id === null));
  const wellFormedName = name.toWellFormed();
  return {
    name: wellFormedName,
    commit: Commit.serialize({ commit, project }, context),
    merged: merged.has(commit.id),
    protected: matchedRules.length > 0,
    developers_can_push: hasDeveloperEntry('push'),
    developers_can_merge: hasDeveloperEntry('merge'),
    can_push: mayPush(context.caller, project, rules, name),
    default: name === project.default_branch,
    web_url: `${buildProjectUrl({ baseUrl: context.url }, project)}/-/tree/${encodeUrlPath(wellFormedName)}`,
  };
});

/** Loads the protection rules and the merged tips. All branches of a list belong to one project. */
async function loadBranchRelations(branches: readonly BranchRow[], { db, git }: SerializationContext) {
  const project = branches[0]?.project;
  if (project === undefined) return { rules: [], merged: new Set<string>() };
  const tips = branches.map(({ commit }) => commit.id);
  const [rules, merged] = await Promise.all([listProtectionRules(db, project.id), findMergedTips(git, project, tips)]);
  return { rules, merged };
}

/** Returns the tips that are ancestors of the tip of the default branch. The tip of the default branch itself does not count. */
async function findMergedTips(
  git: Git,
  project: VersionedRepository,
  tips: readonly string[],
): Promise<ReadonlySet<string>> {
  const repository = getRepository(git, project);
  const defaultTip = await resolveRevisionAtVersion(
    git,
    repository,
    HEADS + project.default_branch,
    getRefVersion(project),
  );
  const otherTips = tips.filter((id) => id !== defaultTip);
  return defaultTip === null || otherTips.length === 0
    ? new Set()
    : filterReachable(git, repository, otherTips, defaultTip);
}
