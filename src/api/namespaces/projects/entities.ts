import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { customAttributesField, pickCustomAttributes } from '#api/identity/custom-attributes/index.ts';
import { buildAvatarUrl, UserBasic } from '#api/identity/users/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { VISIBILITIES } from '#authorization/visibility.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { NamespaceRow } from '#domain/namespaces/namespaces.ts';
import { getProjectRole, type Project as Row } from '#domain/namespaces/projects.ts';
import { loadNotificationLevels, type ProjectNotificationLevels } from '#domain/notification-levels.ts';
import type { RunnerOwnerRef } from '#domain/runners/registration-tokens.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { createMerger, type MergePart } from '#http/endpoint/merge-disjoint.ts';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { encodeUrlPath } from '#repositories/repository.ts';
import { requireRow } from '#runtime/failure.ts';
import type { StoredAttributes } from './attributes/attributes.ts';
import { buildExpirationPolicy, ContainerExpirationPolicy } from './attributes/expiration-policy.ts';
import {
  maintainersFields,
  parseStoredAttributes,
  pickVisibleAttributes,
  publicFields,
} from './attributes/stored-attributes.ts';
import { toHtmlParagraphs } from './html-paragraphs.ts';
import { type LicenseFile, loadLicenses } from './license.ts';
import {
  loadProjectRelations,
  loadSimpleProjectRelations,
  type ProjectRelations,
  type SimpleProjectRelations,
} from './relations.ts';
import { withRunnersToken } from './runners-token.ts';
import { loadProjectStatistics, ProjectStatistics } from './statistics.ts';

/** The entities of a project (contract/planning.md §1 "ProjectSimple", "Project"). */

const text = Type.String();
const flag = Type.Boolean();
const integer = Type.Integer();
const accessLevel = Type.Enum(['disabled', 'private', 'enabled']);
const makeOptional = (fields: TProperties): TProperties =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

/** A namespace inside other entities. */
export const NamespaceBasic = entity('NamespaceBasic', {
  id: integer,
  name: text,
  path: text,
  kind: Type.Enum(['user', 'group']),
  full_path: text,
  parent_id: nullable(integer),
  avatar_url: nullable(text),
  web_url: text,
})
  .columns('id', 'name', 'path', 'kind', 'full_path', 'parent_id')
  .from(({ kind, full_path, owner_id }: NamespaceRow, context) => ({
    avatar_url: owner_id === null ? null : buildAvatarUrl(owner_id, context),
    web_url: kind === 'group' ? `${context.url}/groups/${full_path}` : `${context.url}/${full_path}`,
  }));

const identityFields = {
  id: integer,
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: dateTime,
};

/** The columns of `ProjectIdentity`. */
type ProjectIdentityRow = Pick<Row, 'id' | 'description' | 'name' | 'full_name' | 'path' | 'full_path' | 'created_at'>;

/** A reference to a project in other entities. */
export const ProjectIdentity = entity('ProjectIdentity', identityFields).from(serializeIdentity);

function serializeIdentity(project: ProjectIdentityRow): Static<TObject<typeof identityFields>> {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: project.full_name,
    path: project.path,
    path_with_namespace: project.full_path,
    created_at: project.created_at,
  };
}

const simpleFields = {
  ...identityFields,
  default_branch: text,
  tag_list: Type.Array(text, { description: 'Deprecated: the same values as `topics`.' }),
  topics: Type.Array(text),
  ssh_url_to_repo: text,
  http_url_to_repo: text,
  web_url: text,
  readme_url: nullable(text),
  forks_count: Type.Integer({ description: 'Always 0, because forks are not supported.' }),
  avatar_url: nullable(text),
  star_count: integer,
  last_activity_at: dateTime,
  visibility: Type.Enum([...VISIBILITIES]),
  namespace: NamespaceBasic.schema,
  repository_storage: Type.Optional(Type.String({ description: 'Only for administrators.' })),
  ...customAttributesField,
};

/** A project for anonymous callers, and with `simple=true`. */
export const ProjectSimple = entity('ProjectSimple', simpleFields).from(
  loadSimpleProjectRelations,
  serializeSimpleFields,
);

const Links = entity('ProjectLinks', {
  self: text,
  issues: text,
  merge_requests: text,
  repo_branches: text,
  labels: text,
  events: text,
  members: text,
  cluster_agents: text,
}).from(({ id }: Row, { url }) => {
  const self = `${url}/api/v4/projects/${id}`;
  return {
    self,
    issues: `${self}/issues`,
    merge_requests: `${self}/merge_requests`,
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  };
});

const detailFields = {
  container_registry_image_prefix: text,
  _links: Links.schema,
  /** The former name of `marked_for_deletion_on`, with the same value. */
  marked_for_deletion_at: nullable(date),
  marked_for_deletion_on: nullable(date),
  empty_repo: flag,
  archived: flag,
  /** Only of projects in personal namespaces. */
  owner: Type.Optional(UserBasic.schema),
  repository_object_format: text,
  issues_enabled: flag,
  merge_requests_enabled: flag,
  wiki_enabled: flag,
  jobs_enabled: flag,
  snippets_enabled: flag,
  container_registry_enabled: flag,
  can_create_merge_request_in: flag,
  issues_access_level: accessLevel,
  repository_access_level: accessLevel,
  merge_requests_access_level: accessLevel,
  wiki_access_level: accessLevel,
  builds_access_level: accessLevel,
  snippets_access_level: accessLevel,
  environments_access_level: accessLevel,
  emails_disabled: flag,
  lfs_enabled: flag,
  creator_id: nullable(integer),
  import_url: nullable(text),
  import_type: nullable(text),
  import_status: text,
  import_error: nullable(text),
  open_issues_count: Type.Optional(
    Type.Integer({ description: 'Open issues that the caller can see; absent if issues are disabled.' }),
  ),
  description_html: text,
  updated_at: dateTime,
  shared_with_groups: Type.Array(Type.Never()),
  container_expiration_policy: ContainerExpirationPolicy,
  mirror: flag,
  only_allow_merge_if_all_status_checks_passed: flag,
  prevent_merge_without_jira_issue: flag,
};

const maintainerDetailFields = { ci_job_token_scope_enabled: flag, restrict_user_defined_variables: flag };
const administratorFields = { repository_read_only: flag };

const projectFields = {
  ...simpleFields,
  ...detailFields,
  ...publicFields,
  ...makeOptional({ ...maintainersFields, ...maintainerDetailFields, ...administratorFields }),
};

/** A project in responses to writes. */
export const Project = entity('Project', {
  ...projectFields,
  runners_token: Type.Optional(
    nullable(Type.String({ description: 'Only for Maintainers; null if registration tokens are not allowed.' })),
  ),
}).from(loadProjectRelations, (project, context, relations) =>
  mergeDetailParts(...serializeParts(project, context, relations)),
);

const SourceAccess = objectSchema('ProjectSourceAccess', { access_level: integer, notification_level: integer });

const Permissions = objectSchema('ProjectPermissions', {
  project_access: nullable(SourceAccess),
  group_access: nullable(SourceAccess),
});

/** Returns the roles and notification levels of the caller in the project and in the groups above it. */
function buildPermissions(
  { direct_role, inherited_role }: Row,
  levels: ProjectNotificationLevels,
): Static<typeof Permissions> {
  const toSourceAccess = (role: number, notification_level: number) =>
    role === 0 ? null : { access_level: role, notification_level };
  return {
    project_access: toSourceAccess(direct_role, levels.project),
    group_access: toSourceAccess(inherited_role, levels.group),
  };
}

const License = objectSchema('License', {
  key: text,
  name: text,
  nickname: nullable(text),
  html_url: nullable(text),
  source_url: Type.Null(),
});

/** The response to GET and lists for signed-in callers. */
const ProjectWithPermissions = entity('ProjectWithPermissions', {
  ...projectFields,
  permissions: Permissions,
  runners_token: Type.Optional(
    nullable(
      Type.String({ description: 'Only in the response to GET of one project; null if registration is not allowed.' }),
    ),
  ),
  /** On request, for Reporters and above. */
  statistics: Type.Optional(ProjectStatistics),
  /** Both license fields are present on request. */
  license_url: Type.Optional(nullable(text)),
  license: Type.Optional(nullable(License)),
}).from(
  async (projects: readonly Row[], context) => {
    const [relations, statistics, licenses, getLevels] = await Promise.all([
      loadProjectRelations(projects, context),
      loadProjectStatistics(projects, context),
      loadLicenses(projects, context),
      loadNotificationLevels(context.db, context.caller, projects),
    ]);
    return { ...relations, statistics, licenses, getLevels };
  },
  (project, context, { statistics, licenses, getLevels, ...relations }) => {
    const projectStatistics = statistics.get(project.id);
    const license = licenses.get(project.id);
    return mergeAllParts(...serializeParts(project, context, relations), {
      permissions: buildPermissions(project, getLevels(project)),
      statistics: projectStatistics,
      ...(license === undefined ? {} : serializeLicense(project, context, license)),
    });
  },
);

/** Returns the license fields. Both are null if the repository has no license file. */
function serializeLicense(project: Row, { url }: ServerContext, file: LicenseFile | null) {
  return {
    license_url:
      file && `${url}/${project.full_path}/-/blob/${encodeUrlPath(`${project.default_branch}/${file.name}`)}`,
    license: file?.license ?? null,
  };
}

/** The response to GET and lists. Anonymous callers always get the simple form. */
export const ProjectForCaller = variants([ProjectSimple, ProjectWithPermissions], ({ caller, params }) =>
  caller.user === null || params.simple === true ? ProjectSimple : ProjectWithPermissions,
);

/** Returns the project as the owner of its runners token, or null if the caller is not a Maintainer. */
function getRunnerOwner({ id, ...project }: Row, { caller }: SerializationContext): RunnerOwnerRef | null {
  return getProjectRole(caller, project) >= MAINTAINER
    ? { type: 'project', id, namespaceId: project.namespace_id }
    : null;
}

/** The response to GET of one project. */
export const ProjectWithRunnersToken = withRunnersToken(ProjectForCaller, getRunnerOwner);

/** The response to the creation and update of a project. */
export const SavedProject = withRunnersToken(Project, getRunnerOwner);

/** A project inside other entities, without the caller's permissions. */
export const EmbeddedProject = variants([Project, ProjectSimple], ({ caller }) =>
  caller.user === null ? ProjectSimple : Project,
);

type SimpleShape = Static<TObject<typeof simpleFields>>;
/** The fields that signed-in callers get in addition, without the stored attributes. */
type DetailShape = MergePart<
  Static<TObject<typeof detailFields>> &
    Partial<Static<TObject<typeof maintainerDetailFields & typeof administratorFields>>>
>;

function serializeSimpleFields(
  project: Row,
  context: SerializationContext,
  { namespaces, readmes, topicNames, customAttributes }: SimpleProjectRelations,
): SimpleShape {
  const { caller } = context;
  const topics = [...(topicNames.get(project.id) ?? [])];
  const webUrl = `${context.url}/${project.full_path}`;
  const readme = mayInProject(caller, 'read_code', project) ? readmes.get(project.id) : undefined;
  return {
    ...serializeIdentity(project),
    default_branch: project.default_branch,
    tag_list: topics,
    topics,
    ssh_url_to_repo: `git@${parseBaseUrl(context).hostname}:${project.full_path}.git`,
    http_url_to_repo: `${webUrl}.git`,
    web_url: webUrl,
    readme_url:
      readme === undefined ? null : `${webUrl}/-/blob/${encodeUrlPath(`${project.default_branch}/${readme}`)}`,
    forks_count: 0,
    avatar_url: null,
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    visibility: project.visibility,
    namespace: NamespaceBasic.serialize(requireRow(namespaces.get(project.id)), context),
    ...(isAdministrator(caller) && { repository_storage: project.storage }),
    ...pickCustomAttributes(customAttributes, project.id),
  };
}

/** The last parsed base URL. It begins with a placeholder whose text equals no base URL. */
let lastBaseUrl = { text: '', url: new URL('http://localhost') };

/**
 * Returns the parsed base URL. Caches the last one, because parsing costs as much as the other fields of a project.
 */
function parseBaseUrl({ url }: ServerContext): URL {
  if (url !== lastBaseUrl.text) lastBaseUrl = { text: url, url: new URL(url) };
  return lastBaseUrl.url;
}

/** Counts the open issues. Includes confidential issues only for callers who may read all of them. */
function countOpenIssuesFor(caller: Caller, project: Row, { openIssues }: ProjectRelations): number {
  const { open, confidential } = requireRow(openIssues.get(project.id));
  if (!mayInProject(caller, 'read_issue', project)) return 0;
  return mayInProject(caller, 'read_confidential_issue', project) ? open + confidential : open;
}

// One merger for each entity: a merger caches only some sets of keys.
const mergeDetailParts = createMerger();
const mergeAllParts = createMerger();

/** Returns a project's fields in three parts, which a single merge joins, because copying so many fields is slow. */
function serializeParts(
  project: Row,
  context: SerializationContext,
  relations: ProjectRelations,
): [SimpleShape, Partial<StoredAttributes>, DetailShape] {
  const attributes = pickVisibleAttributes(project, getProjectRole(context.caller, project) >= MAINTAINER);
  return [
    serializeSimpleFields(project, context, relations),
    attributes,
    serializeDetailFields(project, context, { ...relations, attributes }),
  ];
}

/** The related data of a project, with the stored attributes that the caller can see. */
interface RelationsAndAttributes extends ProjectRelations {
  readonly attributes: Partial<StoredAttributes>;
}

function serializeDetailFields(
  project: Row,
  context: SerializationContext,
  { attributes, ...relations }: RelationsAndAttributes,
): DetailShape {
  const { caller } = context;
  const isFeatureEnabled = (feature: 'issues' | 'merge_requests' | 'wiki' | 'builds' | 'snippets') =>
    project[`${feature}_access_level`] !== 'disabled';
  const owner = relations.namespaces.get(project.id)?.owner;
  const { container_expiration_policy_attributes: policy } = parseStoredAttributes(project);
  return {
    container_registry_image_prefix: `${parseBaseUrl(context).host}/${project.full_path.toLowerCase()}`,
    _links: Links.serialize(project, context),
    marked_for_deletion_at: project.marked_for_deletion_on,
    marked_for_deletion_on: project.marked_for_deletion_on,
    empty_repo: project.empty,
    archived: project.archived,
    owner: owner ? UserBasic.serialize(owner, context) : undefined,
    repository_object_format: 'sha1',
    issues_enabled: isFeatureEnabled('issues'),
    merge_requests_enabled: isFeatureEnabled('merge_requests'),
    wiki_enabled: isFeatureEnabled('wiki'),
    jobs_enabled: isFeatureEnabled('builds'),
    snippets_enabled: isFeatureEnabled('snippets'),
    container_registry_enabled: attributes.container_registry_access_level !== 'disabled',
    can_create_merge_request_in: mayInProject(caller, 'create_merge_request', project),
    issues_access_level: project.issues_access_level,
    repository_access_level: project.repository_access_level,
    merge_requests_access_level: project.merge_requests_access_level,
    wiki_access_level: project.wiki_access_level,
    builds_access_level: project.builds_access_level,
    snippets_access_level: project.snippets_access_level,
    environments_access_level: project.environments_access_level,
    emails_disabled: attributes.emails_enabled === false,
    lfs_enabled: project.lfs_enabled,
    creator_id: project.creator_id,
    import_url: null,
    import_type: null,
    import_status: 'none',
    import_error: null,
    open_issues_count: isFeatureEnabled('issues') ? countOpenIssuesFor(caller, project, relations) : undefined,
    description_html: toHtmlParagraphs(project.description ?? ''),
    updated_at: project.updated_at,
    shared_with_groups: [],
    container_expiration_policy: buildExpirationPolicy(policy, project.created_at),
    mirror: false,
    only_allow_merge_if_all_status_checks_passed: false,
    prevent_merge_without_jira_issue: false,
    ...(getProjectRole(caller, project) >= MAINTAINER ? serializeMaintainerFields(attributes) : {}),
    repository_read_only: isAdministrator(caller) ? project.read_only : undefined,
  };
}

function serializeMaintainerFields({ ci_pipeline_variables_minimum_override_role: role }: Partial<StoredAttributes>) {
  // `restrict_user_defined_variables` is the older form of the role: true unless Developers may override pipeline variables.
  return { ci_job_token_scope_enabled: false, restrict_user_defined_variables: role !== 'developer' };
}
