import { toPath } from '../../addresses.ts';
import { CallError, type Client, type ResultOf } from '../../api/call.ts';
import { type Query, query } from '../../api/query.ts';
import { CommitRows } from '../../components/commit-rows.tsx';
import { FileDiffs } from '../../components/diff.tsx';
import { readText } from '../../components/form.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefField } from '../../components/ref-field.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';
import { formatCount } from '../../text/names.ts';

type Comparison = ResultOf<'GET /projects/:id/repository/compare'>;

/** The end of the address: two refs, and whether the changes begin at the first one itself. */
interface Range {
  readonly from: string;
  readonly to: string;
  readonly straight: boolean;
}

/** Reads `main...fix`, or `main..fix` for a straight comparison. No name of a ref contains two dots. */
function readRange(text: string): Range {
  const separator = text.includes('...') ? '...' : '..';
  const [from = '', to = ''] = text.split(separator);
  return { from, to, straight: separator === '..' };
}

/** Declares the read of a comparison; null if a ref does not exist. */
function queryComparison(id: string, range: Range): Query<Comparison | null> {
  const load = async (client: Client) => {
    try {
      return await client.call('GET /projects/:id/repository/compare', { id, ...range });
    } catch (error) {
      if (!(error instanceof CallError) || (error.status !== 404 && error.status !== 400)) throw error;
      return { value: null, total: null, nextPage: null, etag: null };
    }
  };
  return { refetchSeconds: null, load };
}

/** The commits and changes between two branches, tags or commits. */
export const compare = page('compare', {
  queries: ({ values: { project: id = '', range = '' } }) => ({
    ...projectQueries(id),
    branches: query('GET /projects/:id/repository/branches', { id, sort: 'updated_desc', per_page: 100 }),
    tags: query('GET /projects/:id/repository/tags', { id, per_page: 100 }),
    comparison: queryComparison(id, readRange(range)),
  }),
  title: (_loaded, { values }) => `Compare ${values.range}`,
  navigation: (props) => <ProjectNavigation {...props} current="branches" />,
  render: ({ project: { value: project }, abilities, branches, tags, comparison, location }) => {
    const range = readRange(location.values.range ?? '');
    const path = project.path_with_namespace;
    const isNamed = ({ name }: { readonly name: string }) => name === range.to;
    // Of many branches, the list has only the latest ones.
    const isBranch = branches.value.some(isNamed) || (branches.nextPage !== null && !tags.value.some(isNamed));
    const mayCreate = can(abilities, 'create_merge_request') && isBranch;
    const branchesOfRange = new URLSearchParams({ source_branch: range.to, target_branch: range.from });
    const names = [...branches.value, ...tags.value].map(({ name }) => name);
    return (
      <>
        <RangeForm key={location.values.range} range={range} names={names} project={path} location={location} />
        {mayCreate ? (
          <p>
            <a
              class="button"
              href={`${location.toUrl(toPath('newMergeRequest', { project: path }))}?${branchesOfRange}`}
            >
              New merge request
            </a>
          </p>
        ) : null}
        {comparison.value === null ? (
          <p class="note">One of these branches, tags or commits does not exist.</p>
        ) : (
          <Changes comparison={comparison.value} range={range} project={path} location={location} />
        )}
      </>
    );
  },
});

function RangeForm({
  range,
  names,
  project,
  location: { toUrl },
}: {
  readonly range: Range;
  readonly names: readonly string[];
  readonly project: string;
  readonly location: PageLocation;
}) {
  const { openUrl } = usePageActions();
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    const [from, to] = [readText(values, 'from').trim(), readText(values, 'to').trim()];
    openUrl(toUrl(toPath('compare', { project, range: `${from}${range.straight ? '..' : '...'}${to}` })));
  };
  return (
    <form class="compare-form" aria-label="Compare" onSubmit={onSubmit}>
      <RefField label="From" name="from" names={names} defaultValue={range.from} />
      <RefField label="To" name="to" names={names} defaultValue={range.to} />
      <button type="submit" class="compare-submit">
        Compare
      </button>
    </form>
  );
}

function Changes({
  comparison: { commits, diffs, compare_same_ref, compare_timeout },
  range,
  project,
  location,
}: {
  readonly comparison: Comparison;
  readonly range: Range;
  readonly project: string;
  readonly location: PageLocation;
}) {
  if (compare_same_ref) return <p class="quiet">Both names are the same commit.</p>;
  const { toUrl } = location;
  return (
    <>
      {compare_timeout ? <p class="note">Some commits or changes are left out, because they are too many.</p> : null}
      <h2>{formatCount(commits.length, 'commit')}</h2>
      {commits.length === 0 ? (
        <p class="quiet">
          {range.from} has all commits of {range.to}.
        </p>
      ) : (
        <CommitRows commits={commits.toReversed().slice(0, MAX_SHOWN_COMMITS)} project={project} location={location} />
      )}
      {commits.length > MAX_SHOWN_COMMITS ? (
        <p>
          <a href={toUrl(toPath('commits', { project, ref: range.to }))}>All commits of {range.to}</a>
        </p>
      ) : null}
      <h2>Changes</h2>
      <FileDiffs
        files={diffs}
        toFileUrl={({ deleted_file, new_path }) =>
          deleted_file ? null : toUrl(toPath('file', { project, ref_file: `${range.to}/${new_path}` }))
        }
      />
    </>
  );
}

/** The number of commits that a comparison shows; the list of commits has all. */
const MAX_SHOWN_COMMITS = 50;
