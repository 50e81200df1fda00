import type { Endpoint } from '../endpoint/endpoint.ts';

/** The tags of the OpenAPI document and their order, which is also the order of /api/docs. */

/** A tag: the operations of one folder of src/api. */
interface DocumentTag {
  readonly name: string;
  readonly description: string;
}

interface TagGroup {
  readonly name: string;
  /** Tag by the name of the folder. */
  readonly tags: Readonly<Record<string, DocumentTag>>;
}

const tag = (name: string, description: string): DocumentTag => ({ name, description });

export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: 'Projects and groups',
    tags: {
      projects: tag('Projects', 'Projects: each has a repository, issues, merge requests and pipelines.'),
      groups: tag('Groups', 'Groups and subgroups, which contain projects and pass their members on to them.'),
      'group-projects': tag('Group projects', 'The projects of a group, and those that are shared with it.'),
      namespaces: tag('Namespaces', 'Groups and personal namespaces: the paths that may contain projects.'),
      members: tag('Members', 'Members of groups and projects, and their roles.'),
      abilities: tag('Abilities', 'What the caller may do in a project, in a group and on the instance.'),
      'access-tokens': tag(
        'Group and project access tokens',
        'Tokens that belong to a group or project, not to a person.',
      ),
      stars: tag('Stars', 'Stars that users give to projects.'),
      topics: tag('Topics', 'Topics by which projects are found.'),
      'custom-attributes': tag(
        'Custom attributes',
        'Key-value pairs that administrators attach to users, groups and projects.',
      ),
      'export-relations': tag(
        'Relation exports',
        'Exports of single relations of a group or project, for a migration.',
      ),
    },
  },
  {
    name: 'Users and access',
    tags: {
      users: tag('Users', 'User accounts: the own one, those of others, and their state.'),
      'current-user': tag('Current user', 'Changes of the own account in the browser.'),
      'browser-sessions': tag('Sessions', 'Browsers in which the user is signed in.'),
      emails: tag('E-mail addresses', 'Secondary e-mail addresses of users.'),
      'user-deletion': tag('Deletion of users', 'Deletes users together with what they own.'),
      'personal-access-tokens': tag('Personal access tokens', 'Tokens with which users call the API and use git.'),
      'impersonation-tokens': tag('Impersonation tokens', 'Tokens with which administrators act as another user.'),
      applications: tag('OAuth applications', 'Applications that may sign users in by OAuth 2.'),
      'notification-settings': tag(
        'Notification settings',
        'Which mails a user receives, globally and per group or project.',
      ),
      todos: tag('To-do items', 'The to-do list of the caller.'),
      events: tag('Events', 'The activity of users and projects.'),
    },
  },
  {
    name: 'Repositories',
    tags: {
      'repository-files': tag('Repository files', 'Reads and writes single files of a repository.'),
      tree: tag('Repository tree', 'Lists files and folders of a repository.'),
      'tree-commits': tag('Last commits', 'The commits that changed files and folders last.'),
      blobs: tag('Blobs', 'Contents of files by the id of their git object.'),
      archive: tag('Archives', 'Downloads the files of a revision in one archive.'),
      compare: tag('Comparison', 'Compares two revisions.'),
      'merge-base': tag('Merge base', 'Finds the common ancestor of revisions.'),
      contributors: tag('Contributors', 'Who has committed to a repository.'),
      branches: tag('Branches', 'Branches of a repository.'),
      'protected-branches': tag(
        'Protected branches',
        'Rules for who may push to a branch, merge into it and unprotect it.',
      ),
      tags: tag('Tags', 'Tags of a repository.'),
      'protected-tags': tag('Protected tags', 'Rules for who may create a tag.'),
      commits: tag('Commits', 'Commits of a repository: lists, reads, creates, cherry-picks and reverts them.'),
      comments: tag('Commit comments', 'Comments on commits.'),
      statuses: tag('Commit statuses', 'Results that builds and other checks report for a commit.'),
      snippets: tag('Snippets', 'Small pieces of code, each with its own repository.'),
      wikis: tag('Wikis', 'Wiki pages of groups and projects.'),
    },
  },
  {
    name: 'Issues and planning',
    tags: {
      issues: tag('Issues', 'Issues of projects: lists, reads and changes them.'),
      links: tag('Issue links', 'Relations between issues.'),
      epics: tag('Epics', 'Epics of groups.'),
      'epic-issues': tag('Issues of epics', 'Which issues belong to an epic, and their order.'),
      labels: tag('Labels', 'Labels of groups and projects.'),
      milestones: tag('Milestones', 'Milestones of groups and projects.'),
      iterations: tag('Iterations', 'Iterations (sprints) of groups.'),
      'iteration-cadences': tag('Iteration cadences', 'Series of iterations.'),
    },
  },
  {
    name: 'Merge requests',
    tags: {
      'merge-requests': tag('Merge requests', 'Merge requests: lists, reads, changes, rebases and merges them.'),
      approvals: tag('Merge request approvals', 'Approvals of merge requests.'),
      reviewers: tag('Merge request reviewers', 'Reviewers of merge requests.'),
      versions: tag('Merge request versions', 'The diffs of a merge request, one for each push.'),
    },
  },
  {
    name: 'Notes and history',
    tags: {
      notes: tag('Notes', 'Comments on issues, merge requests, epics and snippets.'),
      discussions: tag('Discussions', 'Threads of comments, also on lines of a diff.'),
      'award-emoji': tag(
        'Emoji reactions',
        'Emoji reactions to issues, merge requests, epics, snippets and their notes.',
      ),
      'resource-label-events': tag('Label events', 'When labels were added and removed.'),
      'resource-milestone-events': tag('Milestone events', 'When milestones were set and removed.'),
      'resource-state-events': tag(
        'State events',
        'When issues, merge requests and epics were closed, reopened and merged.',
      ),
      'resource-weight-events': tag('Weight events', 'When the weight of an issue changed.'),
    },
  },
  {
    name: 'Pipelines and runners',
    tags: {
      pipelines: tag('Pipelines', 'Pipelines: lists, starts, retries, cancels and deletes them.'),
      jobs: tag('Jobs', 'Jobs of pipelines.'),
      artifacts: tag('Job artifacts', 'Files that jobs leave behind.'),
      traces: tag('Job logs', 'Logs of jobs.'),
      variables: tag('CI/CD variables', 'Variables for the jobs of a project, a group or the whole instance.'),
      'pipeline-schedules': tag('Pipeline schedules', 'Pipelines that start at given times.'),
      triggers: tag('Pipeline triggers', 'Tokens with which other systems start pipelines.'),
      lint: tag('CI lint', 'Checks CI files.'),
      'resource-groups': tag('Resource groups', 'Groups of jobs that run one after another.'),
      runners: tag('Runners', 'Runners, which execute jobs: registers, assigns and manages them.'),
      'job-requests': tag('Job requests', 'How runners fetch jobs.'),
    },
  },
  {
    name: 'Environments',
    tags: {
      environments: tag('Environments', 'Environments that jobs deploy to.'),
      'protected-environments': tag(
        'Protected environments',
        'Rules for who may deploy to an environment and approve deployments.',
      ),
      deployments: tag('Deployments', 'Deployments to environments, and their approval.'),
    },
  },
  {
    name: 'Monitoring',
    tags: {
      'alert-integrations': tag('Alert integrations', 'Endpoints that receive alerts from monitoring systems.'),
      'alert-management-alerts': tag('Alerts', 'Alerts of a project.'),
      'incident-management-settings': tag('Incident settings', 'How alerts become incidents.'),
      'error-tracking-settings': tag('Error tracking settings', 'Where a project collects its errors.'),
      'client-keys': tag('Error tracking client keys', 'Keys with which applications report errors.'),
      'ingestion-settings': tag('Error ingestion settings', 'Limits of the reports that a project accepts.'),
      envelopes: tag('Error reports', 'Receives reports of errors from the SDKs of applications.'),
      errors: tag('Errors', 'Errors that applications have reported, grouped by cause.'),
      sessions: tag('Release health', 'Sessions that applications have reported, by release.'),
    },
  },
  {
    name: 'Administration',
    tags: {
      'application-settings': tag('Application settings', 'Settings of the whole instance.'),
      features: tag('Feature flags', 'Feature flags of the instance.'),
      'audit-events': tag('Audit events', 'Who changed what, for the instance, a group or a project.'),
      'mail-messages': tag('Mail queue', 'Mails that the server could not deliver.'),
      'bulk-imports': tag('Migration by direct transfer', 'Imports of groups and projects from another server.'),
      'repository-storage-moves': tag('Repository storage moves', 'Moves of repositories to another storage.'),
      'geo-sites': tag('Geo sites', 'Sites of a replicated installation, and their status.'),
      geo: tag('Geo replication', 'Endpoints for replication between sites.'),
      'ssh-certificates': tag('SSH certificates', 'Certificate authorities of groups.'),
      version: tag('Version', 'Version and build of the server.'),
      documentation: tag('API documentation', 'The OpenAPI document of this API.'),
    },
  },
];

const tagsByFolder = new Map(TAG_GROUPS.flatMap(({ tags }) => Object.entries(tags)));

/** Returns the tag of the endpoint's resource; a resource that the table lacks has its folder as its name. */
export function getTag({ folder }: Pick<Endpoint, 'folder'>): DocumentTag {
  const name = folder.split('/').at(-1) ?? '';
  return tagsByFolder.get(name) ?? { name, description: name };
}

/** Returns the tags of these endpoints in the order of the document, those that the table lacks last. */
export function listTags(endpoints: readonly Endpoint[]): {
  tags: DocumentTag[];
  groups: { name: string; tags: string[] }[];
} {
  const used = new Map(endpoints.map((endpoint) => [getTag(endpoint).name, getTag(endpoint)]));
  const groups = TAG_GROUPS.map(({ name, tags }) => ({
    name,
    tags: Object.values(tags).flatMap(({ name }) => (used.has(name) ? [name] : [])),
  })).filter(({ tags }) => tags.length > 0);
  const grouped = groups.flatMap(({ tags }) => tags);
  const others = [...used.keys()].filter((name) => !grouped.includes(name));
  const names = [...grouped, ...others];
  return {
    tags: names.map((name) => used.get(name)!),
    groups: others.length === 0 ? groups : [...groups, { name: 'Others', tags: others }],
  };
}
