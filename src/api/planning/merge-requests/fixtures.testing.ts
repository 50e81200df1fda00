import { ANONYMOUS } from '#authentication/caller.ts';
import { type Caller, done, type Project, type World } from '#test/support/world.ts';

let branches = 0;

/** A new branch of the project with a commit that `main` lacks; its name. */
export async function newBranch(project: Project): Promise<string> {
  const branch = `feature-${++branches}`;
  await project.commit({ [`${branch}.txt`]: 'text' }, { branch });
  return branch;
}

/** A merge request of a new branch into `main`, by the project's owner unless somebody else is named. */
export async function newMergeRequest(project: Project, params: object = {}, by: Caller = project.owner) {
  const source_branch = 'source_branch' in params ? params.source_branch : await newBranch(project);
  const wish = { title: 'Add words', target_branch: 'main', ...params, source_branch };
  const { body } = await done(by.post(`${project.at}/merge_requests`, wish));
  return { ...body, at: `${project.at}/merge_requests/${body.iid}` };
}

/** A pipeline succeeds, as the engine of pipelines does it. */
export async function succeedPipeline({ server }: World, id: number): Promise<void> {
  await server.services.runUnitOfWork(ANONYMOUS, async (uow) => {
    await uow.updateTable('pipelines').set({ status: 'success' }).where('id', '=', id).execute();
    await uow.publish('occurred', { event: 'success_pipeline', about: { type: 'Pipeline', id } });
  });
}
