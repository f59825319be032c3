/** A React app whose memory is measured: a list of tasks with filters, and a context. */
import { createContext, createElement as h, memo, useCallback, useContext, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const Theme = createContext('light');

const Task = memo(function Task({ task, onToggle }) {
  const theme = useContext(Theme);
  const [isOpen, setOpen] = useState(false);
  return h('li', { className: `${theme} ${task.done ? 'done' : 'open'}`, onClick: () => setOpen(!isOpen) },
    h('input', { type: 'checkbox', checked: task.done, onChange: () => onToggle(task.id) }),
    h('span', null, task.title),
    h('small', null, `due in ${task.due} days`),
    isOpen ? h('p', null, task.text) : null);
});

function App() {
  const [tasks, setTasks] = useState(() => Array.from({ length: globalThis.taskCount }, (_, id) => ({
    id, title: `Task number ${id}`, text: `What is to be done for task ${id}`, done: id % 3 === 0, due: id % 30,
  })));
  const [filter] = useState('all');
  const shown = useMemo(() => tasks.filter(({ done }) => filter === 'all' || !done), [tasks, filter]);
  const toggle = useCallback((id) => setTasks((list) => list.map((task) =>
    (task.id === id ? { ...task, done: !task.done } : task))), []);
  return h(Theme.Provider, { value: 'dark' }, h('h1', null, `${shown.length} tasks`),
    h('ul', null, shown.map((task) => h(Task, { key: task.id, task, onToggle: toggle }))));
}

const container = document.body.appendChild(document.createElement('main'));
flushSync(() => createRoot(container).render(h(App)));
