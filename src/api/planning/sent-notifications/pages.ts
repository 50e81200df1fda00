import type { HtmlReply } from '#http/endpoint/responses.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { alertBox, htmlPage, markup } from '#http/pages/html-page.ts';
import type { UnsubscribeClaim } from '#mail/unsubscribe-link.ts';

const TARGET_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'this issue',
  MergeRequest: 'this merge request',
  Epic: 'this epic',
  Project: 'this project',
  Digest: 'all that this mail has told of',
};

const EXCEPTION_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'unless somebody names you there',
  MergeRequest: 'unless somebody names you there',
  Epic: 'unless somebody names you there',
  Project: 'but of what you have subscribed to there',
  Digest: 'unless somebody names you there',
};

/** Asks for confirmation, because mail scanners follow links. */
export function confirmationPage({ target: what }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p>You will get no more mails of ${TARGET_TEXTS[what]}, ${EXCEPTION_TEXTS[what]}.</p>
<form method="post" action="">
<button>Unsubscribe</button>
</form>`;
  return htmlPage({ title: 'Unsubscribe?', main, csrfToken: null });
}

export function unsubscribedPage({ target: what }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p role="status">You get no more mails of ${TARGET_TEXTS[what]}, ${EXCEPTION_TEXTS[what]}.</p>`;
  return htmlPage({ title: 'Unsubscribed', main, csrfToken: null });
}

export function invalidLink(): HttpError {
  const main = markup`${alertBox('This is no link of ours.')}<p>Copy the whole link from the mail, or unsubscribe where you are signed in.</p>`;
  const { body, headers } = htmlPage({ title: 'Not found', main, csrfToken: null });
  return new HttpError(404, body, { 'Content-Type': 'text/html; charset=utf-8', ...(headers as {}) });
}
