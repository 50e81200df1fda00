import type { Post } from './page-values.ts';

/** Creates an issue with labels, a milestone, comments and a link. Returns values for the addresses of the planning pages. */
export async function createPlanningValues(
  post: Post,
  project: string,
  group: string,
): Promise<Readonly<Record<string, string>>> {
  const at = `/projects/${encodeURIComponent(project)}`;
  await post(`${at}/labels`, { name: 'fault', color: '#d9534f', description: 'Something is broken.' });
  await post(`${at}/labels`, { name: 'part::grate', color: '#7fff00' });
  const milestone = await post(`${at}/milestones`, { title: 'Winter', due_date: '2099-12-01', description: 'Warm.' });
  const issue = await post(`${at}/issues`, {
    title: 'The grate rattles at night',
    description: '- [x] find out why\n- [ ] tighten it\n\nSee `grate.c`.',
    labels: 'fault,part::grate',
    milestone_id: milestone.id,
    due_date: '2099-11-30',
    weight: 3,
    created_at: '2025-12-01T08:00:00.000Z',
  });
  const at1 = `${at}/issues/${issue.iid}`;
  await post(`${at1}/notes`, { body: 'It rattles **here** too.' });
  const thread = await post(`${at1}/discussions`, { body: 'Since when?' });
  await post(`${at1}/discussions/${thread.id}/notes`, { body: 'Since the first frost.' });
  await post(`${at1}/time_estimate`, { duration: '1d' });
  await post(`${at1}/add_spent_time`, { duration: '3h' });
  const other = await post(`${at}/issues`, { title: 'The door is loose', confidential: true });
  await post(`${at1}/links`, { target_project_id: project, target_issue_iid: other.iid });
  const atGroup = `/groups/${encodeURIComponent(group)}`;
  await post(`${atGroup}/labels`, { name: 'urgent', color: '#ffa500' });
  await post(`${atGroup}/milestones`, { title: 'Spring', start_date: '2099-03-01' });
  const iteration = await post(`${atGroup}/iterations`, { start_date: '2099-01-01', due_date: '2099-01-14' });
  const epic = await post(`${atGroup}/epics`, { title: 'Warm rooms', description: 'All of them.', labels: 'urgent' });
  await post(`${atGroup}/epics/${epic.id}/notes`, { body: 'Which rooms?' });
  return {
    issue_iid: String(issue.iid),
    milestone_iid: '1',
    iteration_id: String(iteration.id),
    epic_iid: String(epic.iid),
  };
}
