/** Rows of to-do items. This module has no endpoints; the to-do endpoints and quick actions use it. */
export {
  findTodo,
  hasPendingTodo,
  insertTodos,
  listTodos,
  markTodoBatchDone,
  markTodoDone,
  markTodosDone,
  type TodoCause,
  type TodoRow,
  todoVisibleTo,
} from './store.ts';
