import type { ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { CheckField, Form, readText, TextField } from './form.tsx';

type Schedule = Pick<
  ResultOf<'GET /projects/:id/pipeline_schedules'>[number],
  'id' | 'description' | 'ref' | 'cron' | 'cron_timezone' | 'active'
>;

/** Returns the short name of a branch or tag. */
export const shortenRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '');

/** A form that creates a schedule, or changes one. */
export function ScheduleForm({
  project,
  schedule,
  defaultRef,
  close,
  onCreated = () => {},
  location,
}: {
  readonly project: number;
  /** Null for a new schedule. */
  readonly schedule: Schedule | null;
  readonly defaultRef: string;
  readonly close: () => void;
  readonly onCreated?: (id: number) => void;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const submit = async (values: FormData) => {
    const attributes = {
      description: readText(values, 'description'),
      ref: readText(values, 'ref'),
      cron: readText(values, 'cron'),
      cron_timezone: readText(values, 'cron_timezone'),
      active: values.has('active'),
    };
    if (schedule === null) {
      const { value } = await client.call('POST /projects/:id/pipeline_schedules', { id: project, ...attributes });
      close();
      return onCreated(value.id);
    }
    const target = { id: project, pipeline_schedule_id: schedule.id };
    await client.call('PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id', { ...target, ...attributes });
    close();
  };
  return (
    <Form
      label={schedule === null ? 'New schedule' : 'Edit the schedule'}
      submitLabel={schedule === null ? 'Create the schedule' : 'Save'}
      submit={submit}
      done={schedule === null ? 'The schedule was created.' : 'The schedule was changed.'}
      onCancel={close}
      location={location}
    >
      <TextField label="Description" name="description" defaultValue={schedule?.description} required />
      <TextField
        label="Branch or tag"
        name="ref"
        defaultValue={shortenRef(schedule?.ref ?? defaultRef)}
        required
        hint="Pipelines run as you, so that you must be allowed to push to it."
      />
      <TextField
        label="Times"
        name="cron"
        defaultValue={schedule?.cron ?? '0 2 * * *'}
        required
        hint="Minute, hour, day of the month, month, day of the week; or @daily and the like."
      />
      <TextField
        label="Time zone"
        name="cron_timezone"
        defaultValue={schedule?.cron_timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
        required
      />
      <CheckField label="Active" name="active" defaultChecked={schedule?.active ?? true} />
    </Form>
  );
}
