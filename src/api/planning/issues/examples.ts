import type { Build, CallerName, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const listInProject: Build = ({ project }) => ({ by: 'guest', path: { id: project.id } });
const listInGroup: Build = ({ group }) => ({ by: 'guest', path: { id: group.id } });
const listInAllProjects: Build = () => ({ by: 'anonymous', params: { scope: 'all' } });

const withNewIssue =
  (by: CallerName, params = {}): Build =>
  async ({ project, newIssue }) => ({ by, path: { id: project.id, issue_iid: (await newIssue()).iid }, params });

/** Returns an example whose issue has an estimate or spent time. */
const withTrackedTime =
  (action: string): Build =>
  async ({ project, newIssue, expectSuccess }) => {
    const { iid } = await newIssue();
    await expectSuccess(project.owner.post(`${project.at}/issues/${iid}/${action}`, { duration: '2h' }));
    return { by: 'planner', path: { id: project.id, issue_iid: iid } };
  };

/** Filter and order parameters; each set produces a different SQL statement. */
const FILTERS: readonly Record<string, unknown>[] = [
  { state: 'opened', labels: 'bug', order_by: 'updated_at' },
  { labels: 'None', milestone_id: 'Upcoming', order_by: 'due_date', sort: 'asc' },
  { milestone: 'v1', order_by: 'due_date', sort: 'desc' },
  { search: 'some words', order_by: 'weight', sort: 'asc' },
  { assignee_id: 1, order_by: 'weight' },
  { author_username: 'developer', order_by: 'title' },
  { due_date: 'week', order_by: 'relative_position' },
  { 'not[labels]': 'bug', 'not[author_id]': 1, 'not[milestone]': 'v1', order_by: 'popularity' },
  { my_reaction_emoji: 'heart', scope: 'assigned_to_me' },
  { my_reaction_emoji: 'None', 'not[my_reaction_emoji]': 'Any' },
  { health_status: 'any' },
  { order_by: 'milestone_due' },
  { iteration_id: 'Current', 'not[iteration_title]': 'one' },
  { iteration_title: 'one', 'not[iteration_id]': 'Current' },
  { iteration_id: 'Any' },
  { iteration_id: 'None' },
  { iteration_id: 1 },
  { epic_id: 'Any' },
  { epic_id: 'None' },
  { order_by: 'label_priority' },
  { order_by: 'priority' },
];
/** Returns the example without filters, one for each of `FILTERS`, and one for the issues of an epic. */
const withFilters = (build: Build): [Build, ...Build[]] => [
  build,
  ...FILTERS.map((params) => async (scene: Scene) => {
    const example = await build(scene);
    // The scopes refer to a signed-in caller.
    const by = 'scope' in params && example.by === 'anonymous' ? 'stranger' : example.by;
    return { ...example, by, params: { ...example.params, ...params } };
  }),
  async (scene) => {
    const [example, { id: epic_id }] = [await build(scene), await scene.newEpic()];
    return { ...example, params: { ...example.params, epic_id } };
  },
];

export const examples: Examples<typeof endpoints> = {
  listIssues: withFilters(listInAllProjects),
  listGroupIssues: withFilters(listInGroup),
  listProjectIssues: withFilters(listInProject),
  getIssuesStatistics: listInAllProjects,
  getGroupIssuesStatistics: listInGroup,
  getProjectIssuesStatistics: listInProject,
  getIssue: async ({ project, newIssue }) => ({
    by: 'guest',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  getIssueById: async ({ newIssue }) => ({
    by: 'administrator',
    path: { id: (await newIssue()).id },
  }),
  createIssue: [
    ({ project, name }) => ({ by: 'guest', path: { id: project.id }, params: { title: name('Issue') } }),
    async ({ project, name, newEpic }) => ({
      by: 'guest',
      path: { id: project.id },
      params: { title: name('Issue'), epic_id: (await newEpic()).id },
    }),
    async ({ project, newIssue, newLabel, newMilestone }) => ({
      by: 'guest',
      path: { id: project.id },
      params: {
        title: `As #${(await newIssue()).iid}`,
        milestone_id: (await newMilestone()).id,
        labels: (await newLabel()).name,
        weight: 3,
      },
    }),
    async ({ project, name, newMergeRequest, expectSuccess }) => {
      const { iid } = await newMergeRequest();
      const thread = { body: 'It spins' };
      await expectSuccess(project.owner.post(`${project.at}/merge_requests/${iid}/discussions`, thread));
      return {
        by: 'developer',
        path: { id: project.id },
        params: { title: name('Issue'), merge_request_to_resolve_discussions_of: iid },
      };
    },
  ],
  updateIssue: [
    withNewIssue('planner', { state_event: 'close' }),
    async ({ project, newIssue, newEpic }) => ({
      by: 'planner',
      path: { id: project.id, issue_iid: (await newIssue()).iid },
      params: { epic_id: (await newEpic()).id },
    }),
    async ({ project, newIssue, callers, expectSuccess }) => {
      const { iid } = await newIssue();
      await expectSuccess(callers.owner.put(`${project.at}/issues/${iid}`, { state_event: 'close' }));
      return { by: 'planner', path: { id: project.id, issue_iid: iid }, params: { state_event: 'reopen' } };
    },
    async ({ project, newIssue, newLabel, newMilestone, callers }) => {
      const [{ iid }, other] = [await newIssue(), await newIssue()];
      const params = {
        title: 'Another title',
        description: `As #${other.iid}`,
        assignee_ids: [callers.developer.id],
        confidential: true,
        due_date: '2026-03-05',
        discussion_locked: true,
        labels: (await newLabel()).name,
        milestone_id: (await newMilestone()).id,
        weight: 2,
      };
      return { by: 'planner', path: { id: project.id, issue_iid: iid }, params };
    },
    async ({ project, newIssue, newMilestone }) => {
      const { iid } = await newIssue({ milestone_id: (await newMilestone()).id, labels: 'bug' });
      return { by: 'planner', path: { id: project.id, issue_iid: iid }, params: { milestone_id: 0, labels: '' } };
    },
  ],
  deleteIssue: async ({ project, newIssue }) => ({
    by: 'planner',
    path: { id: project.id, issue_iid: (await newIssue()).iid },
  }),
  listGroupMilestoneIssues: async ({ group, newMilestone }) => ({
    by: 'guest',
    path: { id: group.id, milestone_id: (await newMilestone(group)).id },
  }),
  listProjectMilestoneIssues: async ({ project, newMilestone }) => ({
    by: 'guest',
    path: { id: project.id, milestone_id: (await newMilestone()).id },
  }),
  reorderIssue: async ({ project, newIssue }) => {
    const [first, second] = [await newIssue(), await newIssue()];
    return {
      by: 'planner',
      path: { id: project.id, issue_iid: first.iid },
      params: { move_before_id: second.id },
    };
  },
  moveIssue: [
    async ({ project, newIssue, newProject }) => ({
      by: 'planner',
      path: { id: project.id, issue_iid: (await newIssue()).iid },
      params: { to_project_id: (await newProject()).id },
    }),
    async ({ group, project, newIssue, newLabel, newMilestone, newProject }) => {
      const [milestone, label] = [await newMilestone(group), await newLabel(group)];
      const { iid } = await newIssue({ milestone_id: milestone.id, labels: label.name, weight: 3 });
      const params = { to_project_id: (await newProject()).id };
      return { by: 'planner', path: { id: project.id, issue_iid: iid }, params };
    },
  ],
  subscribeToIssue: withNewIssue('guest'),
  unsubscribeFromIssue: async ({ project, newIssue, callers, expectSuccess }) => {
    const { iid } = await newIssue();
    await expectSuccess(callers.guest.post(`${project.at}/issues/${iid}/subscribe`));
    return { by: 'guest', path: { id: project.id, issue_iid: iid } };
  },
  estimateIssue: withNewIssue('planner', { duration: '3h' }),
  resetIssueEstimate: withTrackedTime('time_estimate'),
  addIssueTime: withNewIssue('planner', { duration: '1h' }),
  resetIssueTime: withTrackedTime('add_spent_time'),
  getIssueTimeStats: withNewIssue('guest'),
  listIssueParticipants: withNewIssue('guest'),
};
