import { type Caller, expectSuccess, type Project, type TestResponse } from '#test/support/world.ts';

/** Returns the parameters of a deployment of the project's first commit, with overrides. */
export async function createDeploymentParams(
  project: Project,
  overrides: object = {},
): Promise<Record<string, unknown>> {
  const { commit } = (await expectSuccess(project.owner.get(`${project.repository}/branches/main`))).body;
  return { environment: 'production', sha: commit.id, ref: 'main', tag: false, status: 'running', ...overrides };
}

/** Creates a deployment, as the project's owner by default. */
export async function reportDeployment(
  project: Project,
  overrides: object = {},
  caller: Caller = project.owner,
): Promise<TestResponse> {
  return caller.post(`${project.at}/deployments`, await createDeploymentParams(project, overrides));
}
