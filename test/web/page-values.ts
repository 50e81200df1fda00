import { createMergeRequestValues } from './merge-request-values.ts';
import { createPipelineValues } from './pipeline-values.ts';
import { createPlanningValues } from './planning-values.ts';

/** Creates something through the API; returns the response. */
export type Post = (path: string, body: object) => Promise<{ readonly [key: string]: unknown }>;

/** Fills an empty project with what the pages of the web application show. Returns a value for each parameter of their addresses. */
export async function createPageValues(post: Post, project: string): Promise<Readonly<Record<string, string>>> {
  const id = encodeURIComponent(project);
  const commitFile = (path: string, content: string) =>
    post(`/projects/${id}/repository/files/${encodeURIComponent(path)}`, {
      branch: 'main',
      content,
      commit_message: `Add ${path}`,
    });
  const text = `# Fire\n\n${'A long line of text about fires. '.repeat(20)}\n${'More.\n'.repeat(200)}`;
  await commitFile('README.md', '# Stove\n<b>hot</b>\n');
  await commitFile('docs/fire.md', text);
  await post(`/projects/${id}/repository/tags`, { tag_name: 'v1.0', ref: 'main' });
  const { full_path: group } = await post('/groups', {
    name: `${project} stoves`,
    path: `${project.replaceAll('/', '-')}-stoves`,
  });
  const { author } = await post(`/projects/${id}/issues`, { title: 'The grate is too small' });
  const { username } = author as { readonly username: string };
  const pipelines = await createPipelineValues(post, id);
  const planning = await createPlanningValues(post, project, String(group));
  const mergeRequests = await createMergeRequestValues(post, id);
  return {
    ...planning,
    ...mergeRequests,
    project,
    ...pipelines,
    group: String(group),
    username,
    ref: 'main',
    ref_path: 'main/docs',
    ref_file: 'main/docs/fire.md',
  };
}
