import type { Scene } from '../../../../test/examples/scene.ts';

/** For examples: a new thing of a kind, what an example's path says of it, and how texts name it. */
export type NewThing = (scene: Scene) => Promise<{
  /** Where what hangs on it is. */
  readonly at: string;
  /** Where it is changed itself. */
  readonly changed: string;
  readonly path: Readonly<Record<string, number>>;
  /** The same of an example whose path has the thing's number. */
  readonly numbered: Readonly<Record<string, number>>;
  readonly named: string;
}>;

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
