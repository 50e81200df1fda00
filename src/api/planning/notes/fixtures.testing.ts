import { type Caller, expectSuccess, type Project } from '#test/support/world.ts';

/** Creates an issue, as the project's owner by default. `notes` is the path of its notes. */
export async function newIssue(project: Project, params: object = {}, by: Caller = project.owner) {
  const { body } = await expectSuccess(by.post(`${project.at}/issues`, { title: 'Retry loop spins', ...params }));
  return {
    id: body.id as number,
    iid: body.iid as number,
    at: `${project.at}/issues/${body.iid}`,
    notes: `${project.at}/issues/${body.iid}/notes`,
  };
}

/** Returns the bodies of the notes that this caller sees, newest first. */
export const listNoteBodies = async (
  caller: Caller,
  { notes }: { readonly notes: string },
  params = {},
): Promise<string[]> => (await caller.get(notes, params)).body.map(({ body }: { body: string }) => body);
