import assert from 'node:assert/strict';
import { type Browser, browser, PASSWORD } from '../support/browser.ts';
import type { Scene } from './scene.ts';

// Examples of endpoints for browsers: the session cookie is sent as a header.

/** Returns a browser with a new signed-in user. */
export async function createSignedInBrowser(scene: Scene): Promise<Browser> {
  const { anonymous } = scene.callers;
  const visit = browser({ anonymous });
  const { username } = await scene.userWithPassword();
  assert.equal((await visit.signIn(username, PASSWORD)).status, 302);
  return visit;
}

export function cookieHeader(visit: Browser) {
  return { Cookie: `_service_session=${visit.cookie()}` };
}

/** A form as the browser sends it from the page that it has loaded last. */
export function filledForm(visit: Browser, fields: Readonly<Record<string, string>>) {
  return {
    raw: new URLSearchParams({ authenticity_token: visit.csrfToken(), ...fields }).toString(),
    headers: { ...cookieHeader(visit), 'Content-Type': 'application/x-www-form-urlencoded' },
  };
}

/** Returns the headers of a write that a script of a page sends. */
export async function csrfHeaders(visit: Browser) {
  await visit.get('//');
  return { ...cookieHeader(visit), 'X-CSRF-Token': visit.csrfToken() };
}
