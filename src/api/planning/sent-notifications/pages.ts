import type { HtmlReply } from '#http/endpoint/responses.ts';
import type { HttpError } from '#http/errors/http-error.ts';
import { createAlertBox, createHtmlError, createHtmlPage, markup } from '#http/pages/html-page.ts';
import type { UnsubscribeClaim } from '#mail/unsubscribe-link.ts';

const TARGET_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'this issue',
  MergeRequest: 'this merge request',
  Epic: 'this epic',
  Project: 'this project',
  Digest: 'everything listed in this mail',
};

const EXCEPTION_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'unless you are mentioned there',
  MergeRequest: 'unless you are mentioned there',
  Epic: 'unless you are mentioned there',
  Project: 'except for what you are subscribed to there',
  Digest: 'unless you are mentioned there',
};

/** Returns a page that asks for confirmation, because mail scanners follow links. */
export function createConfirmationPage({ target }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p>You will receive no more mails about ${TARGET_TEXTS[target]}, ${EXCEPTION_TEXTS[target]}.</p>
<form method="post" action="">
<button>Unsubscribe</button>
</form>`;
  return createHtmlPage({ title: 'Unsubscribe?', main, csrfToken: null });
}

/** Returns the page that confirms that the user has unsubscribed. */
export function createUnsubscribedPage({ target }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p role="status">You will receive no more mails about ${TARGET_TEXTS[target]}, ${EXCEPTION_TEXTS[target]}.</p>`;
  return createHtmlPage({ title: 'Unsubscribed', main, csrfToken: null });
}

/** Returns the 404 page for a link without a valid token. */
export function createInvalidLinkError(): HttpError {
  const main = markup`${createAlertBox('This unsubscribe link is invalid.')}<p>Copy the whole link from the mail, or sign in and unsubscribe there.</p>`;
  return createHtmlError(404, { title: 'Not found', main });
}
