import type { Scene } from '#test/examples/scene.ts';

/** Creates an issuable for an example, with its path parameters and its reference. */
export type NewIssuable = (scene: Scene) => Promise<
  NoteableExample & {
    readonly path: Readonly<Record<string, number>>;
    /** Path parameters for endpoints that use the iid. */
    readonly iidPath: Readonly<Record<string, number>>;
  }
>;

/** Creates a noteable for an example. */
export type NewNoteable = (
  scene: Scene,
) => Promise<NoteableExample & { readonly path: Readonly<Record<string, number | string>> }>;

interface NoteableExample {
  /** Base URL of its subresources. */
  readonly at: string;
  /** URL for updates. */
  readonly updateUrl: string;
  readonly reference: string;
}

export const newIssueNoteable: NewIssuable = async ({ project, newIssue }) => {
  const { iid } = await newIssue();
  const at = `${project.at}/issues/${iid}`;
  const path = { id: project.id, issue_iid: iid };
  return { at, updateUrl: at, path, iidPath: path, reference: `#${iid}` };
};

export const newMergeRequestNoteable: NewIssuable = async ({ project, newMergeRequest }) => {
  const { iid } = await newMergeRequest();
  const at = `${project.at}/merge_requests/${iid}`;
  const path = { id: project.id, merge_request_iid: iid };
  return { at, updateUrl: at, path, iidPath: path, reference: `!${iid}` };
};

export const newEpicNoteable: NewIssuable = async ({ group, newEpic }) => {
  const { id, iid } = await newEpic();
  const [at, updateUrl] = [`${group.at}/epics/${id}`, `${group.at}/epics/${iid}`];
  const [path, iidPath] = [
    { id: group.id, epic_id: id },
    { id: group.id, epic_iid: iid },
  ];
  return { at, updateUrl, path, iidPath, reference: `&${iid}` };
};

/** Returns the last commit of the branch `feature`, which already exists in the scene's repository. */
export const newCommitNoteable: NewNoteable = async ({ project, repository: { feature: sha } }) => {
  const at = `${project.repository}/commits/${sha}`;
  const path = { id: project.id, sha };
  return { at, updateUrl: at, path, reference: sha };
};

/** Creates a snippet of the scene's project, with the project's visibility. */
export const newSnippetNoteable: NewNoteable = async ({ project, visibility, expectSuccess }) => {
  const input = { title: 'Deploy', file_name: 'deploy.sh', content: 'run', visibility };
  const { body } = await expectSuccess(project.owner.post(`${project.at}/snippets`, input));
  const at = `${project.at}/snippets/${body.id}`;
  return { at, updateUrl: at, path: { id: project.id, snippet_id: body.id }, reference: `$${body.id}` };
};

/** Returns the position of a line that the last commit of `feature` adds. */
export function createAddedLinePosition({ main, feature }: Scene['repository']) {
  const shas = { base_sha: main, start_sha: main, head_sha: feature };
  return { ...shas, position_type: 'text', new_path: 'docs/feature.md', new_line: 1 };
}
