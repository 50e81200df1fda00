import { expectSuccess, type Group, type Project } from '#test/support/world.ts';

/** Creates an epic as the group's owner and returns its ids and URLs. */
export async function newEpic({ at, owner }: Group, params: Readonly<Record<string, unknown>> = {}) {
  const { body } = await expectSuccess(owner.post(`${at}/epics`, { title: 'Big', ...params }));
  const epicUrl = `${at}/epics/${body.iid}`;
  return { id: body.id as number, iid: body.iid as number, at: epicUrl, issues: `${epicUrl}/issues` };
}

/** Creates an issue as the project's owner and returns it. */
export async function newIssue({ at, owner }: Project, params: Readonly<Record<string, unknown>> = {}) {
  return (await expectSuccess(owner.post(`${at}/issues`, { title: 'Broken', ...params }))).body;
}
