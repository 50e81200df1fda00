import type { PageName } from '../addresses.ts';
import type { Page } from '../page.ts';
import { explore } from './code/explore.tsx';
import { home } from './code/home.tsx';

/** All pages, by name. */
export const PAGES: Readonly<Record<PageName, Page>> = { home, explore };
