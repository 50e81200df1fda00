import type { ResultOf } from '../api/call.ts';
import type { PageLocation } from '../page.ts';
import { CheckField, Form, readText, SelectField, TextArea, TextField } from './form.tsx';

type RunnerDetail = ResultOf<'GET /runners/:id'>;

/** The attributes that the form of a runner sends. */
interface RunnerAttributes {
  readonly description: string;
  readonly tag_list: readonly string[];
  readonly run_untagged: boolean;
  readonly locked: boolean;
  readonly paused: boolean;
  readonly access_level: 'ref_protected' | 'not_protected';
  readonly maximum_timeout: number | null;
  readonly maintenance_note: string;
}

const SECONDS_PER_MINUTE = 60;

function readAttributes(values: FormData): RunnerAttributes {
  const minutes = Number(readText(values, 'maximum_timeout'));
  return {
    description: readText(values, 'description'),
    tag_list: readText(values, 'tag_list')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    run_untagged: values.has('run_untagged'),
    locked: values.has('locked'),
    paused: values.has('paused'),
    access_level: readText(values, 'access_level') === 'ref_protected' ? 'ref_protected' : 'not_protected',
    maximum_timeout: minutes > 0 ? minutes * SECONDS_PER_MINUTE : null,
    maintenance_note: readText(values, 'maintenance_note'),
  };
}

/** A form with the attributes of a runner. */
export function RunnerForm({
  runner,
  submit,
  close,
  location,
}: {
  /** Null for a new runner. */
  readonly runner: RunnerDetail | null;
  readonly submit: (attributes: RunnerAttributes) => Promise<unknown>;
  readonly close: () => void;
  readonly location: PageLocation;
}) {
  const save = async (values: FormData) => {
    await submit(readAttributes(values));
    close();
  };
  const timeout = runner?.maximum_timeout ?? null;
  return (
    <Form
      label={runner === null ? 'New runner' : `Edit runner #${runner.id}`}
      submitLabel={runner === null ? 'Create the runner' : 'Save'}
      submit={save}
      done={runner === null ? 'The runner was created.' : 'The runner was changed.'}
      onCancel={close}
      location={location}
    >
      <TextField label="Description" name="description" defaultValue={runner?.description ?? ''} maxLength={1024} />
      <TextField
        label="Tags"
        name="tag_list"
        defaultValue={runner?.tag_list.join(', ') ?? ''}
        hint="Separated by commas. The runner takes jobs whose tags it all has."
      />
      <CheckField label="Run jobs without tags" name="run_untagged" defaultChecked={runner?.run_untagged ?? true} />
      <CheckField label="Locked: no other project can use it" name="locked" defaultChecked={runner?.locked ?? false} />
      <CheckField label="Paused: takes no new jobs" name="paused" defaultChecked={runner?.paused ?? false} />
      <SelectField
        label="Jobs"
        name="access_level"
        value={runner?.access_level ?? 'not_protected'}
        options={[
          ['not_protected', 'Of all branches and tags'],
          ['ref_protected', 'Of protected branches and tags only'],
        ]}
      />
      <TextField
        label="Longest run of a job, in minutes"
        name="maximum_timeout"
        type="number"
        min={10}
        defaultValue={timeout === null ? '' : timeout / SECONDS_PER_MINUTE}
        hint="At least 10; empty: as long as the project allows."
      />
      <TextArea
        label="Note for maintainers"
        name="maintenance_note"
        rows={2}
        defaultValue={runner?.maintenance_note ?? ''}
      />
    </Form>
  );
}
