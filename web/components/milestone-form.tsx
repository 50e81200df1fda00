import type { Milestone } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Form, readText, TextArea, TextField } from './form.tsx';

export interface MilestoneAttributes {
  readonly title: string;
  readonly description: string;
  readonly start_date: string | null;
  readonly due_date: string | null;
}

/** The form of a new milestone, or of a present one. */
export function MilestoneForm({
  milestone,
  location,
  close,
  save,
}: {
  readonly milestone: Milestone | null;
  readonly location: PageLocation;
  readonly close: () => void;
  readonly save: (attributes: MilestoneAttributes) => Promise<unknown>;
}) {
  return (
    <Form
      label={milestone === null ? 'New milestone' : 'Milestone'}
      submitLabel={milestone === null ? 'Create milestone' : 'Save milestone'}
      location={location}
      done={milestone === null ? 'The milestone was created.' : 'The milestone was saved.'}
      onCancel={close}
      submit={async (values) => {
        await save({
          title: readText(values, 'title'),
          description: readText(values, 'description'),
          start_date: readText(values, 'start_date') || null,
          due_date: readText(values, 'due_date') || null,
        });
        close();
      }}
    >
      <TextField label="Title" name="title" required maxLength={255} defaultValue={milestone?.title} />
      <TextArea label="Description" name="description" rows={5} defaultValue={milestone?.description ?? ''} />
      <TextField label="Start" name="start_date" type="date" defaultValue={milestone?.start_date ?? ''} />
      <TextField label="Due date" name="due_date" type="date" defaultValue={milestone?.due_date ?? ''} />
    </Form>
  );
}
