import { done, type Group, type Project } from '#test/support/world.ts';

/** An epic of the group by its owner: its paths and what makes and lists its issues. */
export async function newEpic({ at, owner }: Group, params: Readonly<Record<string, unknown>> = {}) {
  const { body } = await done(owner.post(`${at}/epics`, { title: 'Big', ...params }));
  const epic = `${at}/epics/${body.iid}`;
  return { id: body.id as number, iid: body.iid as number, at: epic, issues: `${epic}/issues` };
}

export async function newIssue({ at, owner }: Project, params: Readonly<Record<string, unknown>> = {}) {
  return (await done(owner.post(`${at}/issues`, { title: 'Broken', ...params }))).body;
}
