import type { Issue } from '../api/operations.ts';
import { usePageActions } from '../page.ts';
import { nameIteration } from '../text/iterations.ts';
import { CheckField, readText, TextField } from './form.tsx';
import { LabelPicker, MilestonePicker, UserPicker } from './item-pickers.tsx';
import { Picker } from './picker.tsx';
import type { ProjectDetails } from './project-navigation.tsx';

/** The fields of an issue other than its texts: people, labels, dates and plans. */
export function IssueFields({
  project,
  issue,
}: {
  readonly project: ProjectDetails;
  /** Null for a new issue. */
  readonly issue: Issue | null;
}) {
  const parent = { type: 'project', id: project.id } as const;
  return (
    <>
      <UserPicker
        label="Assignees"
        parent={parent}
        name="assignee_ids"
        value="id"
        isMultiple
        selected={issue?.assignees ?? []}
        empty="nobody"
      />
      <LabelPicker parent={parent} name="labels" selected={issue?.labels ?? []} />
      <MilestonePicker
        parent={parent}
        name="milestone_id"
        value="id"
        selected={issue?.milestone ? [issue.milestone] : []}
        empty="none"
      />
      <TextField label="Due date" name="due_date" type="date" defaultValue={issue?.due_date ?? ''} />
      {/* The free tier has no weights, iterations and epics. */}
      {issue?.weight === undefined ? null : (
        <TextField label="Weight" name="weight" type="number" min={0} defaultValue={issue.weight ?? ''} />
      )}
      {issue?.iteration === undefined ? null : <IterationPicker project={project.id} iteration={issue.iteration} />}
      {issue?.epic === undefined ? null : <EpicPicker group={project.namespace.id} epic={issue.epic} />}
      <CheckField
        label="Confidential: visible to its author, its assignees and members with the Planner role or a higher one"
        name="confidential"
        defaultChecked={issue?.confidential ?? false}
      />
      {issue === null ? null : (
        <CheckField
          label="Locked: only members may comment"
          name="discussion_locked"
          defaultChecked={issue.discussion_locked ?? false}
        />
      )}
    </>
  );
}

function IterationPicker({ project, iteration }: { readonly project: number; readonly iteration: Issue['iteration'] }) {
  const { client } = usePageActions();
  const toOption = (value: NonNullable<Issue['iteration']>) => ({
    value: String(value.id),
    text: nameIteration(value),
  });
  return (
    <Picker
      label="Iteration"
      name="iteration_id"
      isMultiple={false}
      empty="none"
      selected={iteration ? [toOption(iteration)] : []}
      search={async (text) => {
        const search = text === '' ? {} : { search: text };
        const params = { id: project, state: 'opened', include_ancestors: true, ...search } as const;
        return (await client.call('GET /projects/:id/iterations', params)).value.map(toOption);
      }}
    />
  );
}

function EpicPicker({ group, epic }: { readonly group: number; readonly epic: Issue['epic'] }) {
  const { client } = usePageActions();
  const toOption = ({ id, title }: { readonly id: number; readonly title: string }) => ({
    value: String(id),
    text: title,
  });
  return (
    <Picker
      label="Epic"
      name="epic_id"
      isMultiple={false}
      empty="none"
      selected={epic ? [toOption(epic)] : []}
      search={async (text) => {
        const search = text === '' ? {} : { search: text };
        const params = { id: group, state: 'opened', include_ancestor_groups: true, per_page: 20, ...search } as const;
        return (await client.call('GET /groups/:id/epics', params)).value.map(toOption);
      }}
    />
  );
}

/** Returns the attributes of the fields that the form has; an empty field removes the value. */
export function readIssueFields(values: FormData) {
  const readId = (name: string) => Number(readText(values, name)) || 0;
  return {
    assignee_ids: readText(values, 'assignee_ids') || '0',
    labels: readText(values, 'labels'),
    milestone_id: readId('milestone_id'),
    due_date: readText(values, 'due_date') || null,
    confidential: values.has('confidential'),
    discussion_locked: values.has('discussion_locked'),
    ...(values.has('weight')
      ? { weight: readText(values, 'weight') === '' ? null : Number(readText(values, 'weight')) }
      : {}),
    ...(values.has('iteration_id') ? { iteration_id: readId('iteration_id') } : {}),
    ...(values.has('epic_id') ? { epic_id: readId('epic_id') } : {}),
  };
}
