import type { Milestone } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { formatPeriod } from '../text/milestones.ts';
import { ActionButton } from './action-button.tsx';
import { Markdown } from './markdown.tsx';
import { type MilestoneAttributes, MilestoneForm } from './milestone-form.tsx';
import { MilestoneBadges } from './milestone-list.tsx';
import { ToggledForm } from './toggled-form.tsx';

/** The calls that change a milestone of a project or group. */
interface MilestoneCalls {
  readonly update: (
    attributes: MilestoneAttributes | { readonly state_event: 'close' | 'activate' },
  ) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

/** The dates and the text of a milestone, with forms for users who may change, close and delete it. */
export function MilestoneDetails({
  milestone,
  calls,
  project,
  location,
}: {
  readonly milestone: Milestone;
  /** Null for callers who may not change it. */
  readonly calls: MilestoneCalls | null;
  /** The full path of the project of its text; null for groups. */
  readonly project: string | null;
  readonly location: PageLocation;
}) {
  const isActive = milestone.state === 'active';
  const content = (
    <>
      <p class="quiet">
        {formatPeriod(milestone.start_date, milestone.due_date)} <MilestoneBadges milestone={milestone} />
      </p>
      {milestone.description ? <Markdown text={milestone.description} project={project} /> : null}
    </>
  );
  if (calls === null) return content;
  return (
    <ToggledForm
      button="Edit"
      content={content}
      actions={
        <>
          <ActionButton
            location={location}
            run={() => calls.update({ state_event: isActive ? 'close' : 'activate' })}
            done={isActive ? 'The milestone was closed.' : 'The milestone was reopened.'}
          >
            {isActive ? 'Close milestone' : 'Reopen milestone'}
          </ActionButton>
          <ActionButton
            location={location}
            run={calls.remove}
            done="The milestone was deleted."
            confirm={{
              title: 'Delete this milestone?',
              text: 'Its issues and merge requests stay, without a milestone. This cannot be undone.',
              label: 'Delete milestone',
            }}
          >
            Delete
          </ActionButton>
        </>
      }
    >
      {(close) => <MilestoneForm milestone={milestone} location={location} close={close} save={calls.update} />}
    </ToggledForm>
  );
}
