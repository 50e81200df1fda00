import type { Caller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import { canSeeProject, findMovedProject, findProject, getProjectRole } from '#domain/namespaces/projects.ts';
import { WIKI_SUFFIX } from '#domain/namespaces/routes.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import type { LocatedRepository } from '#repositories/repository.ts';
import { REPOSITORY_READ_ONLY } from '../errors/error-messages.ts';
import {
  credentialsRequired,
  type GitAction,
  type GitCall,
  gitForbidden,
  plainError,
  repositoryNotFound,
  requireCurrentPath,
  requireGitScope,
} from './git-rules.ts';

/** Access of git clients to wikis, `/<full path>.wiki.git` (contract/operations.md §2.2 "Git"). */

const GROUP_NOT_FOUND = 'The group you were looking for could not be found.';

/** Returns the parent of the wiki in the path and authorizes the action; null if the path is not that of a wiki. */
export async function findGitWiki(call: GitCall, caller: Caller, action: GitAction): Promise<GroupOrProject | null> {
  const repositoryPath = call.path.repository_path ?? '';
  const path = repositoryPath.slice(0, -WIKI_SUFFIX.length);
  if (!repositoryPath.toLowerCase().endsWith(WIKI_SUFFIX) || path === '') return null;
  // A project whose own path ends in `.wiki` takes precedence.
  if ((await findProject(call.db, caller, repositoryPath)) !== null) return null;
  const parent = await findWikiParent(call, caller, path, action);
  // Anonymous clients are asked for credentials, whether the parent is missing or their access is.
  if (
    parent === null ||
    (caller.user === null && (action === 'push' || !mayInParent(caller, 'download_wiki', parent)))
  ) {
    if (caller.user === null) throw credentialsRequired();
    // Only a group can have a path without a slash.
    throw path.includes('/') ? repositoryNotFound() : plainError(404, GROUP_NOT_FOUND);
  }
  await requireWikiAction(call.db, caller, parent, action);
  return parent;
}

async function findWikiParent(
  { db, services, request }: GitCall,
  caller: Caller,
  path: string,
  action: GitAction,
): Promise<GroupOrProject | null> {
  const project = await findProject(db, caller, path);
  if (project !== null) return canSeeProject(caller, project) ? { project } : null;
  const group = /^\d+$/.test(path) ? null : await findGroup(db, caller, path);
  if (group !== null) return canSeeGroup(caller, group) && services.config.tier !== 'free' ? { group } : null;
  const movedProject = path.includes('/') ? await findMovedProject(db, caller, path) : null;
  if (movedProject === null || !canSeeProject(caller, movedProject)) return null;
  if (action === 'push')
    requireCurrentPath(request, { full_path: movedProject.full_path + WIKI_SUFFIX }, path + WIKI_SUFFIX);
  return { project: movedProject };
}

async function requireWikiAction(db: Reader, caller: Caller, parent: GroupOrProject, action: GitAction): Promise<void> {
  requireGitScope(caller, action);
  const { project } = parent;
  if (action === 'fetch') {
    const isJobOfOtherProject = caller.job !== undefined && caller.job.projectId !== project?.id;
    if (isJobOfOtherProject || !mayInParent(caller, 'download_wiki', parent)) {
      throw gitForbidden('You are not allowed to download files from this wiki.');
    }
    return;
  }
  if (project?.archived && getProjectRole(caller, project) >= DEVELOPER) {
    throw gitForbidden("You can't push code to an archived project.");
  }
  if (!mayInParent(caller, 'create_wiki', parent)) {
    throw gitForbidden(`You are not allowed to write to this ${project ? "project's" : "group's"} wiki.`);
  }
  if (project?.read_only || (await findWiki(db, parent))?.read_only) throw gitForbidden(REPOSITORY_READ_ONLY[1]);
}

/** Returns the repository of a wiki. A missing one cannot be fetched, and appears empty to a push. */
export async function getWikiRepository(
  db: Reader,
  parent: GroupOrProject,
  action: GitAction | null,
): Promise<LocatedRepository> {
  const wiki = await findWiki(db, parent);
  if (wiki !== null && (action === 'push' || !wiki.empty)) return wiki;
  if (action === 'push') {
    const { storage } = parent.project ?? parent.group!;
    // No repository has this path, so that the push sees an empty one.
    return { storage, disk_path: toDiskPath('a wiki that is not there yet'), default_branch: 'main' };
  }
  throw plainError(404, `A repository for this ${parent.project ? 'wiki' : 'group wiki'} does not exist yet.`);
}
