import { CallError } from '../api/call.ts';
import type { LinkedIssue } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { parseIssueReference } from '../text/references.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText, SelectField, TextField } from './form.tsx';
import { ToggledForm } from './toggled-form.tsx';

const LINK_TYPES = [
  ['relates_to', 'Relates to'],
  ['blocks', 'Blocks'],
  ['is_blocked_by', 'Is blocked by'],
] as const;

type LinkType = (typeof LINK_TYPES)[number][0];

/** The issues that are linked to an issue, by the kind of link. */
export function IssueLinks({
  links,
  project,
  issueIid,
  mayChange,
  location,
}: {
  readonly links: readonly LinkedIssue[];
  /** The full path of the project of the issue. */
  readonly project: string;
  readonly issueIid: string;
  readonly mayChange: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  if (links.length === 0 && !mayChange) return null;
  const issue = { id: project, issue_iid: issueIid };
  return (
    <section aria-labelledby="linked-issues">
      <h2 id="linked-issues">Linked issues</h2>
      {links.length === 0 ? null : (
        <ul class="rows">
          {links.map((link) => (
            <li key={link.issue_link_id} class="row">
              <div class="row-main">
                <span class="quiet">{LINK_TYPES.find(([type]) => type === link.link_type)?.[1]}</span>{' '}
                <a href={link.web_url}>
                  {link.references.relative} <bdi>{link.title}</bdi>
                </a>{' '}
                {link.state === 'closed' ? <span class="badge">closed</span> : null}
              </div>
              {mayChange ? (
                <ActionButton
                  location={location}
                  run={() =>
                    client.call('DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id', {
                      ...issue,
                      issue_link_id: link.issue_link_id,
                    })
                  }
                  done="The link was removed."
                >
                  Remove<span class="hidden"> the link to {link.title}</span>
                </ActionButton>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayChange ? (
        <ToggledForm button="Link an issue">
          {(close) => (
            <Form
              label="Link an issue"
              submitLabel="Link"
              location={location}
              done="The issue was linked."
              onCancel={close}
              submit={async (values) => {
                const target = readTarget(values, project);
                await client.call('POST /projects/:id/issues/:issue_iid/links', {
                  ...issue,
                  ...target,
                  link_type: readText(values, 'link_type') as LinkType,
                });
                close();
              }}
            >
              <SelectField label="This issue" name="link_type" options={LINK_TYPES} />
              <TextField label="Issue" name="target" required hint="#3, group/project#3 or the URL of an issue." />
            </Form>
          )}
        </ToggledForm>
      ) : null}
    </section>
  );
}

function readTarget(values: FormData, project: string) {
  const target = parseIssueReference(readText(values, 'target'), project);
  if (target === null) {
    const attributes = { target: ['is no reference to an issue'] };
    throw new CallError(400, { message: 'This is no reference to an issue.', attributes });
  }
  return { target_project_id: target.project, target_issue_iid: target.iid };
}
