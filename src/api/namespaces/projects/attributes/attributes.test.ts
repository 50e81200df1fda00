import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { PROJECT_ATTRIBUTES, type ProjectAttribute, projectAttributeEntries } from './attributes.ts';

/** The input and the resulting value. */
const STORED_VALUES: [Record<string, unknown>, Record<string, unknown>?][] = [
  [{ container_registry_enabled: false }, { container_registry_access_level: 'disabled' }],
  [{ container_registry_access_level: 'private' }, { container_registry_enabled: true }],
  [{ requirements_access_level: 'private' }],
  [{ package_registry_access_level: 'public', pages_access_level: 'public' }],
  [{ ci_separated_caches: false, keep_latest_artifact: false }],
  [{ restrict_user_defined_variables: true }, { ci_pipeline_variables_minimum_override_role: 'maintainer' }],
  [{ ci_pipeline_variables_minimum_override_role: 'owner' }, { restrict_user_defined_variables: true }],
  [{ restrict_user_defined_variables: true }, { ci_pipeline_variables_minimum_override_role: 'owner' }],
  [{ restrict_user_defined_variables: false }, { ci_pipeline_variables_minimum_override_role: 'developer' }],
  [{ ci_restrict_pipeline_cancellation_role: 'no_one' }],
  [{ ci_delete_pipelines_in_seconds: 86400 }],
  [{ ci_delete_pipelines_in_seconds: null }],
  [{ resource_group_default_process_mode: 'newest_ready_first' }],
  [{ auto_devops_enabled: true, auto_devops_deploy_strategy: 'manual' }],
  [{ ci_forward_deployment_rollback_allowed: false, ci_push_repository_for_job_token_allowed: true }],
  [{ ci_allow_fork_pipelines_to_run_in_parent_project: false }],
  [
    { ci_id_token_sub_claim_components: 'project_path, deployment_tier' },
    { ci_id_token_sub_claim_components: ['project_path', 'deployment_tier'] },
  ],
  [{ merge_request_title_regex: '^[A-Z]', merge_request_title_regex_description: 'A capital letter' }],
  [{ merge_request_title_regex: '' }, { merge_request_title_regex: null }],
  [{ issues_template: 'What happened?', merge_requests_template: 'Why?' }],
  [{ merge_pipelines_enabled: true, merge_trains_enabled: true, merge_trains_skip_train_allowed: true }],
  [{ show_diff_preview_in_email: false, warn_about_potentially_unwanted_characters: false }],
  [{ approvals_before_merge: 2, external_authorization_classification_label: 'internal' }],
  [{ external_authorization_classification_label: '' }, { external_authorization_classification_label: null }],
  [{ emails_disabled: true }, { emails_enabled: false }],
  [{ emails_disabled: null }, { emails_disabled: false, emails_enabled: true }],
  [{ emails_enabled: false }, { emails_disabled: true }],
  [{ emails_enabled: null }, { emails_disabled: false, emails_enabled: true }],
];

test('stores and returns attributes without a function', async () => {
  const { project, owner } = await world({ project: {} });
  for (const [sent, more] of STORED_VALUES) {
    const answer = await owner.put(project.at, sent);
    assert.equal(answer.status, 200, answer.text);
    const read = (await owner.get(project.at)).body;
    for (const [name, value] of Object.entries({ ...sent, ...more })) {
      assert.deepEqual(read[name], value, `${JSON.stringify(sent)}: ${name}`);
    }
  }
});

const INVALID_VALUES = [
  [{ ci_separated_caches: 'maybe' }, { error: 'ci_separated_caches is invalid' }],
  [{ tag_list: 'a,b\u2028c' }, { message: { topics: ['has characters that are not allowed'] } }],
  [{ name: '\u3164' }, { message: { name: ["can't be blank"] } }],
  [{ pages_access_level: 'all' }, { error: 'pages_access_level does not have a valid value' }],
  [{ forking_access_level: 'public' }, { error: 'forking_access_level does not have a valid value' }],
  [{ approvals_before_merge: -1 }, { error: 'approvals_before_merge does not have a valid value' }],
  [{ max_artifacts_size: 0 }, { message: { max_artifacts_size: ['must be greater than 0'] } }],
  [
    { ci_delete_pipelines_in_seconds: 86399 },
    { message: { 'ci_cd_settings.delete_pipelines_in_seconds': ['must be between 1 day and 1 year'] } },
  ],
  [
    { ci_id_token_sub_claim_components: ['ref'] },
    {
      message: {
        'ci_cd_settings.id_token_sub_claim_components': ['project_path must be the first element of the sub claim'],
      },
    },
  ],
  [
    { merge_request_title_regex: '[' },
    { message: { merge_request_title_regex: ['not valid RE2 syntax: missing closing ]: ['] } },
  ],
  [
    { merge_request_title_regex: 'a'.repeat(256) },
    { message: { merge_request_title_regex: ['is too long (maximum is 255 characters)'] } },
  ],
  [{ import_url: 'https://x.test/a.git' }, { message: '400 Bad request - import_url is not supported' }],
] as const;

test('rejects values of a wrong type and invalid values', async () => {
  const { project, owner, root } = await world({ project: {} });
  const before = (await owner.get(project.at)).body;
  for (const [sent, body] of INVALID_VALUES) {
    const answer = await root.put(project.at, { description: 'Not kept', ...sent });
    assert.deepEqual([answer.status, answer.body], [400, body]);
  }
  assert.deepEqual((await owner.get(project.at)).body, before);
});

test('rejects unsupported protections unless they are off', async () => {
  const { project, owner } = await world({ project: {} });
  for (const name of ['only_allow_merge_if_all_status_checks_passed', 'prevent_merge_without_jira_issue']) {
    const refused = await owner.put(project.at, { [name]: true, description: 'Not kept' });
    assert.deepEqual([refused.status, refused.body], [400, { message: { [name]: ['is not supported'] } }]);
    assert.equal((await owner.post('/projects', { path: 'guarded', [name]: 'true' })).status, 400);
    for (const off of [false, 'false', 0, null, '', []]) {
      const { status, body } = await owner.put(project.at, { [name]: off });
      assert.deepEqual([status, body[name], body.description], [200, false, null]);
    }
  }
});

test('accepts and ignores attributes without a meaning', async () => {
  const { project, owner } = await world({ project: {} });
  const ignored = Object.entries(PROJECT_ATTRIBUTES).filter(([, { kind }]) => kind === 'ignored');
  assert.equal(ignored.length, 15);
  const { updated_at: _before, ...before } = (await owner.get(project.at)).body;
  for (const [name] of ignored) {
    for (const value of [7, true, 'x', { a: 'b' }]) {
      const answer = await owner.put(project.at, { [name]: value });
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    }
  }
  const { updated_at: _after, ...after } = (await owner.get(project.at)).body;
  assert.deepEqual(after, before);
});

test('ignores the limit of artifacts unless an administrator sets it', async () => {
  const { project, owner, root } = await world({ project: {} });
  assert.equal((await owner.put(project.at, { max_artifacts_size: -7 })).body.max_artifacts_size, null);
  assert.equal((await root.put(project.at, { max_artifacts_size: 7 })).body.max_artifacts_size, 7);
  assert.equal((await owner.put(project.at, { max_artifacts_size: null })).body.max_artifacts_size, 7);
});

test('returns Maintainer attributes to Maintainers only', async () => {
  const { project, maintainer, developer } = await world({ project: { with: ['maintainer', 'developer'] } });
  const theirs = Object.entries(PROJECT_ATTRIBUTES).filter(([, attribute]) => 'maintainersOnly' in attribute);
  const [seen, hidden] = [(await maintainer.get(project.at)).body, (await developer.get(project.at)).body];
  for (const name of [...theirs.map(([name]) => name), 'restrict_user_defined_variables']) {
    assert.deepEqual([name, name in seen, name in hidden], [name, true, false]);
  }
});

test('ignores a premium attribute on tier free', async () => {
  const { project, owner } = await world({ env: { HEARTH_TIER: 'free' }, project: {} });
  const answer = await owner.put(project.at, { ci_restrict_pipeline_cancellation_role: 'no_one' });
  assert.deepEqual([answer.status, answer.body.ci_restrict_pipeline_cancellation_role], [200, 'developer']);
});

const INPUT: Readonly<Record<string, unknown>> = {
  build_timeout: 700,
  ci_default_git_depth: 5,
  ci_delete_pipelines_in_seconds: 86_400,
  max_artifacts_size: 3,
  approvals_before_merge: 2,
  ci_id_token_sub_claim_components: ['project_path'],
};

/** Returns a value of this type that is not the default. */
function differentValue({ type, defaultValue: fallback }: ProjectAttribute): unknown {
  const { schema } = type as { schema: { type?: string; enum?: unknown[] } };
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== fallback);
  return schema.type === 'boolean' ? fallback !== true : 'another';
}

test('returns every stored attribute as it was sent', async () => {
  const { project, root } = await world({ project: {} });
  const retained = projectAttributeEntries.filter(([, { kind, hidden }]) => kind === 'stored' && !hidden);
  const input = Object.fromEntries(
    retained.map(([name, attribute]) => [name, INPUT[name] ?? differentValue(attribute)]),
  );
  const answer = await root.put(project.at, input);
  assert.equal(answer.status, 200, answer.text);
  const read = (await root.get(project.at)).body;
  for (const [name, value] of Object.entries(input)) assert.deepEqual([name, read[name]], [name, value]);
  const created = await root.post('/projects', { ...input, name: 'Made with all of them' });
  for (const [name, value] of Object.entries(input)) assert.deepEqual([name, created.body[name]], [name, value]);
});

test('rejects values of a wrong type for every attribute', async () => {
  const { project, root } = await world({ project: {} });
  const typed = projectAttributeEntries.filter(([, { kind }]) => kind !== 'ignored' && kind !== 'unsupported');
  for (const [name] of typed) {
    const wrong = name === 'container_expiration_policy_attributes' ? 'x' : { a: { b: 1 } };
    const { status, body } = await root.put(project.at, { [name]: wrong });
    assert.deepEqual([name, status, body], [name, 400, { error: `${name} is invalid` }]);
  }
});
