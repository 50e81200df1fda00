import type { Post } from './page-values.ts';

/** Creates what the pages of merge requests show in a project; returns values for the parameters of their addresses. */
export async function createMergeRequestValues(post: Post, id: string): Promise<Readonly<Record<string, string>>> {
  const { id: sha } = await post(`/projects/${id}/repository/commits`, {
    branch: 'fix/flue',
    start_branch: 'main',
    commit_message: 'Widen the flue\n\nSmoke stayed in the room.',
    actions: [
      { action: 'create', file_path: 'src/flue.ts', content: 'export const width = 20;\n' },
      { action: 'update', file_path: 'README.md', content: '# Stove\nWith a wide flue.\n' },
    ],
  });
  const { iid, diff_refs } = await post(`/projects/${id}/merge_requests`, {
    title: 'Widen the flue',
    description: 'So that *all* smoke leaves.\n\n- [x] measure\n- [ ] build',
    source_branch: 'fix/flue',
    target_branch: 'main',
  });
  await post(`/projects/${id}/merge_requests/${iid}/discussions`, {
    body: 'Why 20?',
    position: {
      ...(diff_refs as object),
      position_type: 'text',
      new_path: 'src/flue.ts',
      old_path: 'src/flue.ts',
      new_line: 1,
    },
  });
  await post(`/projects/${id}/merge_requests/${iid}/notes`, { body: 'Looks good' });
  return { merge_request_iid: String(iid), sha: String(sha), range: 'main...fix/flue' };
}
