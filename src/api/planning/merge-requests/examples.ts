import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Parameters for each filter and order that has an SQL statement of its own. */
const FILTER_PARAMS: readonly Record<string, unknown>[] = [
  { state: 'opened', labels: 'bug', order_by: 'updated_at' },
  { labels: 'None', milestone: 'v1', order_by: 'title' },
  { search: 'some words', order_by: 'merged_at', sort: 'asc' },
  { assignee_id: 1, reviewer_username: 'developer', order_by: 'merged_at' },
  { author_username: 'developer', reviewer_id: 'None' },
  { source_branch: 'a', target_branch: 'main', draft: true },
  { view: 'simple' },
  { 'not[labels]': 'bug', 'not[reviewer_username]': 'developer', order_by: 'popularity' },
  { my_reaction_emoji: 'heart', 'not[my_reaction_emoji]': 'None', order_by: 'milestone_due' },
  { approved: 'yes', source_project_id: 1, with_labels_details: true },
  { approved: 'no', merge_user_id: 1, order_by: 'priority' },
  { approved_by_ids: [1, 2], scope: 'reviews_for_me', order_by: 'label_priority' },
  { approved_by_usernames: ['developer'], merge_user_username: 'maintainer' },
  { environment: 'production', deployed_after: '2026-01-01' },
  { deployed_before: '2026-01-01', approver_ids: 'Any' },
];
/** Returns the example without filters, and one example for each of `FILTER_PARAMS`. */
const withFilters = (build: Build): [Build, ...Build[]] => [
  build,
  ...FILTER_PARAMS.map((params) => async (scene: Scene) => {
    const example = await build(scene);
    // The scopes refer to a signed-in caller.
    const by = 'scope' in params && example.by === 'anonymous' ? 'stranger' : example.by;
    return { ...example, by, params: { ...example.params, ...params } };
  }),
];

export const examples: Examples<typeof endpoints> = {
  getMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  createMergeRequest: [
    async ({ project, name, newBranch }) => ({
      by: 'developer',
      path: { id: project.id },
      params: { title: name('Merge'), source_branch: await newBranch(), target_branch: 'main' },
    }),
    async ({ project, newBranch, newMergeRequest, newMilestone }) => ({
      by: 'developer',
      path: { id: project.id },
      params: {
        title: `As !${(await newMergeRequest()).iid}`,
        source_branch: await newBranch(),
        target_branch: 'main',
        labels: 'bug',
        milestone_id: (await newMilestone()).id,
      },
    }),
  ],
  listMergeRequestCommits: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  listMergeRequestDiffs: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  getMergeRequestChanges: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  mergeMergeRequest: [
    async ({ project, newBranch, newMergeRequest }) => {
      const target_branch = await newBranch('main');
      const { iid } = await newMergeRequest({ target_branch });
      return { by: 'developer', path: { id: project.id, merge_request_iid: iid } };
    },
    async ({ project, newBranch, newMergeRequest }) => {
      const { iid } = await newMergeRequest({ target_branch: await newBranch('main'), title: 'Draft: It' });
      return { by: 'developer', path: { id: project.id, merge_request_iid: iid }, params: { auto_merge: true } };
    },
  ],
  cancelMergeWhenPipelineSucceeds: async (scene) => ({
    by: 'developer',
    path: await createMergeRequestWithAutoMerge(scene),
  }),
  rebaseMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'developer',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  getMergeRef: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  updateMergeRequest: [
    async ({ project, newMergeRequest }) => ({
      by: 'developer',
      path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
      params: { state_event: 'close' },
    }),
    async ({ project, newMergeRequest, callers, expectSuccess }) => {
      const { iid } = await newMergeRequest();
      await expectSuccess(callers.owner.put(`${project.at}/merge_requests/${iid}`, { state_event: 'close' }));
      return { by: 'developer', path: { id: project.id, merge_request_iid: iid }, params: { state_event: 'reopen' } };
    },
    async ({ project, newBranch, newMergeRequest, newMilestone, callers }) => {
      const [{ iid }, other] = [await newMergeRequest(), await newMergeRequest()];
      const params = {
        title: 'Another title',
        description: `As !${other.iid}`,
        target_branch: await newBranch(),
        assignee_ids: [callers.developer.id],
        reviewer_ids: [callers.reporter.id],
        discussion_locked: true,
        labels: 'bug',
        milestone_id: (await newMilestone()).id,
      };
      return { by: 'developer', path: { id: project.id, merge_request_iid: iid }, params };
    },
    async ({ project, newMergeRequest, newMilestone }) => {
      const { iid } = await newMergeRequest({ milestone_id: (await newMilestone()).id, labels: 'bug' });
      const params = { milestone_id: 0, labels: '' };
      return { by: 'developer', path: { id: project.id, merge_request_iid: iid }, params };
    },
    async (scene) => ({
      by: 'developer',
      path: await createMergeRequestWithAutoMerge(scene),
      params: { state_event: 'close' },
    }),
  ],
  deleteMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'owner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  listMergeRequests: withFilters(() => ({ by: 'anonymous', params: { scope: 'all' } })),
  listGroupMergeRequests: withFilters(({ group }) => ({ by: 'guest', path: { id: group.id } })),
  listProjectMergeRequests: withFilters(({ project }) => ({ by: 'planner', path: { id: project.id } })),
  listGroupMilestoneMergeRequests: async ({ group, newMilestone }) => ({
    by: 'guest',
    path: { id: group.id, milestone_id: (await newMilestone(group)).id },
  }),
  listProjectMilestoneMergeRequests: async ({ project, newMilestone }) => ({
    by: 'guest',
    path: { id: project.id, milestone_id: (await newMilestone()).id },
  }),
  listMergeRequestParticipants: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  listMergeRequestsClosingIssue: async ({ project, newIssue, newMergeRequest }) => {
    const { iid } = await newIssue();
    await newMergeRequest({ description: `Closes #${iid}` });
    return { by: 'guest', path: { id: project.id, issue_iid: iid } };
  },
  listCommitMergeRequests: async ({ project, repository, newMergeRequest }) => {
    await newMergeRequest();
    return { by: 'reporter', path: { id: project.id, sha: repository.feature } };
  },
  listRelatedMergeRequests: async ({ project, newIssue, newMergeRequest }) => {
    const { iid } = await newIssue();
    await newMergeRequest({ description: `As #${iid}` });
    return { by: 'guest', path: { id: project.id, issue_iid: iid } };
  },
  getMergeRequestRawDiffs: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  downloadMergeRequestDiff: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.path_with_namespace, merge_request_iid: (await newMergeRequest()).iid },
  }),
  downloadMergeRequestPatches: async ({ project, newMergeRequest }) => ({
    by: 'reporter',
    path: { id: project.path_with_namespace, merge_request_iid: (await newMergeRequest()).iid },
  }),
  listIssuesClosedByMergeRequest: async ({ project, newIssue, newMergeRequest }) => {
    const { iid } = await newMergeRequest({ description: `Closes #${(await newIssue()).iid}` });
    return { by: 'planner', path: { id: project.id, merge_request_iid: iid } };
  },
  listIssuesRelatedToMergeRequest: async ({ project, newIssue, newMergeRequest }) => {
    const { iid } = await newMergeRequest({ description: `As #${(await newIssue()).iid}` });
    return { by: 'planner', path: { id: project.id, merge_request_iid: iid } };
  },
  subscribeToMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'developer',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  unsubscribeFromMergeRequest: async ({ project, newMergeRequest, callers }) => {
    const { iid } = await newMergeRequest({ assignee_ids: [callers.developer.id] });
    return { by: 'developer', path: { id: project.id, merge_request_iid: iid } };
  },
  estimateMergeRequest: async ({ project, newMergeRequest }) => ({
    by: 'developer',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
    params: { duration: '3h30m' },
  }),
  resetMergeRequestEstimate: async (scene) => ({
    by: 'developer',
    path: await createMergeRequestWithTime(scene, 'time_estimate'),
  }),
  addMergeRequestTime: async ({ project, newMergeRequest }) => ({
    by: 'developer',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
    params: { duration: '1h' },
  }),
  resetMergeRequestTime: async (scene) => ({
    by: 'developer',
    path: await createMergeRequestWithTime(scene, 'add_spent_time'),
  }),
  getMergeRequestTimeStats: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
};

/** Creates a merge request with an estimate or spent time, and returns its path parameters. */
async function createMergeRequestWithTime(
  { project, newMergeRequest, expectSuccess }: Scene,
  endpointName: 'time_estimate' | 'add_spent_time',
) {
  const { iid } = await newMergeRequest();
  await expectSuccess(project.owner.post(`${project.at}/merge_requests/${iid}/${endpointName}`, { duration: '1h' }));
  return { id: project.id, merge_request_iid: iid };
}

/** Creates a merge request with auto-merge enabled, and returns its path parameters. */
async function createMergeRequestWithAutoMerge({ project, newBranch, newMergeRequest, expectSuccess }: Scene) {
  const { iid } = await newMergeRequest({ target_branch: await newBranch('main'), title: 'Draft: It' });
  await expectSuccess(project.owner.put(`${project.at}/merge_requests/${iid}/merge`, { auto_merge: true }));
  return { id: project.id, merge_request_iid: iid };
}
