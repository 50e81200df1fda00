import { stillThere } from '../../../access/gone.ts';
import { findMergeRequests } from '../../../access/merge-requests.ts';
import type { ThingOfProject } from '../../../http/access/things.ts';
import type { CommandedKind } from '../quick-actions/index.ts';
import { whereItChanges } from './change.ts';
import { mergeRequestSubject } from './commands.ts';

/** Merge requests, as comments command them. */
export const commandedMergeRequests: CommandedKind<ThingOfProject> = {
  async acting(rooms, caller, { id, project }, how, work) {
    const [found] = await findMergeRequests(rooms.database.current().reader, caller, [id]);
    const mergeRequest = stillThere(found);
    return whereItChanges(rooms, { caller, project, mergeRequest }, how, (act, _standing, change) => work(act, change));
  },
  async subject(act, caller, { id, project }) {
    const [mergeRequest] = await findMergeRequests(act, caller, [id]);
    return mergeRequest === undefined ? null : mergeRequestSubject(act, { caller, project }, mergeRequest);
  },
};
