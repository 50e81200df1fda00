import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, redirect, stream, text } from '#http/endpoint/responses.ts';
import { notFound, routeNotFound } from '#http/errors/http-error.ts';
import { findWebFile } from '#http/pages/web-files.ts';
import { visitor } from '#http/pages/web-session.ts';
import { createWebShell } from '#http/pages/web-shell.ts';
import { firstHeader, localUrl } from '#http/request/incoming.ts';
import { collapseSlashes } from '#text/trim.ts';
import { ADDRESSES, matchAddress, type PageName, toApiPath } from '#web/addresses.ts';

/** Pages and files of the web application (contract/web.md §1). */

/** Returns the endpoint that sends the application at the address of a page. */
function webPage<const Name extends PageName>(name: Name, summary: string) {
  return endpoint({
    get: ADDRESSES[name].path,
    summary,
    description: `Only for clients whose \`Accept\` names \`text/html\`; for others the path is unknown. The page is the same whether or not what the address names exists: its script calls the API.`,
    access: visitor(),
    stageOrder: 'clientToken',
    outsideApi: true,
    htmlOnly: true,
    response: html,
    handle({ visitor, request }) {
      const match = matchAddress(collapseSlashes(request.path));
      // The router knows neither reserved segments nor that `/-/` ends the path of a project.
      if (match?.name !== name) throw routeNotFound();
      return createWebShell(request, visitor, toApiPath(name, match.values));
    },
  });
}

export const getExplorePage = webPage('explore', 'Get the page of all projects');
export const getProjectPage = webPage('project', 'Get the page of a project');
export const getTreePage = webPage('tree', 'Get the page of a directory');
export const getFilePage = webPage('file', 'Get the page of a file');
export const getCommitsPage = webPage('commits', 'Get the page of commits');
export const getBranchesPage = webPage('branches', 'Get the page of branches');
export const getTagsPage = webPage('tags', 'Get the page of tags');

/** A file whose name contains the hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

export const getWebFile = endpoint({
  get: '/-/web/:file(^[\\w-]+\\.[a-z]+$)',
  summary: 'Get a file of the web application',
  description:
    'Returns a script, a style sheet or the icon, compressed if the client accepts that. Names of scripts and style sheets contain ' +
    'the hash of the content, so that clients may keep them for a year.',
  access: open(),
  outsideApi: true,
  response: stream,
  handle({ params: { file }, request }) {
    const found = findWebFile(file, firstHeader(request.headers['accept-encoding']) ?? '');
    if (found === null) throw notFound();
    const { mediaType, encoding, content } = found;
    return {
      headers: {
        'Content-Type': mediaType,
        'Cache-Control': file.startsWith('icon.') ? 'public, max-age=3600' : IMMUTABLE,
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
        ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
      },
      body: content,
    };
  },
});

export const getFavicon = endpoint({
  get: '/favicon.ico',
  summary: 'Get the icon of the web application',
  description: 'Redirects to the icon below `/-/web/`.',
  access: open(),
  outsideApi: true,
  response: redirect,
  handle: ({ request }) => ({ location: localUrl(request, '/-/web/icon.svg') }),
});

export const getRobotsFile = endpoint({
  get: '/robots.txt',
  summary: 'Get the rules for crawlers',
  description: 'Asks crawlers to stay out of `/api/`, `/-/` and `/users/`.',
  access: open(),
  outsideApi: true,
  response: text,
  read: () => 'User-agent: *\nDisallow: /api/\nDisallow: /-/\nDisallow: /users/\n',
});
