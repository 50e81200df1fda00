import type { Caller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import { canSeeProject, findMovedProject, findProject, roleIn } from '#domain/namespaces/projects.ts';
import { WIKI_SUFFIX } from '#domain/namespaces/routes.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import { findWiki } from '#domain/wikis.ts';
import { diskPathFor } from '#git/storage/storage.ts';
import type { Placed } from '#repositories/repository.ts';
import { READ_ONLY } from '../errors/error-messages.ts';
import {
  accessDenied,
  checkCredentials,
  checkNotMoved,
  forbidden,
  type GitAction,
  type GitCall,
  missing,
  text,
} from './git-rules.ts';

/** Wikis as git clients reach them (contract/operations.md §2.2 "Git"): `/<full path>.wiki.git`. */

const NO_GROUP = 'The group you were looking for could not be found.';

/** The project or group whose wiki the path names, for somebody who may do it there; null: it names no wiki. */
export async function gitWiki(call: GitCall, caller: Caller, action: GitAction): Promise<Place | null> {
  const name = call.path.repository_path ?? '';
  const path = name.slice(0, -WIKI_SUFFIX.length);
  if (!name.toLowerCase().endsWith(WIKI_SUFFIX) || path === '') return null;
  // A project that is called so is meant itself.
  if ((await findProject(call.db, caller, name)) !== null) return null;
  const place = await placeAt(call, caller, path, action);
  if (place === null || (caller.user === null && (action === 'push' || !mayAt(caller, 'download_wiki', place)))) {
    if (caller.user === null) throw accessDenied();
    throw path.includes('/') ? missing() : text(404, NO_GROUP);
  }
  await checkWikiAction(call.db, caller, place, action);
  return place;
}

async function placeAt(
  { db, services, request }: GitCall,
  caller: Caller,
  path: string,
  action: GitAction,
): Promise<Place | null> {
  const project = await findProject(db, caller, path);
  if (project !== null) return canSeeProject(caller, project) ? { project } : null;
  const group = /^\d+$/.test(path) ? null : await findGroup(db, caller, path);
  if (group !== null) return canSeeGroup(caller, group) && services.config.tier !== 'free' ? { group } : null;
  const moved = path.includes('/') ? await findMovedProject(db, caller, path) : null;
  if (moved === null || !canSeeProject(caller, moved)) return null;
  if (action === 'push') checkNotMoved(request, { full_path: moved.full_path + WIKI_SUFFIX }, path + WIKI_SUFFIX);
  return { project: moved };
}

async function checkWikiAction(db: Reader, caller: Caller, place: Place, action: GitAction): Promise<void> {
  checkCredentials(caller, action);
  const { project } = place;
  if (action === 'fetch') {
    const isJobElsewhere = caller.job !== undefined && caller.job.projectId !== project?.id;
    if (isJobElsewhere || !mayAt(caller, 'download_wiki', place)) {
      throw forbidden('You are not allowed to download files from this wiki.');
    }
    return;
  }
  if (project?.archived && roleIn(caller, project) >= DEVELOPER) {
    throw forbidden("You can't push code to an archived project.");
  }
  if (!mayAt(caller, 'create_wiki', place)) {
    throw forbidden(`You are not allowed to write to this ${project ? "project's" : "group's"} wiki.`);
  }
  if (project?.read_only || (await findWiki(db, place))?.read_only) throw forbidden(READ_ONLY[1]);
}

/** Where the wiki of a place lies. One that is not there yet cannot be fetched, and looks empty to whoever pushes. */
export async function wikiRepository(db: Reader, place: Place, action: GitAction | null): Promise<Placed> {
  const wiki = await findWiki(db, place);
  if (wiki !== null && (action === 'push' || !wiki.empty)) return wiki;
  if (action === 'push') {
    const { storage } = place.project ?? place.group!;
    return { storage, disk_path: diskPathFor('a wiki that is not there yet'), default_branch: 'main' };
  }
  throw text(404, `A repository for this ${place.project ? 'wiki' : 'group wiki'} does not exist yet.`);
}
