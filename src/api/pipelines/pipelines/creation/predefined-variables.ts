import { INSTANCE_VERSION } from '#api/instance/version/index.ts';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { CiVariable } from '#api/pipelines/ci-file/index.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Commit } from '#git/objects/object-reader.ts';
import { trimCharacters, truncateToCharacters } from '#text/trim.ts';

// The predefined variables of all pipelines (contract/runners.md §3.3): of the server, project, commit and ref.

const MAX_SLUG_LENGTH = 63;
/** Maximum characters of commit messages and schedule descriptions in variables. */
const MAX_MESSAGE_LENGTH = 50_000;

/** Returns the path of the CI file: the project's own, else the default. */
export function getConfigPath(project: Project): string {
  const configuredPath = parseStoredAttributes(project).ci_config_path;
  return configuredPath == null || configuredPath === '' ? '.gitlab-ci.yml' : configuredPath;
}

/** The fields of a pipeline that its predefined variables need. */
export interface PipelineFields
  extends Columns<'pipelines', 'ref' | 'tag' | 'sha' | 'before_sha' | 'source' | 'protected'> {
  /** The first characters of the token of the trigger that started the pipeline. */
  readonly trigger_token?: string | null;
  /** The description of the schedule that created the pipeline. */
  readonly schedule_description?: string | null;
}

/** Builds the variables that do not need the id of the pipeline. `baseUrl` has no trailing slash. */
export function buildPredefinedVariables(
  baseUrl: string,
  project: Project,
  pipeline: PipelineFields,
  commit: Commit,
): CiVariable[] {
  const valuesByKey = {
    ...buildServerVariables(baseUrl),
    ...buildProjectVariables(baseUrl, project),
    CI_PIPELINE_SOURCE: pipeline.source,
    ...(pipeline.source === 'trigger' ? { CI_PIPELINE_TRIGGERED: 'true' } : {}),
    ...(pipeline.trigger_token == null ? {} : { CI_TRIGGER_SHORT_TOKEN: pipeline.trigger_token }),
    ...(pipeline.schedule_description == null
      ? {}
      : { CI_PIPELINE_SCHEDULE_DESCRIPTION: truncateToCharacters(pipeline.schedule_description, MAX_MESSAGE_LENGTH) }),
    ...buildCommitVariables(pipeline, commit),
  };
  return Object.entries(valuesByKey).map(([key, value]) => ({ key, value }));
}

function buildServerVariables(baseUrl: string): Record<string, string> {
  const { protocol, hostname, port, host } = new URL(baseUrl);
  const scheme = protocol.slice(0, -1);
  const [major = '', minor = '', patch = ''] = INSTANCE_VERSION.apiVersion.split('.');
  return {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER: 'yes',
    CI_SERVER_URL: baseUrl,
    CI_SERVER_HOST: hostname,
    CI_SERVER_FQDN: host,
    CI_SERVER_PORT: port || (scheme === 'https' ? '443' : '80'),
    CI_SERVER_PROTOCOL: scheme,
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_VERSION: INSTANCE_VERSION.apiVersion,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: INSTANCE_VERSION.revision,
    CI_API_V4_URL: `${baseUrl}/api/v4`,
  };
}

function buildProjectVariables(baseUrl: string, project: Project): Record<string, string> {
  const namespace = project.full_path.slice(0, project.full_path.lastIndexOf('/'));
  return {
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: project.full_path,
    CI_PROJECT_PATH_SLUG: toSlug(project.full_path),
    CI_PROJECT_NAMESPACE: namespace,
    CI_PROJECT_NAMESPACE_ID: String(project.namespace_id),
    CI_PROJECT_ROOT_NAMESPACE: namespace.split('/')[0]!,
    CI_PROJECT_URL: `${baseUrl}/${project.full_path}`,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_DEFAULT_BRANCH: project.default_branch,
    CI_CONFIG_PATH: getConfigPath(project),
  };
}

function buildCommitVariables(
  { ref, tag, sha, before_sha, ...pipeline }: PipelineFields,
  commit: Commit,
): Record<string, string> {
  const message = truncateToCharacters(commit.message, MAX_MESSAGE_LENGTH);
  const [title = '', ...bodyLines] = message.split('\n');
  return {
    CI_COMMIT_SHA: sha,
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: before_sha,
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: toSlug(ref),
    CI_COMMIT_REF_PROTECTED: String(pipeline.protected),
    ...(tag ? { CI_COMMIT_TAG: ref } : { CI_COMMIT_BRANCH: ref }),
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_TITLE: title,
    // A long title is part of the description, as in GitLab.
    CI_COMMIT_DESCRIPTION: title.length < 100 ? bodyLines.join('\n').trimStart() : message,
    CI_COMMIT_TIMESTAMP: commit.committer.date,
    CI_COMMIT_AUTHOR: `${commit.author.name} <${commit.author.email}>`,
  };
}

/** Converts a text to a host name label: lower case, digits and inner dashes, at most 63 characters. */
export function toSlug(text: string): string {
  return trimCharacters(
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '-')
      .slice(0, MAX_SLUG_LENGTH),
    '-',
  );
}
