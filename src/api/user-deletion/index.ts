// What other families may use of the deletion of users.
export { removeUser } from './remove.ts';
