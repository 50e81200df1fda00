import { mayInProject } from '#authorization/abilities.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { actingOnReadable } from '../merge-requests/index.ts';

/** The bots of project and group tokens who are Developers there; all others are told so by 401. */
export const resettingApprovals = () =>
  actingOnReadable(async ({ db, caller }, { project }) => {
    const isBot = caller.user !== null && (await isTokenBot(db, caller.user.id));
    if (!isBot || !mayInProject(caller, 'update_merge_request', project)) throw unauthorized();
  }).require(() => {}, 'project:update_merge_request, bots of tokens alone (401)');
