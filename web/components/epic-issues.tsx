import { CallError, type Loaded } from '../api/call.ts';
import type { EpicIssue } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { parseIssueReference } from '../text/references.ts';
import { ActionButton } from './action-button.tsx';
import { FirstRows } from './first-rows.tsx';
import { Form, readText, TextField } from './form.tsx';
import { ItemRows } from './item-rows.tsx';
import { Progress } from './progress.tsx';
import { ToggledForm } from './toggled-form.tsx';

/** The issues of an epic, and how many are closed. */
export function EpicIssues({
  issues,
  epic,
  mayChange,
  location,
}: {
  readonly issues: Loaded<readonly EpicIssue[]>;
  /** The group and the number of the epic. */
  readonly epic: { readonly id: number; readonly epic_iid: number };
  readonly mayChange: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const add = async (values: FormData) => {
    const target = parseIssueReference(readText(values, 'issue'), '');
    if (target === null || target.project === '') {
      const attributes = { issue: ['is not like group/project#3 and no URL of an issue'] };
      throw new CallError(400, { message: 'This is no reference to an issue.', attributes });
    }
    const params = { id: target.project, issue_iid: target.iid };
    const { value } = await client.call('GET /projects/:id/issues/:issue_iid', params);
    await client.call('POST /groups/:id/epics/:epic_iid/issues/:epic_issue_id_or_issue_id', {
      ...epic,
      epic_issue_id_or_issue_id: value.id,
    });
  };
  const remove = ({ epic_issue_id }: EpicIssue) =>
    client.call('DELETE /groups/:id/epics/:epic_iid/issues/:epic_issue_id_or_issue_id', {
      ...epic,
      epic_issue_id_or_issue_id: epic_issue_id,
    });
  return (
    <section aria-labelledby="epic-issues">
      <h2 id="epic-issues">Issues</h2>
      <Progress issues={issues.value} isPartial={issues.nextPage !== null} />
      {issues.value.length === 0 ? null : (
        <FirstRows rows={issues.value}>
          {(shown) => (
            <ItemRows
              items={shown}
              extra={(issue) =>
                mayChange ? (
                  <ActionButton
                    location={location}
                    run={() => remove(issue)}
                    done="The issue was removed from the epic."
                  >
                    Remove<span class="hidden"> {issue.title}</span>
                  </ActionButton>
                ) : null
              }
            />
          )}
        </FirstRows>
      )}
      <ToggledForm button="Add an issue" isOffered={mayChange}>
        {(close) => (
          <Form
            label="Add an issue"
            submitLabel="Add"
            location={location}
            done="The issue was added to the epic."
            onCancel={close}
            submit={async (values) => {
              await add(values);
              close();
            }}
          >
            <TextField label="Issue" name="issue" required hint="group/project#3 or the URL of an issue." />
          </Form>
        )}
      </ToggledForm>
    </section>
  );
}
