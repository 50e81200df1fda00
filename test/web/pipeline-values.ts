import type { Post } from './page-values.ts';

/** A push to main, of which a pipeline is created in the background, creates none: the pipelines always get the same numbers. */
const CI_FILE = `workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "api" || $CI_COMMIT_BRANCH != "main"
stages: [build, test]
compile:
  stage: build
  script: [make]
unit:
  stage: test
  needs: [compile]
  script: [make test]
lint:
  stage: test
  needs: []
  script: [make lint]
`;

const SCHEDULE = { description: 'Nightly build', cron: '0 2 * * *' };

/** Creates what the pages of pipelines show; returns the values of their parameters. */
export async function createPipelineValues(post: Post, id: string): Promise<Readonly<Record<string, string>>> {
  await post(`/projects/${id}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: CI_FILE,
    commit_message: 'Add jobs',
  });
  const pipeline = await post(`/projects/${id}/pipeline`, { ref: 'main' });
  const project_id = pipeline.project_id as number;
  const runner = await post('/user/runners', { runner_type: 'project_type', project_id });
  // The runner starts the first job.
  const job = await post('/jobs/request', { token: runner.token, system_id: 's_pages' });
  const schedule = await post(`/projects/${id}/pipeline_schedules`, { ...SCHEDULE, ref: 'main' });
  await post(`/projects/${id}/pipeline_schedules/${schedule.id}/variables`, { key: 'SIZE', value: 'large' });
  await post(`/projects/${id}/variables`, { key: 'DEPLOY_TOKEN', value: 'swordfish-swordfish', masked: true });
  await post(`/projects/${id}/triggers`, { description: 'From the factory' });
  return {
    pipeline_id: String(pipeline.id),
    job_id: String(job.id),
    pipeline_schedule_id: String(schedule.id),
  };
}
