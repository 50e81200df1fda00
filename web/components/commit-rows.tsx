import { toPath } from '../addresses.ts';
import type { Commit } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Time } from './time.tsx';

/** Commits, each as a link to its page. */
export function CommitRows({
  commits,
  project,
  location: { toUrl },
}: {
  readonly commits: readonly Pick<Commit, 'id' | 'short_id' | 'title' | 'author_name' | 'committed_date'>[];
  /** The full path of the project. */
  readonly project: string;
  readonly location: PageLocation;
}) {
  return (
    <ul class="rows">
      {commits.map(({ id, short_id, title, author_name, committed_date }) => (
        <li key={id} class="row">
          <a class="row-main row-title" href={toUrl(toPath('commit', { project, sha: id }))}>
            {title}
          </a>
          <span class="row-facts quiet">
            <bdi>{author_name}</bdi>
            <Time value={committed_date} />
            <a href={toUrl(toPath('tree', { project, ref_path: id }))} aria-label={`Files at ${short_id}`}>
              <code>{short_id}</code>
            </a>
          </span>
        </li>
      ))}
    </ul>
  );
}
