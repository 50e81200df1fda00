import type { ClientRequest } from 'node:http';

/** Answers of 1xx that may come before the answer itself: Node reads them for ever. */
const MOST_NEWS = 20;

/** Calls `tooMany` when a server announces an answer again and again. */
export function watchNews(request: ClientRequest, tooMany: () => void): void {
  let news = 0;
  request.on('information', () => {
    news += 1;
    if (news === MOST_NEWS + 1) tooMany();
  });
}
