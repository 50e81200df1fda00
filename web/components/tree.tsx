import { useEffect, useState } from 'preact/hooks';
import { toPath } from '../addresses.ts';
import type { ParamsOf, ResultOf } from '../api/call.ts';
import type { RefPath } from '../api/ref-path.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { Time } from './time.tsx';

/** The maximum number of entries of a directory that a page shows. */
export const MAX_TREE_ENTRIES = 100;

export type TreeEntries = ResultOf<'GET /projects/:id/repository/tree'>;

type TreeCommits = ResultOf<'GET /projects/:id/repository/tree_commits'>;

/**
 * The entries of a directory, to which the commit that last changed each is added once it is found: that may take two seconds in
 * a long history. Submodules have no page here.
 */
export function Tree({
  entries,
  project,
  refPath: { ref, path: directory },
  page,
  location: { toUrl },
}: {
  readonly entries: TreeEntries;
  readonly project: string;
  readonly refPath: RefPath;
  /** The page of the entries, from 1. */
  readonly page: number;
  readonly location: PageLocation;
}) {
  const commits = useTreeCommits({ id: project, ref, path: directory, page, per_page: MAX_TREE_ENTRIES });
  return (
    <table class="tree">
      <thead class="hidden">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last commit</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, name, path, type }) => {
          const commit = commits.get(path);
          const url = toUrl(
            type === 'tree'
              ? toPath('tree', { project, ref_path: `${ref}/${path}` })
              : toPath('file', { project, ref_file: `${ref}/${path}` }),
          );
          return (
            <tr key={`${id} ${path}`}>
              <td>
                {type === 'commit' ? <bdi>{name}</bdi> : <a href={url}>{name}</a>}
                <span class="quiet">{type === 'tree' ? '/' : type === 'commit' ? ' (submodule)' : ''}</span>
              </td>
              <td class="tree-commit">
                {commit === undefined ? null : (
                  <a class="quiet" href={toUrl(toPath('commit', { project, sha: commit.id }))}>
                    {commit.title}
                  </a>
                )}
              </td>
              <td class="tree-time quiet">{commit === undefined ? null : <Time value={commit.committed_date} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Returns the last commit of each entry by its path; empty until they are read, and if they cannot be. */
function useTreeCommits(
  params: ParamsOf<'GET /projects/:id/repository/tree_commits'>,
): ReadonlyMap<string, TreeCommits[number]['commit']> {
  const { client } = usePageActions();
  const [commits, setCommits] = useState<TreeCommits>([]);
  const key = JSON.stringify(params);
  useEffect(() => {
    let isCurrent = true;
    setCommits([]);
    client.call('GET /projects/:id/repository/tree_commits', JSON.parse(key)).then(
      ({ value }) => isCurrent && setCommits(value),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [client, key]);
  return new Map(commits.map(({ path, commit }) => [path, commit]));
}

/** The ref of a page and each directory of its path, as links. */
export function PathLinks({
  project,
  refPath: { ref, path },
  location: { toUrl },
}: {
  readonly project: string;
  readonly refPath: RefPath;
  readonly location: PageLocation;
}) {
  const segments = path === '' ? [] : path.split('/');
  const directories = [
    ref,
    ...segments.slice(0, -1).map((_segment, index) => [ref, ...segments.slice(0, index + 1)].join('/')),
  ];
  return (
    <p class="path">
      {directories.map((directory, index) => (
        <span key={directory}>
          <a href={toUrl(toPath('tree', { project, ref_path: directory }))}>
            {index === 0 ? ref : segments[index - 1]}
          </a>
          {' / '}
        </span>
      ))}
      {segments.at(-1)}
    </p>
  );
}
