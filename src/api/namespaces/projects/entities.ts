import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { avatarUrl, UserBasic } from '#api/identity/users/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { VISIBILITIES } from '#authorization/visibility-levels.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { NamespaceRow } from '#domain/namespaces/namespaces.ts';
import { type Project as Row, roleIn } from '#domain/namespaces/projects.ts';
import { notificationLevels, type ProjectLevels } from '#domain/notification-levels.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { joining } from '#http/endpoint/merge-disjoint.ts';
import { date, dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import type { Base } from '#http/request/base-url.ts';
import { inUrl } from '#repositories/repository.ts';
import type { StoredAttributes } from './attributes/attributes.ts';
import { everybodysFields, maintainersFields, shownAttributes } from './attributes/stored-attributes.ts';
import { paragraphs } from './html-paragraphs.ts';
import { type LicenseFile, licensesOf } from './licenses/license.ts';
import { type Relations, relationsOf, type Surroundings, surroundingsOf } from './relations.ts';
import { withRunnersToken } from './runners-token.ts';
import { ProjectStatistics, statisticsOf } from './statistics.ts';

/** The wire shapes of a project (contract/planning.md §1 "ProjectSimple", "Project"). */

const text = Type.String();
const flag = Type.Boolean();
const count = Type.Integer();
const level = Type.Enum(['disabled', 'private', 'enabled']);
const optionalFields = (fields: TProperties): TProperties =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]));

/** A namespace as it stands inside other objects. */
export const NamespaceBasic = entity('NamespaceBasic', {
  id: count,
  name: text,
  path: text,
  kind: Type.Enum(['user', 'group']),
  full_path: text,
  parent_id: nullable(count),
  avatar_url: nullable(text),
  web_url: text,
}).from(({ id, name, path, kind, full_path, parent_id, owner_id }: NamespaceRow, to) => ({
  id,
  name,
  path,
  kind,
  full_path,
  parent_id,
  avatar_url: owner_id === null ? null : avatarUrl(owner_id, to),
  web_url: kind === 'group' ? `${to.url}/groups/${full_path}` : `${to.url}/${full_path}`,
}));

const identityFields = {
  id: count,
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: dateTime,
};

/** What of its row tells which project it is. */
type ProjectIdentityRow = Pick<Row, 'id' | 'description' | 'name' | 'full_name' | 'path' | 'full_path' | 'created_at'>;

/** Inside things that only say which project is theirs. */
export const ProjectIdentity = entity('ProjectIdentity', identityFields).from(identity);

function identity(project: ProjectIdentityRow): Static<TObject<typeof identityFields>> {
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
  tag_list: Type.Array(text),
  topics: Type.Array(text),
  ssh_url_to_repo: text,
  http_url_to_repo: text,
  web_url: text,
  readme_url: nullable(text),
  forks_count: count,
  avatar_url: nullable(text),
  star_count: count,
  last_activity_at: dateTime,
  visibility: Type.Enum([...VISIBILITIES]),
  namespace: NamespaceBasic.schema,
  /** Administrators only. */
  repository_storage: Type.Optional(text),
};

/** Anonymous lists and reads, `simple=true`. */
export const ProjectSimple = entity('ProjectSimple', simpleFields).from(surroundingsOf, simple);

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

const ownFields = {
  container_registry_image_prefix: text,
  _links: Links.schema,
  marked_for_deletion_at: nullable(date),
  marked_for_deletion_on: nullable(date),
  empty_repo: flag,
  archived: flag,
  /** In personal namespaces only. */
  owner: Type.Optional(UserBasic.schema),
  repository_object_format: text,
  issues_enabled: flag,
  merge_requests_enabled: flag,
  wiki_enabled: flag,
  jobs_enabled: flag,
  snippets_enabled: flag,
  container_registry_enabled: flag,
  can_create_merge_request_in: flag,
  issues_access_level: level,
  repository_access_level: level,
  merge_requests_access_level: level,
  wiki_access_level: level,
  builds_access_level: level,
  snippets_access_level: level,
  environments_access_level: level,
  emails_disabled: flag,
  lfs_enabled: flag,
  creator_id: nullable(count),
  import_url: nullable(text),
  import_type: nullable(text),
  import_status: text,
  import_error: nullable(text),
  /** Absent while issues are disabled. */
  open_issues_count: Type.Optional(count),
  description_html: text,
  updated_at: dateTime,
  shared_with_groups: Type.Array(Type.Never()),
  approvals_before_merge: count,
  mirror: flag,
  only_allow_merge_if_all_status_checks_passed: flag,
  prevent_merge_without_jira_issue: flag,
};

const maintainersOwnFields = { ci_job_token_scope_enabled: flag, restrict_user_defined_variables: flag };
const administratorsFields = { repository_read_only: flag };

const projectFields = {
  ...simpleFields,
  ...ownFields,
  ...everybodysFields,
  ...optionalFields({ ...maintainersFields, ...maintainersOwnFields, ...administratorsFields }),
};

/** Answers to writes. */
export const Project = entity('Project', projectFields).from(relationsOf, (project, to, relations) =>
  joinWhole(...partsOf(project, to, relations)),
);

const SourceAccess = shape('ProjectSourceAccess', { access_level: count, notification_level: count });

const Permissions = shape('ProjectPermissions', {
  project_access: nullable(SourceAccess),
  group_access: nullable(SourceAccess),
});

function permissions({ direct_role, inherited_role }: Row, levels: ProjectLevels): Static<typeof Permissions> {
  const access = (role: number, notification_level: number) =>
    role === 0 ? null : { access_level: role, notification_level };
  return { project_access: access(direct_role, levels.project), group_access: access(inherited_role, levels.group) };
}

const License = shape('License', {
  key: text,
  name: text,
  nickname: nullable(text),
  html_url: text,
  source_url: text,
});

/** Lists and single reads of signed-in callers. */
const ProjectWithPermissions = entity('ProjectWithPermissions', {
  ...projectFields,
  permissions: Permissions,
  /** Of single reads, for Maintainers. */
  runners_token: Type.Optional(nullable(text)),
  /** On request, from Reporters on. */
  statistics: Type.Optional(ProjectStatistics),
  /** On request, of single reads. */
  license_url: Type.Optional(nullable(text)),
  license: Type.Optional(nullable(License)),
}).from(
  async (projects: readonly Row[], to) => {
    const [relations, statistics, licenses, levels] = await Promise.all([
      relationsOf(projects, to),
      statisticsOf(projects, to),
      licensesOf(projects, to),
      notificationLevels(to.db, to.caller, projects),
    ]);
    return { ...relations, statistics, licenses, levels };
  },
  (project, to, { statistics, licenses, levels, ...relations }) => {
    const sizes = statistics.get(project.id);
    const license = licenses.get(project.id);
    return joinShown(...partsOf(project, to, relations), {
      permissions: permissions(project, levels(project)),
      statistics: sizes,
      ...(license === undefined ? {} : licenseShape(project, to, license)),
    });
  },
);

function licenseShape(project: Row, { url }: Base, file: LicenseFile | null) {
  return {
    license_url: file && `${url}/${project.full_path}/-/blob/${inUrl(`${project.default_branch}/${file.name}`)}`,
    license: file?.license ?? null,
  };
}

/** Lists and single reads: anonymous callers see the simple form, whatever they ask for. */
export const ShownProject = variants([ProjectSimple, ProjectWithPermissions], ({ caller, params }) =>
  caller.user === null || params.simple === true ? ProjectSimple : ProjectWithPermissions,
);

/** A single read. */
export const ReadProject = withRunnersToken(ShownProject, ({ id, ...project }, { caller }) =>
  roleIn(caller, project) >= MAINTAINER ? { type: 'project', id, namespaceId: project.namespace_id } : null,
);

/** Inside other objects: without the caller's permissions. */
export const EmbeddedProject = variants([Project, ProjectSimple], ({ caller }) =>
  caller.user === null ? ProjectSimple : Project,
);

type SimpleShape = Static<TObject<typeof simpleFields>>;
type OwnShape = Static<TObject<typeof ownFields>> &
  Partial<Static<TObject<typeof maintainersOwnFields & typeof administratorsFields>>>;

function simple(project: Row, to: SerializationContext, { namespaces, readmes }: Surroundings): SimpleShape {
  const { caller } = to;
  const topics = JSON.parse(project.topics) as string[];
  const webUrl = `${to.url}/${project.full_path}`;
  const readme = mayInProject(caller, 'read_code', project) ? readmes.get(project.id) : undefined;
  return {
    ...identity(project),
    default_branch: project.default_branch,
    tag_list: topics,
    topics,
    ssh_url_to_repo: `git@${hostOf(to).hostname}:${project.full_path}.git`,
    http_url_to_repo: `${webUrl}.git`,
    web_url: webUrl,
    readme_url: readme === undefined ? null : `${webUrl}/-/blob/${inUrl(`${project.default_branch}/${readme}`)}`,
    forks_count: 0,
    avatar_url: null,
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    visibility: project.visibility,
    namespace: NamespaceBasic.serialize(stillThere(namespaces.get(project.namespace_id)), to),
    repository_storage: isAdministrator(caller) ? project.storage : undefined,
  };
}

let lastUrl = new URL('http://localhost');
let lastBase = '';

/** Parsing a URL costs as much as the rest of a project's shape, and bases change hardly ever. */
function hostOf({ url }: Base): URL {
  if (url !== lastBase) {
    lastUrl = new URL(url);
    lastBase = url;
  }
  return lastUrl;
}

/** Confidential ones are counted for who may read them all. */
function openIssuesFor(caller: Caller, project: Row, { openIssues }: Relations): number {
  const { open, confidential } = openIssues.get(project.id) ?? { open: 0, confidential: 0 };
  if (!mayInProject(caller, 'read_issue', project)) return 0;
  return mayInProject(caller, 'read_confidential_issue', project) ? open + confidential : open;
}

const joinWhole = joining();
const joinShown = joining();

/** A project's shape in pieces: a hundred fields are best put together at once. */
function partsOf(
  project: Row,
  to: SerializationContext,
  relations: Relations,
): [SimpleShape, Partial<StoredAttributes>, OwnShape] {
  const attributes = shownAttributes(project, roleIn(to.caller, project) >= MAINTAINER);
  return [simple(project, to, relations), attributes, own(project, to, { ...relations, attributes })];
}

interface Shown extends Relations {
  readonly attributes: Partial<StoredAttributes>;
}

function own(project: Row, to: SerializationContext, { attributes, ...relations }: Shown): OwnShape {
  const { caller } = to;
  const isOn = (feature: 'issues' | 'merge_requests' | 'wiki' | 'builds' | 'snippets') =>
    project[`${feature}_access_level`] !== 'disabled';
  const owner = relations.namespaces.get(project.namespace_id)?.owner;
  return {
    container_registry_image_prefix: `${hostOf(to).host}/${project.full_path.toLowerCase()}`,
    _links: Links.serialize(project, to),
    marked_for_deletion_at: project.marked_for_deletion_on,
    marked_for_deletion_on: project.marked_for_deletion_on,
    empty_repo: project.empty,
    archived: project.archived,
    owner: owner ? UserBasic.serialize(owner, to) : undefined,
    repository_object_format: 'sha1',
    issues_enabled: isOn('issues'),
    merge_requests_enabled: isOn('merge_requests'),
    wiki_enabled: isOn('wiki'),
    jobs_enabled: isOn('builds'),
    snippets_enabled: isOn('snippets'),
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
    open_issues_count: isOn('issues') ? openIssuesFor(caller, project, relations) : undefined,
    description_html: paragraphs(project.description ?? ''),
    updated_at: project.updated_at,
    shared_with_groups: [],
    approvals_before_merge: 0,
    mirror: false,
    only_allow_merge_if_all_status_checks_passed: false,
    prevent_merge_without_jira_issue: false,
    ...(roleIn(caller, project) >= MAINTAINER ? maintainersOwn(attributes) : {}),
    repository_read_only: isAdministrator(caller) ? project.read_only : undefined,
  };
}

function maintainersOwn({ ci_pipeline_variables_minimum_override_role: role }: Partial<StoredAttributes>) {
  return { ci_job_token_scope_enabled: false, restrict_user_defined_variables: role !== 'developer' };
}
