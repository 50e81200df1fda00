import { CallError } from '../api/call.ts';
import type { PageLocation } from '../page.ts';
import { Form, readText, TextField } from './form.tsx';

/** The form that deletes a group or project, after its path has been entered. */
export function DeleteForm({
  kind,
  path,
  remove,
  location,
}: {
  readonly kind: 'group' | 'project';
  readonly path: string;
  readonly remove: () => Promise<unknown>;
  readonly location: PageLocation;
}) {
  const submit = async (values: FormData) => {
    if (readText(values, 'confirmation') !== path)
      throw new CallError(400, { message: `Enter the path of the ${kind}.` });
    await remove();
  };
  return (
    <>
      <p>The {kind} is deleted after some days. Until then owners can restore it.</p>
      <Form label="Delete" submitLabel={`Delete ${kind}`} submit={submit} location={location}>
        <TextField label={`Enter ${path} to delete the ${kind}`} name="confirmation" required autocomplete="off" />
      </Form>
    </>
  );
}
