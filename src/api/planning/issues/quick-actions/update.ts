import type { CommandedKind } from '#api/planning/quick-actions/index.ts';
import { findIssues } from '#authorization/issues.ts';
import type { ThingOfProject } from '#http/access/noteables.ts';
import { changeIssue } from '../update.ts';
import { issueSubject } from './subject.ts';

/** Issues, as comments command them. */
export const commandedIssues: CommandedKind<ThingOfProject> = {
  runUnitOfWork: ({ runUnitOfWork }, caller, { project, iid }, { turn }, work) =>
    runUnitOfWork(caller, (uow) => work(uow, (wish) => changeIssue(uow, project, iid, wish)), { turn }),
  async subject(uow, caller, { id, project }) {
    const [issue] = await findIssues(uow, caller, [id]);
    return issue === undefined ? null : issueSubject(uow, project, issue);
  },
};
