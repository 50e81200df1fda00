/** The rows of to-dos: no family with endpoints of its own, but what its endpoints and quick actions do. */
export {
  type Cause,
  findTodo,
  finishSome,
  finishTodo,
  finishTodosOn,
  insertTodos,
  isPending,
  listTodos,
  type TodoRow,
  todoVisibleTo,
} from './store.ts';
