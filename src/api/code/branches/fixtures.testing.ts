import { world } from '#test/support/world.ts';

/** Creates a project with two commits on `main`, and helpers for its branches. */
export async function createProjectWithBranches() {
  const project = await (await world()).newProject();
  const first = await project.commit({ 'a.txt': 'a' });
  const second = await project.commit({ 'a.txt': 'b' }, { at: 1_700_000_100 });
  const { owner, repository } = project;
  const create = (branch: string, ref = 'main') => owner.post(`${repository}/branches`, { branch, ref });
  const at = (branch: string) => `${repository}/branches/${encodeURIComponent(branch)}`;
  return { ...project, first, second, create, at };
}
