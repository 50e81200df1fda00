// What the server may use of project and group tokens.
export { removeGroupBots, removeProjectBots } from './subscriptions.ts';
