import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Services } from '#http/services.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { readTemplate } from './issue-template.ts';
import { type IncidentSettings, saveSettings, settingsOf } from './store.ts';

/** What is to be changed: what is not there stays. */
type Wish = { readonly [Name in keyof IncidentSettings]?: IncidentSettings[Name] | null | undefined };

/** Changes what the project makes of its alerts. Where incidents are to be made, their template must be there. */
export async function changeSettings(
  { runUnitOfWork, database, git }: Pick<Services, 'runUnitOfWork' | 'database' | 'git'>,
  caller: SignedInCaller,
  project: Project,
  wish: Wish,
): Promise<IncidentSettings | Failure<'invalid'>> {
  // A template that goes later, or while this is decided, is left out of incidents.
  const { create_issue, issue_template_key: key } = changed(await settingsOf(database.reader, project.id), wish);
  if (create_issue && key !== null && (await readTemplate(git, project, key)) === null) {
    return invalid({ issue_template_key: ['not found'] });
  }
  return runUnitOfWork(caller, async (uow) => {
    const after = changed(await settingsOf(uow, project.id), wish);
    await saveSettings(uow, project.id, after);
    return after;
  });
}

/** An empty key is none. */
function changed(before: IncidentSettings, { issue_template_key: key, ...flags }: Wish): IncidentSettings {
  return {
    create_issue: flags.create_issue ?? before.create_issue,
    send_email: flags.send_email ?? before.send_email,
    auto_close_incident: flags.auto_close_incident ?? before.auto_close_incident,
    issue_template_key: key === undefined ? before.issue_template_key : key || null,
  };
}
