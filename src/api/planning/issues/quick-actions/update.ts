import type { CommandedKind } from '#api/planning/quick-actions/index.ts';
import { findIssues } from '#authorization/issues.ts';
import type { ThingOfProject } from '#http/access/noteables.ts';
import { changeIssue } from '../update.ts';
import { issueSubject } from './subject.ts';

/** Issues, as comments command them. */
export const commandedIssues: CommandedKind<ThingOfProject> = {
  acting: ({ acting }, caller, { project, iid }, { turn }, work) =>
    acting(caller, (act) => work(act, (wish) => changeIssue(act, project, iid, wish)), { turn }),
  async subject(act, caller, { id, project }) {
    const [issue] = await findIssues(act, caller, [id]);
    return issue === undefined ? null : issueSubject(act, project, issue);
  },
};
