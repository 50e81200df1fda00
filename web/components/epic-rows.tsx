import { Fragment } from 'preact';
import type { EpicInList } from '../api/operations.ts';
import { formatPeriod } from '../text/milestones.ts';
import { getLabelTitle, Label } from './label.tsx';
import { Time } from './time.tsx';

/** The rows of a list of epics. */
export function EpicRows({ epics }: { readonly epics: readonly EpicInList[] }) {
  return (
    <ul class="rows">
      {epics.map((epic) => (
        <li key={epic.id} class="row">
          <div class="row-main">
            <a class="row-title" href={epic.web_url}>
              {epic.title}
            </a>{' '}
            {epic.confidential ? <span class="badge">confidential</span> : null}{' '}
            {epic.state === 'closed' ? <span class="badge">closed</span> : null}
            <p class="row-details quiet">
              {epic.references.relative} by <bdi>{epic.author.name}</bdi> <Time value={epic.created_at} />{' '}
              {formatPeriod(epic.start_date, epic.due_date)}{' '}
              {epic.labels.map((label) => (
                <Fragment key={getLabelTitle(label)}>
                  <Label label={label} />{' '}
                </Fragment>
              ))}
            </p>
          </div>
          <div class="row-facts quiet">
            updated <Time value={epic.updated_at} />
          </div>
        </li>
      ))}
    </ul>
  );
}
