import type { MergeRequest } from '../api/operations.ts';
import { CheckField, readText } from './form.tsx';
import { LabelPicker, MilestonePicker, UserPicker } from './item-pickers.tsx';
import type { ProjectDetails } from './project-navigation.tsx';

/** The fields of a merge request other than its texts and branches. */
export function MergeRequestFields({
  project,
  mergeRequest,
}: {
  readonly project: ProjectDetails;
  /** Null for a new merge request. */
  readonly mergeRequest: MergeRequest | null;
}) {
  const parent = { type: 'project', id: project.id } as const;
  const squashOption = 'squash_option' in project ? project.squash_option : 'default_off';
  const removes =
    mergeRequest?.force_remove_source_branch ??
    ('remove_source_branch_after_merge' in project && project.remove_source_branch_after_merge);
  return (
    <>
      <UserPicker
        label="Assignees"
        parent={parent}
        name="assignee_ids"
        value="id"
        isMultiple
        selected={mergeRequest?.assignees ?? []}
        empty="nobody"
      />
      <UserPicker
        label="Reviewers"
        parent={parent}
        name="reviewer_ids"
        value="id"
        isMultiple
        selected={mergeRequest?.reviewers ?? []}
        empty="nobody"
      />
      <LabelPicker parent={parent} name="labels" selected={mergeRequest?.labels ?? []} />
      <MilestonePicker
        parent={parent}
        name="milestone_id"
        value="id"
        selected={mergeRequest?.milestone ? [mergeRequest.milestone] : []}
        empty="none"
      />
      <CheckField
        label="Delete the source branch when it is merged"
        name="remove_source_branch"
        defaultChecked={removes}
      />
      {squashOption === 'always' || squashOption === 'never' ? null : (
        <CheckField
          label="Squash the commits into one when it is merged"
          name="squash"
          defaultChecked={mergeRequest?.squash ?? squashOption === 'default_on'}
        />
      )}
      {mergeRequest === null ? null : (
        <CheckField
          label="Locked: only members may comment"
          name="discussion_locked"
          defaultChecked={mergeRequest.discussion_locked ?? false}
        />
      )}
    </>
  );
}

/** Returns the attributes of the fields; an empty field removes the value. */
export function readMergeRequestFields(values: FormData) {
  return {
    assignee_ids: readText(values, 'assignee_ids') || '0',
    reviewer_ids: readText(values, 'reviewer_ids') || '0',
    labels: readText(values, 'labels'),
    milestone_id: Number(readText(values, 'milestone_id')) || 0,
    remove_source_branch: values.has('remove_source_branch'),
    squash: values.has('squash'),
  };
}
