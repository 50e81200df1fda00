import { toPath } from '../addresses.ts';
import type { PageLocation } from '../page.ts';

/** The pages of the user's account, in order. */
const TABS = [
  { name: 'accountProfile', label: 'Profile' },
  { name: 'accountPassword', label: 'Password' },
  { name: 'accountSessions', label: 'Sessions' },
  { name: 'accountTokens', label: 'Access tokens' },
  { name: 'accountEmails', label: 'E-mail addresses' },
  { name: 'accountNotifications', label: 'Notifications' },
] as const;

/** The tabs of the user's account. */
export function AccountNavigation({
  location: { toUrl },
  current,
}: {
  readonly location: PageLocation;
  /** The tab of the page. */
  readonly current: (typeof TABS)[number]['name'];
}) {
  return (
    <nav class="project-navigation" aria-label="Account">
      <p class="quiet">Your account</p>
      <ul class="tabs">
        {TABS.map(({ name, label }) => (
          <li key={name}>
            <a href={toUrl(toPath(name))} aria-current={name === current ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
