import { ANONYMOUS } from '#authentication/caller.ts';
import { type Caller, expectSuccess, type Project, type World } from '#test/support/world.ts';

let branchCount = 0;

/** Creates a branch with a commit that `main` lacks, and returns its name. */
export async function newBranch(project: Project): Promise<string> {
  const branch = `feature-${++branchCount}`;
  await project.commit({ [`${branch}.txt`]: 'text' }, { branch });
  return branch;
}

/** Creates a merge request from a new branch into `main`, by default as the project's owner. Returns its JSON and `at`, its API path. */
export async function newMergeRequest(project: Project, params: object = {}, by: Caller = project.owner) {
  const source_branch = 'source_branch' in params ? params.source_branch : await newBranch(project);
  const input = { title: 'Add words', target_branch: 'main', ...params, source_branch };
  const { body } = await expectSuccess(by.post(`${project.at}/merge_requests`, input));
  return { ...body, at: `${project.at}/merge_requests/${body.iid}` };
}

/** Sets the status of a pipeline to `success` and publishes the event. */
export async function succeedPipeline({ server }: World, id: number): Promise<void> {
  await server.services.runUnitOfWork(ANONYMOUS, async (uow) => {
    await uow.updateTable('pipelines').set({ status: 'success' }).where('id', '=', id).execute();
    await uow.publish('pipeline-finished', { pipelineId: id, status: 'success' });
  });
}
