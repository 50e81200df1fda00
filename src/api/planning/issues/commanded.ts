import { findIssues } from '../../../access/issues.ts';
import type { ThingOfProject } from '../../../http/access/things.ts';
import type { CommandedKind } from '../quick-actions/index.ts';
import { changeIssue } from './change.ts';
import { issueSubject } from './commands.ts';

/** Issues, as comments command them. */
export const commandedIssues: CommandedKind<ThingOfProject> = {
  acting: ({ acting }, caller, { project, iid }, { turn }, work) =>
    acting(caller, (act) => work(act, (wish) => changeIssue(act, project, iid, wish)), { turn }),
  async subject(act, caller, { id, project }) {
    const [issue] = await findIssues(act, caller, [id]);
    return issue === undefined ? null : issueSubject(act, project, issue);
  },
};
