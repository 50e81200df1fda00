import { toPath } from '../addresses.ts';
import type { Commit } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Time } from './time.tsx';

/** A branch or tag. */
interface Ref {
  readonly name: string;
  readonly protected: boolean;
  readonly default?: boolean;
  readonly commit: Pick<Commit, 'id' | 'short_id' | 'title' | 'committed_date'> | null;
}

/** Rows of branches or tags, each with its commit. */
export function RefRows({
  refs,
  project,
  location: { toUrl },
}: {
  readonly refs: readonly Ref[];
  readonly project: string;
  readonly location: PageLocation;
}) {
  return (
    <ul class="rows">
      {refs.map(({ name, default: isDefault, protected: isProtected, commit }) => (
        <li key={name} class="row">
          <div class="row-main">
            <a class="row-title" href={toUrl(toPath('tree', { project, ref_path: name }))}>
              {name}
            </a>{' '}
            {isDefault ? <span class="badge">default</span> : null}{' '}
            {isProtected ? <span class="badge">protected</span> : null}
            {commit === null ? null : <p class="quiet clamp">{commit.title}</p>}
          </div>
          <div class="row-facts quiet">
            <a href={toUrl(toPath('commits', { project, ref: name }))}>Commits</a>
            {commit === null ? null : (
              <>
                <code>{commit.short_id}</code> <Time value={commit.committed_date} />
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
