import type { EpicDetails, EpicInList } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { CheckField, Form, readText, TextArea, TextField } from './form.tsx';
import { LabelPicker } from './item-pickers.tsx';
import { Picker } from './picker.tsx';

/** The form of a new epic, or of a present one. */
export function EpicForm({
  epic,
  parent,
  group,
  location,
  close,
  save,
}: {
  readonly epic: EpicDetails | null;
  /** The parent epic, if it is known. */
  readonly parent: Pick<EpicInList, 'id' | 'title'> | null;
  /** The id of the group. */
  readonly group: number;
  readonly location: PageLocation;
  readonly close: () => void;
  readonly save: (attributes: ReturnType<typeof readAttributes>) => Promise<unknown>;
}) {
  return (
    <Form
      label={epic === null ? 'New epic' : 'Epic'}
      submitLabel={epic === null ? 'Create epic' : 'Save epic'}
      location={location}
      done={epic === null ? 'The epic was created.' : 'The epic was saved.'}
      onCancel={close}
      submit={async (values) => {
        await save(readAttributes(values));
        close();
      }}
    >
      <TextField label="Title" name="title" required maxLength={255} defaultValue={epic?.title} />
      <TextArea label="Description" name="description" defaultValue={epic?.description ?? ''} />
      <LabelPicker parent={{ type: 'group', id: group }} name="labels" selected={epic?.labels ?? []} />
      <ParentPicker group={group} parent={parent} />
      <TextField
        label="Start"
        name="start_date"
        type="date"
        defaultValue={epic?.start_date_fixed ?? ''}
        hint="Without dates, those of the milestones of its issues apply."
      />
      <TextField label="Due date" name="due_date" type="date" defaultValue={epic?.due_date_fixed ?? ''} />
      <CheckField
        label="Confidential: visible to members with the Planner role or a higher one"
        name="confidential"
        defaultChecked={epic?.confidential ?? false}
      />
    </Form>
  );
}

function readAttributes(values: FormData) {
  const [start, due] = [readText(values, 'start_date') || null, readText(values, 'due_date') || null];
  const isFixed = start !== null || due !== null;
  return {
    title: readText(values, 'title'),
    description: readText(values, 'description'),
    labels: readText(values, 'labels'),
    parent_id: Number(readText(values, 'parent_id')) || null,
    start_date_fixed: start,
    due_date_fixed: due,
    start_date_is_fixed: isFixed,
    due_date_is_fixed: isFixed,
    confidential: values.has('confidential'),
  };
}

function ParentPicker({
  group,
  parent,
}: {
  readonly group: number;
  readonly parent: Pick<EpicInList, 'id' | 'title'> | null;
}) {
  const { client } = usePageActions();
  const toOption = ({ id, title }: Pick<EpicInList, 'id' | 'title'>) => ({ value: String(id), text: title });
  return (
    <Picker
      label="Parent epic"
      name="parent_id"
      isMultiple={false}
      empty="none"
      selected={parent === null ? [] : [toOption(parent)]}
      search={async (text) => {
        const search = text === '' ? {} : { search: text };
        const params = { id: group, state: 'opened', include_ancestor_groups: true, per_page: 20, ...search } as const;
        return (await client.call('GET /groups/:id/epics', params)).value.map(toOption);
      }}
    />
  );
}
