import type { TimeStats } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText, TextField } from './form.tsx';
import { ToggledForm } from './toggled-form.tsx';

/** The calls that change the times of an issue or merge request. A duration is a text such as `1d 4h`. */
export interface TimeCalls {
  readonly setEstimate: (duration: string) => Promise<unknown>;
  readonly resetEstimate: () => Promise<unknown>;
  readonly addSpentTime: (duration: string, summary: string) => Promise<unknown>;
  readonly resetSpentTime: () => Promise<unknown>;
}

/** The time that was spent on an issue or merge request, and its estimate. */
export function TimeTracking({
  stats: { time_estimate, total_time_spent, human_time_estimate, human_total_time_spent },
  calls,
  location,
}: {
  readonly stats: TimeStats;
  /** Null for callers who may not change the times. */
  readonly calls: TimeCalls | null;
  readonly location: PageLocation;
}) {
  return (
    <>
      <p>
        Spent {human_total_time_spent ?? '0h'}
        {human_time_estimate === null ? ', no estimate' : ` of ${human_time_estimate}`}
        {time_estimate === 0 ? null : (
          <progress
            class="meter"
            value={Math.min(total_time_spent, time_estimate)}
            max={time_estimate}
            aria-label="Spent part of the estimate"
          />
        )}
      </p>
      {calls === null ? null : (
        <>
          <ToggledForm button="Add time">
            {(close) => (
              <Form
                label="Add time"
                submitLabel="Add time"
                location={location}
                done="The time was added."
                onCancel={close}
                submit={async (values) => {
                  await calls.addSpentTime(readText(values, 'duration'), readText(values, 'summary'));
                  close();
                }}
              >
                <TextField label="Time spent" name="duration" required hint="Such as 1d 4h 30m." />
                <TextField label="On what" name="summary" maxLength={255} />
              </Form>
            )}
          </ToggledForm>
          <ToggledForm
            button="Set the estimate"
            actions={
              <>
                {time_estimate === 0 ? null : (
                  <ActionButton location={location} run={calls.resetEstimate} done="The estimate was removed.">
                    Remove the estimate
                  </ActionButton>
                )}
                {total_time_spent === 0 ? null : (
                  <ActionButton
                    location={location}
                    run={calls.resetSpentTime}
                    done="The time was removed."
                    confirm={{
                      title: 'Remove all time spent?',
                      text: 'Its record is deleted. This cannot be undone.',
                      label: 'Remove time',
                    }}
                  >
                    Remove the time spent
                  </ActionButton>
                )}
              </>
            }
          >
            {(close) => (
              <Form
                label="Estimate"
                submitLabel="Save estimate"
                location={location}
                done="The estimate was saved."
                onCancel={close}
                submit={async (values) => {
                  await calls.setEstimate(readText(values, 'duration'));
                  close();
                }}
              >
                <TextField
                  label="Estimate"
                  name="duration"
                  required
                  hint="Such as 2w 3d."
                  defaultValue={human_time_estimate ?? ''}
                />
              </Form>
            )}
          </ToggledForm>
        </>
      )}
    </>
  );
}
