import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import type { Diff } from '../../api/operations.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { FileDiffs } from '../../components/diff.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import { Pager } from '../../components/pager.tsx';
import { can, type ProjectDetails, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type CommitDetail = ResultOf<'GET /projects/:id/repository/commits/:sha'>;

/** The number of files of one page of changes. */
const FILES_PER_PAGE = 100;

/** A commit: its message, the refs that contain it, and its changes. */
export const commit = page('commit', {
  queries: ({ values: { project: id = '', sha = '' }, search }) => ({
    ...projectQueries(id),
    commit: query('GET /projects/:id/repository/commits/:sha', { id, sha }),
    refs: query('GET /projects/:id/repository/commits/:sha/refs', { id, sha, per_page: 20 }),
    diffs: query('GET /projects/:id/repository/commits/:sha/diff', {
      id,
      sha,
      per_page: FILES_PER_PAGE,
      page: readPageNumber(search),
    }),
  }),
  title: ({ commit }) => commit.value.title,
  navigation: (props) => <ProjectNavigation {...props} current="commits" />,
  render: ({ project: { value: project }, abilities, commit: { value: commit }, refs, diffs, location }) => {
    const { search, toUrl, values } = location;
    const path = project.path_with_namespace;
    const [, ...paragraphs] = commit.message.split('\n');
    const text = paragraphs.join('\n').trim();
    return (
      <>
        {text === '' ? null : <pre class="commit-message">{text}</pre>}
        <Facts commit={commit} project={path} refs={refs.value} location={location} />
        {can(abilities, 'push_code') ? <Apply commit={commit} project={project} location={location} /> : null}
        <FileDiffs
          files={diffs.value}
          toFileUrl={({ deleted_file, new_path }: Diff) =>
            deleted_file ? null : toUrl(toPath('file', { project: path, ref_file: `${commit.id}/${new_path}` }))
          }
        />
        <Pager list={diffs} search={search} href={toUrl(toPath('commit', values))} />
      </>
    );
  },
});

function Facts({
  commit,
  project,
  refs,
  location: { toUrl },
}: {
  readonly commit: CommitDetail;
  readonly project: string;
  readonly refs: ResultOf<'GET /projects/:id/repository/commits/:sha/refs'>;
  readonly location: PageLocation;
}) {
  const { id, author_name, authored_date, committer_name, committed_date, parent_ids, last_pipeline } = commit;
  const patch = `${toUrl(toPath('commit', { project, sha: id }))}.patch`;
  return (
    <dl class="facts">
      <dt>Author</dt>
      <dd>
        <bdi>{author_name}</bdi> <Time value={authored_date} />
      </dd>
      {committer_name === author_name ? null : (
        <>
          <dt>Committer</dt>
          <dd>
            <bdi>{committer_name}</bdi> <Time value={committed_date} />
          </dd>
        </>
      )}
      <dt>Commit</dt>
      <dd>
        <code>{id}</code> · <a href={toUrl(toPath('tree', { project, ref_path: id }))}>Files</a> ·{' '}
        <a href={patch} download>
          Patch
        </a>
      </dd>
      <dt>{parent_ids.length === 1 ? 'Parent' : 'Parents'}</dt>
      <dd>
        {parent_ids.length === 0 ? 'none' : null}
        {parent_ids.map((sha) => (
          <span key={sha}>
            <a href={toUrl(toPath('commit', { project, sha }))}>
              <code>{sha.slice(0, 8)}</code>
            </a>{' '}
          </span>
        ))}
      </dd>
      <dt>Branches and tags</dt>
      <dd>
        {refs.length === 0 ? 'none' : null}
        {refs.map(({ type, name }) => (
          <span key={`${type} ${name}`}>
            <a href={toUrl(toPath('tree', { project, ref_path: name }))}>{name}</a>{' '}
          </span>
        ))}
      </dd>
      {last_pipeline === null ? null : (
        <>
          <dt>Pipeline</dt>
          <dd>
            <a href={last_pipeline.web_url}>#{last_pipeline.id}</a> <Status status={last_pipeline.status} />
          </dd>
        </>
      )}
    </dl>
  );
}

const ACTIONS = [
  {
    name: 'cherry_pick',
    label: 'Cherry-pick',
    text: 'The changes of this commit are applied to a branch as a new commit.',
  },
  { name: 'revert', label: 'Revert', text: 'A new commit on a branch takes back the changes of this commit.' },
] as const;

/** Forms that apply the commit to a branch, or take it back there. */
function Apply({
  commit,
  project,
  location,
}: {
  readonly commit: CommitDetail;
  readonly project: ProjectDetails;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const apply = async (name: (typeof ACTIONS)[number]['name'], values: FormData) => {
    const params = { id: project.id, sha: commit.id, branch: readText(values, 'branch') };
    const { value } =
      name === 'revert'
        ? await client.call('POST /projects/:id/repository/commits/:sha/revert', params)
        : await client.call('POST /projects/:id/repository/commits/:sha/cherry_pick', params);
    if ('id' in value)
      openUrl(location.toUrl(toPath('commit', { project: project.path_with_namespace, sha: value.id })));
  };
  return (
    <div class="actions">
      {ACTIONS.map(({ name, label, text }) => (
        <details key={name} class="action-form">
          <summary>{label}</summary>
          <p class="quiet">{text}</p>
          <Form label={label} submitLabel={label} location={location} submit={(values) => apply(name, values)}>
            <TextField label="Branch" name="branch" required defaultValue={project.default_branch ?? ''} />
          </Form>
        </details>
      ))}
    </div>
  );
}
