import type { Approvals as ApprovalsData, Reviewer } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { formatCount } from '../text/names.ts';
import { ActionButton } from './action-button.tsx';
import { Time } from './time.tsx';
import { UserLink } from './user-link.tsx';

/** The approvals and reviewers of a merge request, and the buttons with which the user approves it. */
export function Approvals({
  approvals,
  reviewers,
  sha,
  location,
}: {
  readonly approvals: ApprovalsData;
  readonly reviewers: readonly Reviewer[];
  /** The head of the source branch that the user sees: another one is not approved. */
  readonly sha: string | null;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const { approved_by, approvals_left, approvals_required, user_can_approve, user_has_approved, state } = approvals;
  const path = { id: approvals.project_id, merge_request_iid: approvals.iid };
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals">Approvals</h2>
      <p>
        {approvals_required === 0
          ? 'Approvals are optional.'
          : `${formatCount(approvals_required, 'approval')} required, ${approvals_left} missing.`}{' '}
        {approved_by.length === 0 ? 'Nobody has approved yet.' : null}
      </p>
      <ul class="plain-list">
        {approved_by.map(({ user, approved_at }) => (
          <li key={user.id}>
            <UserLink user={user} /> <span class="badge">approved</span>{' '}
            <span class="quiet">
              <Time value={approved_at} />
            </span>
          </li>
        ))}
        {reviewers
          .filter(({ user }) => !approved_by.some((approval) => approval.user.id === user.id))
          .map((reviewer) => (
            <li key={reviewer.user.id}>
              <UserLink user={reviewer.user} />{' '}
              <span class="badge">{REVIEW_STATES[reviewer.state] ?? reviewer.state}</span>
            </li>
          ))}
      </ul>
      {user_can_approve ? (
        <ActionButton
          location={location}
          done="You have approved the merge request."
          run={() =>
            client.call('POST /projects/:id/merge_requests/:merge_request_iid/approve', {
              ...path,
              ...(sha === null ? {} : { sha }),
            })
          }
        >
          Approve
        </ActionButton>
      ) : null}
      {user_has_approved && state !== 'merged' ? (
        <ActionButton
          location={location}
          done="You have revoked your approval."
          run={() => client.call('POST /projects/:id/merge_requests/:merge_request_iid/unapprove', path)}
        >
          Revoke approval
        </ActionButton>
      ) : null}
    </section>
  );
}

/** Descriptions of the states of a review. */
const REVIEW_STATES: Readonly<Record<string, string>> = {
  unreviewed: 'has not reviewed yet',
  review_started: 'is reviewing',
  reviewed: 'has reviewed',
  requested_changes: 'requests changes',
  approved: 'approved',
  unapproved: 'has revoked the approval',
};
