import { mayInProject } from '../../../access/abilities.ts';
import { isTokenBot } from '../../../access/token-bots.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inProject } from '../../../http/access/project-access.ts';
import { forbidden, unauthorized } from '../../../http/refusals/refusal.ts';
import { type OfMergeRequest, readableMergeRequest } from '../merge-requests/index.ts';

/** The bots of project and group tokens who are Developers there; all others are told so by 401. Of an archived project nobody may. */
export const resettingApprovals = () =>
  inProject('read_project')
    .record({
      ...readableMergeRequest,
      async allow({ db, caller }: AccessCall, { project }: OfMergeRequest) {
        if (project.archived) throw forbidden();
        const isBot = caller.user !== null && (await isTokenBot(db, caller.user.id));
        if (!isBot || !mayInProject(caller, 'update_merge_request', project)) throw unauthorized();
      },
    })
    .and(() => {}, 'project:update_merge_request, bots of tokens alone (401)');
