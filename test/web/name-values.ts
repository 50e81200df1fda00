import { PASSWORD } from '../crash/process.ts';
import type { Post } from './page-values.ts';

/** Names that pages hardly have room for, or that are written from right to left. */
export interface Names {
  /** Returns a name of at most so many characters. */
  readonly name: (maxLength?: number) => string;
  /** A path of groups, projects and users: ASCII only. */
  readonly path: string;
  /** A sentence in which Latin and other words are mixed. */
  readonly text: string;
}

/** Names of the greatest length, of wide letters without a space. */
export const LONG_NAMES: Names = {
  name: (maxLength = 255) => 'W'.repeat(maxLength),
  path: 'w'.repeat(255),
  text: `${'W'.repeat(255)} ${'https://stove.example/'.padEnd(400, 'w')}`,
};

/** Names of the greatest length that begin from left to right and end from right to left. */
export const LONG_MIXED_NAMES: Names = {
  name: (maxLength = 255) => 'W'.repeat(Math.ceil(maxLength / 2)) + 'ש'.repeat(Math.floor(maxLength / 2)),
  path: `w${'m'.repeat(254)}`,
  text: `${'W'.repeat(200)}${'ש'.repeat(200)} הדלת (v2.0) 50%!`,
};

/** Names in Arabic and Hebrew with Latin words, digits and brackets, whose order differs in a sentence of the other direction. */
export const RIGHT_TO_LEFT_NAMES: Names = {
  name: () => 'موقد_v2-תנור',
  path: 'right-to-left',
  text: 'الموقد (v2.0) ساخن جدا: 50% من גראץ!',
};

/**
 * Creates what all pages show with these names, for a user with such a name who owns it. Returns values for the parameters of the
 * addresses; the password of the user `username` is `PASSWORD`.
 */
export async function createNameValues(
  post: Post,
  { name, path, text }: Names,
): Promise<Readonly<Record<string, string>>> {
  const username = `u${path.slice(1)}`;
  const user = await post('/users', {
    name: name(),
    username,
    email: `${username.slice(0, 60)}@stove.example`,
    password: PASSWORD,
    skip_confirmation: true,
    bio: text.slice(0, 255),
    location: name(),
  });
  const group = await post('/groups', { name: name(), path, description: text });
  const project = await post('/projects', { name: name(), path, namespace_id: group.id, description: text });
  const [atGroup, at] = [`/groups/${group.id}`, `/projects/${project.id}`];
  await post(`${atGroup}/members`, { user_id: user.id, access_level: 50 });
  await post(`${atGroup}/labels`, { name: `${name(253)}-g`, color: '#ffa500', description: text });
  await post(`${atGroup}/milestones`, { title: `${name(253)}-g`, description: text, due_date: '2099-12-01' });
  await post(`${atGroup}/variables`, { key: 'K'.repeat(255), value: name(), description: name() });
  const iteration = await post(`${atGroup}/iterations`, { start_date: '2099-01-01', due_date: '2099-01-14' });
  const ci = `stages: ["${name()}"]\n"${name()}":\n  stage: "${name()}"\n  script: [make]\n`;
  const [branch, file] = [name(150), `${name(100)}/${name(100)}.ts`];
  const { id: sha } = await post(`${at}/repository/commits`, {
    branch: 'main',
    commit_message: `${name()}\n\n${text}`,
    author_name: name(),
    actions: [
      ['README.md', text],
      ['.gitlab-ci.yml', ci],
      [file, `// ${text}\n`],
    ].map(([file_path, content]) => ({ action: 'create', file_path, content })),
  });
  await post(`${at}/repository/commits`, {
    branch,
    start_branch: 'main',
    commit_message: name(),
    actions: [{ action: 'update', file_path: file, content: `// ${text}\n// ${text}\n` }],
  });
  await post(`${at}/repository/tags`, { tag_name: `${name(140)}-t`, ref: 'main', message: text });
  await post(`${at}/labels`, { name: name(), color: '#d9534f', description: text });
  await post(`${at}/labels`, { name: `scope::${name(240)}`, color: '#7fff00' });
  const milestone = await post(`${at}/milestones`, { title: name(), description: text });
  const planned = {
    title: name(),
    description: text,
    labels: `${name()},scope::${name(240)}`,
    milestone_id: milestone.id,
    assignee_ids: [user.id],
  };
  const issue = await post(`${at}/issues`, planned);
  const other = await post(`${at}/issues`, { title: name(), assignee_ids: [user.id, 1] });
  await post(`${at}/issues/${issue.iid}/notes`, { body: text });
  await post(`${at}/issues/${issue.iid}/links`, { target_project_id: project.id, target_issue_iid: other.iid });
  const mergeRequest = await post(`${at}/merge_requests`, {
    ...planned,
    source_branch: branch,
    target_branch: 'main',
    reviewer_ids: [user.id],
  });
  const position = { position_type: 'text', new_path: file, old_path: file, new_line: 2 };
  await post(`${at}/merge_requests/${mergeRequest.iid}/discussions`, {
    body: text,
    position: { ...(mergeRequest.diff_refs as object), ...position },
  });
  await post(`${at}/merge_requests/${mergeRequest.iid}/todo`, {});
  const epic = await post(`${atGroup}/epics`, { title: name(), description: text, labels: `${name(253)}-g` });
  await post(`${atGroup}/epics/${epic.iid}/issues/${issue.id}`, {});
  const pipeline = await post(`${at}/pipeline`, { ref: 'main', variables: [{ key: 'K'.repeat(255), value: name() }] });
  const runner = await post('/user/runners', {
    runner_type: 'project_type',
    project_id: project.id,
    description: name(),
    tag_list: name(),
    run_untagged: true,
  });
  const job = await post('/jobs/request', { token: runner.token, system_id: 's_names' });
  const schedule = await post(`${at}/pipeline_schedules`, { description: name(), cron: '0 2 * * *', ref: branch });
  await post(`${at}/pipeline_schedules/${schedule.id}/variables`, { key: 'K'.repeat(255), value: name() });
  await post(`${at}/variables`, { key: 'K'.repeat(255), value: name(), description: name(), environment_scope: path });
  await post(`${at}/triggers`, { description: name() });
  await post(`/users/${user.id}/personal_access_tokens`, { name: name(), description: text, scopes: ['api'] });
  await post(`/users/${user.id}/emails`, { email: `${path.slice(0, 60)}@stoves.example`, skip_confirmation: true });
  return {
    project: String(project.path_with_namespace),
    group: path,
    username,
    ref: branch,
    ref_path: `${branch}/${name(100)}`,
    ref_file: `${branch}/${file}`,
    range: `main...${branch}`,
    sha: String(sha),
    issue_iid: String(issue.iid),
    merge_request_iid: String(mergeRequest.iid),
    milestone_iid: '1',
    iteration_id: String(iteration.id),
    epic_iid: String(epic.iid),
    pipeline_id: String(pipeline.id),
    job_id: String(job.id),
    pipeline_schedule_id: String(schedule.id),
  };
}
