import { mayInProject } from '#authorization/abilities.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { authorizedMergeRequestAccess } from '../merge-requests/index.ts';

/** Access for bots of project and group tokens with the Developer role; all other callers get 401. */
export const resetApprovalsAccess = () =>
  authorizedMergeRequestAccess(async ({ db, caller }, { project }) => {
    const isBot = caller.user !== null && (await isTokenBot(db, caller.user.id));
    if (!isBot || !mayInProject(caller, 'update_merge_request', project)) throw unauthorized();
  }).withLabel('project:update_merge_request, token bots only (401)');
