import { toPath } from '../addresses.ts';
import type { ResultOf } from '../api/call.ts';
import type { RefPath } from '../api/ref-path.ts';
import type { PageLocation } from '../page.ts';

export type TreeEntries = ResultOf<'GET /projects/:id/repository/tree'>;

/** The entries of a directory. Submodules have no page here. */
export function Tree({
  entries,
  project,
  refName,
  location: { toUrl },
}: {
  readonly entries: TreeEntries;
  readonly project: string;
  readonly refName: string;
  readonly location: PageLocation;
}) {
  return (
    <table class="tree">
      <thead class="hidden">
        <tr>
          <th scope="col">Name</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, name, path, type }) => {
          const url = toUrl(
            type === 'tree'
              ? toPath('tree', { project, ref_path: `${refName}/${path}` })
              : toPath('file', { project, ref_file: `${refName}/${path}` }),
          );
          return (
            <tr key={`${id} ${path}`}>
              <td>
                {type === 'commit' ? name : <a href={url}>{name}</a>}
                <span class="quiet">{type === 'tree' ? '/' : type === 'commit' ? ' (submodule)' : ''}</span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
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
