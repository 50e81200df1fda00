import { type Answer, type Caller, done, type Project } from '#test/support/world.ts';

/** What a deployment of the project's first commit says of itself, unless it says something else. */
export async function reported(project: Project, wish: object = {}): Promise<Record<string, unknown>> {
  const { commit } = (await done(project.owner.get(`${project.repository}/branches/main`))).body;
  return { environment: 'production', sha: commit.id, ref: 'main', tag: false, status: 'running', ...wish };
}

/** Reports a deployment, by the project's owner unless another one is named. */
export async function report(project: Project, wish: object = {}, by: Caller = project.owner): Promise<Answer> {
  return by.post(`${project.at}/deployments`, await reported(project, wish));
}
