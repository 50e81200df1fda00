import type { CommandedKind } from '#api/planning/quick-actions/index.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { ThingOfProject } from '#http/access/noteables.ts';
import { whereItChanges } from '../update.ts';
import { mergeRequestSubject } from './subject.ts';

/** Merge requests, as comments command them. */
export const commandedMergeRequests: CommandedKind<ThingOfProject> = {
  async runUnitOfWork(services, caller, { id, project }, how, work) {
    const [found] = await findMergeRequests(services.database.current().reader, caller, [id]);
    const mergeRequest = stillThere(found);
    return whereItChanges(services, { caller, project, mergeRequest }, how, (uow, _standing, change) =>
      work(uow, change),
    );
  },
  async subject(uow, caller, { id, project }) {
    const [mergeRequest] = await findMergeRequests(uow, caller, [id]);
    return mergeRequest === undefined ? null : mergeRequestSubject(uow, { caller, project }, mergeRequest);
  },
};
