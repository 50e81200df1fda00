import { type ComponentChildren, Fragment } from 'preact';
import type { Milestone, UserBasic } from '../api/operations.ts';
import { formatCount } from '../text/names.ts';
import { getLabelTitle, Label, type LabelOrTitle } from './label.tsx';
import { Time } from './time.tsx';
import { UserLink } from './user-link.tsx';

/** An issue or merge request in a list. */
export interface ItemInList {
  readonly id: number;
  readonly title: string;
  readonly state: string;
  readonly web_url: string;
  readonly references: { readonly relative: string };
  readonly labels: readonly LabelOrTitle[];
  readonly milestone: Pick<Milestone, 'title' | 'web_url'> | null;
  readonly assignees: readonly UserBasic[];
  readonly author: UserBasic;
  readonly created_at: string;
  readonly updated_at: string;
  readonly user_notes_count: number;
  readonly confidential?: boolean;
  readonly draft?: boolean;
  readonly due_date?: string | null;
}

/** The rows of a list of issues or merge requests. */
export function ItemRows<Item extends ItemInList>({
  items,
  listHref,
  extra,
}: {
  readonly items: readonly Item[];
  /** The address of the list that a label filters; without it labels are not links. */
  readonly listHref?: string;
  /** Returns the further details of a row. */
  readonly extra?: (item: Item) => ComponentChildren;
}) {
  return (
    <ul class="rows">
      {items.map((item) => (
        <li key={item.id} class="row">
          <div class="row-main">
            <a class="row-title" href={item.web_url}>
              {item.title}
            </a>{' '}
            {item.confidential ? <span class="badge">confidential</span> : null}{' '}
            {item.draft ? <span class="badge">draft</span> : null}{' '}
            {item.state === 'opened' ? null : <span class="badge">{item.state}</span>}
            <p class="row-details quiet">
              {item.references.relative} by <bdi>{item.author.name}</bdi> <Time value={item.created_at} />{' '}
              {item.milestone === null ? null : (
                <>
                  in <a href={item.milestone.web_url}>{item.milestone.title}</a>{' '}
                </>
              )}
              {item.due_date ? `due ${item.due_date} ` : null}
              {item.labels.map((label) => (
                <Fragment key={getLabelTitle(label)}>
                  <Label
                    label={label}
                    href={listHref === undefined ? undefined : `${listHref}?${toLabelSearch(label)}`}
                  />{' '}
                </Fragment>
              ))}
            </p>
          </div>
          <div class="row-facts quiet">
            {extra?.(item)}
            {item.assignees.map((assignee) => (
              <UserLink key={assignee.id} user={assignee} />
            ))}
            {item.user_notes_count === 0 ? null : <span>{formatCount(item.user_notes_count, 'comment')}</span>}
            <span>
              updated <Time value={item.updated_at} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

const toLabelSearch = (label: LabelOrTitle): URLSearchParams => new URLSearchParams({ labels: getLabelTitle(label) });
