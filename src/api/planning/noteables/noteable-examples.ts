import type { Scene } from '#test/examples/scene.ts';

/** Creates an issuable for an example, with its path parameters and its reference. */
export type NewIssuable = (scene: Scene) => Promise<
  NoteableExample & {
    readonly path: Readonly<Record<string, number>>;
    /** Path parameters for endpoints that use the iid of epics. */
    readonly pathByIid: Readonly<Record<string, number>>;
  }
>;

/** Creates a noteable for an example. */
export type NewNoteable = (
  scene: Scene,
) => Promise<NoteableExample & { readonly path: Readonly<Record<string, number | string>> }>;

interface NoteableExample {
  /** URL that begins the URLs of notes, threads and resource events. Epics have their id in it. */
  readonly url: string;
  /** URL for updates and award emoji. Epics have their iid in it. */
  readonly urlByIid: string;
  readonly reference: string;
}

export const newIssueNoteable: NewIssuable = async ({ project, newIssue }) => {
  const { iid } = await newIssue();
  const url = `${project.at}/issues/${iid}`;
  const path = { id: project.id, issue_iid: iid };
  return { url, urlByIid: url, path, pathByIid: path, reference: `#${iid}` };
};

export const newMergeRequestNoteable: NewIssuable = async ({ project, newMergeRequest }) => {
  const { iid } = await newMergeRequest();
  const url = `${project.at}/merge_requests/${iid}`;
  const path = { id: project.id, merge_request_iid: iid };
  return { url, urlByIid: url, path, pathByIid: path, reference: `!${iid}` };
};

export const newEpicNoteable: NewIssuable = async ({ group, newEpic }) => {
  const { id, iid } = await newEpic();
  const [url, urlByIid] = [`${group.at}/epics/${id}`, `${group.at}/epics/${iid}`];
  const [path, pathByIid] = [
    { id: group.id, epic_id: id },
    { id: group.id, epic_iid: iid },
  ];
  return { url, urlByIid, path, pathByIid, reference: `&${iid}` };
};

/** Returns the last commit of the branch `feature`, which already exists in the scene's repository. */
export const newCommitNoteable: NewNoteable = async ({ project, repository: { feature: sha } }) => {
  const url = `${project.repository}/commits/${sha}`;
  const path = { id: project.id, sha };
  return { url, urlByIid: url, path, reference: sha };
};

/** Creates a snippet of the scene's project, with the project's visibility. */
export const newSnippetNoteable: NewNoteable = async ({ project, visibility, expectSuccess }) => {
  const input = { title: 'Deploy', file_name: 'deploy.sh', content: 'run', visibility };
  const { body } = await expectSuccess(project.owner.post(`${project.at}/snippets`, input));
  const url = `${project.at}/snippets/${body.id}`;
  return { url, urlByIid: url, path: { id: project.id, snippet_id: body.id }, reference: `$${body.id}` };
};

/** Returns the position of a line that the last commit of `feature` adds. */
export function createAddedLinePosition({ main, feature }: Scene['repository']) {
  const shas = { base_sha: main, start_sha: main, head_sha: feature };
  return { ...shas, position_type: 'text', new_path: 'docs/feature.md', new_line: 1 };
}
