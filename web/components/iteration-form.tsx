import type { Iteration } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Form, readText, TextArea, TextField } from './form.tsx';

interface IterationAttributes {
  readonly title: string | null;
  readonly description: string;
  readonly start_date: string;
  readonly due_date: string;
}

/** The form of a new iteration, or of a present one. */
export function IterationForm({
  iteration,
  location,
  close,
  save,
}: {
  readonly iteration: Iteration | null;
  readonly location: PageLocation;
  readonly close: () => void;
  readonly save: (attributes: IterationAttributes) => Promise<unknown>;
}) {
  return (
    <Form
      label={iteration === null ? 'New iteration' : 'Iteration'}
      submitLabel={iteration === null ? 'Create iteration' : 'Save iteration'}
      location={location}
      done={iteration === null ? 'The iteration was created.' : 'The iteration was saved.'}
      onCancel={close}
      submit={async (values) => {
        await save({
          title: readText(values, 'title') || null,
          description: readText(values, 'description'),
          start_date: readText(values, 'start_date'),
          due_date: readText(values, 'due_date'),
        });
        close();
      }}
    >
      <TextField label="Title" name="title" maxLength={255} defaultValue={iteration?.title ?? ''} />
      <TextField label="First day" name="start_date" type="date" required defaultValue={iteration?.start_date} />
      <TextField label="Last day" name="due_date" type="date" required defaultValue={iteration?.due_date} />
      <TextArea label="Description" name="description" rows={5} defaultValue={iteration?.description ?? ''} />
    </Form>
  );
}
