import type { Scene } from '#test/examples/scene.ts';

/** For examples: a new thing of a kind, what an example's path says of it, and how texts name it. */
export type NewThing = (scene: Scene) => Promise<
  Told & {
    readonly path: Readonly<Record<string, number>>;
    /** The same of an example whose path has the thing's number. */
    readonly numbered: Readonly<Record<string, number>>;
  }
>;

/** The same of whatever is commented on. */
export type NewNoteable = (
  scene: Scene,
) => Promise<Told & { readonly path: Readonly<Record<string, number | string>> }>;

interface Told {
  /** Where what hangs on it is. */
  readonly at: string;
  /** Where it is changed itself. */
  readonly changed: string;
  readonly named: string;
}

export const newIssueThing: NewThing = async ({ project, newIssue }) => {
  const { iid } = await newIssue();
  const at = `${project.at}/issues/${iid}`;
  const path = { id: project.id, issue_iid: iid };
  return { at, changed: at, path, numbered: path, named: `#${iid}` };
};

export const newMergeRequestThing: NewThing = async ({ project, newMergeRequest }) => {
  const { iid } = await newMergeRequest();
  const at = `${project.at}/merge_requests/${iid}`;
  const path = { id: project.id, merge_request_iid: iid };
  return { at, changed: at, path, numbered: path, named: `!${iid}` };
};

export const newEpicThing: NewThing = async ({ group, newEpic }) => {
  const { id, iid } = await newEpic();
  const [at, changed] = [`${group.at}/epics/${id}`, `${group.at}/epics/${iid}`];
  const [path, numbered] = [
    { id: group.id, epic_id: id },
    { id: group.id, epic_iid: iid },
  ];
  return { at, changed, path, numbered, named: `&${iid}` };
};

/** The last commit of `feature`, which is none that is only now made. */
export const commentedCommit: NewNoteable = async ({ project, repository: { feature: sha } }) => {
  const at = `${project.repository}/commits/${sha}`;
  const path = { id: project.id, sha };
  return { at, changed: at, path, named: sha };
};

/** A line that the last commit of `feature` has added. */
export function addedLine({ main, feature }: Scene['repository']) {
  const shas = { base_sha: main, start_sha: main, head_sha: feature };
  return { ...shas, position_type: 'text', new_path: 'docs/feature.md', new_line: 1 };
}
