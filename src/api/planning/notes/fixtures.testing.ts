import { type Caller, done, type Project } from '#test/support/world.ts';

/** An issue, by its owner unless somebody else is named; `notes` is the path of its notes. */
export async function newIssue(project: Project, params: object = {}, by: Caller = project.owner) {
  const { body } = await done(by.post(`${project.at}/issues`, { title: 'Retry loop spins', ...params }));
  return {
    id: body.id as number,
    iid: body.iid as number,
    at: `${project.at}/issues/${body.iid}`,
    notes: `${project.at}/issues/${body.iid}/notes`,
  };
}

/** What has been said there, as this caller sees it, the latest first. */
export const bodiesOf = async (caller: Caller, { notes }: { readonly notes: string }, params = {}): Promise<string[]> =>
  (await caller.get(notes, params)).body.map(({ body }: { body: string }) => body);
