import { type Caller, expectSuccess, type Project } from '#test/support/world.ts';

type Event = Readonly<Record<string, unknown>>;

/** Returns a feed as this caller sees it. */
export const getFeed = async (caller: Caller, path: string, params = {}): Promise<Event[]> =>
  (await expectSuccess(caller.get(path, params))).body;

/** Returns `<action> <target type>` for each event of a feed: `opened Issue`, `pushed to`. */
export const describeFeed = async (caller: Caller, path: string, params = {}): Promise<string[]> =>
  (await getFeed(caller, path, params)).map(({ action_name, target_type }) =>
    target_type === null ? String(action_name) : `${action_name} ${target_type}`,
  );

/** Creates an issue, as the project's owner by default. `at` is its API path. */
export async function newIssue(project: Project, params: object = {}, by: Caller = project.owner) {
  const { body } = await expectSuccess(by.post(`${project.at}/issues`, { title: 'Retry loop spins', ...params }));
  return { id: body.id as number, iid: body.iid as number, at: `${project.at}/issues/${body.iid}` };
}

/** Creates a comment on an issue and returns its JSON. */
export async function createComment(by: Caller, issue: { readonly at: string }, params: object = {}) {
  return (await expectSuccess(by.post(`${issue.at}/notes`, { body: 'Seen on two hosts', ...params }))).body;
}
