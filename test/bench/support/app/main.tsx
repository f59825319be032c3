import { datadogRum } from '@datadog/browser-rum';
import { Suspense, lazy, useState } from 'react';
import { createRoot } from 'react-dom/client';
import './style.css';

const PAGES = {
  editor: lazy(() => import('./pages/editor')),
  graph: lazy(() => import('./pages/graph')),
  table: lazy(() => import('./pages/table')),
};

type PageName = keyof typeof PAGES;

datadogRum.init({ applicationId: 'bench', clientToken: 'bench', site: 'datadoghq.com' });

function App() {
  const [current, setCurrent] = useState<PageName>('editor');
  const Page = PAGES[current];
  return (
    <>
      <nav>
        {(Object.keys(PAGES) as PageName[]).map((name) => (
          <button key={name} aria-current={name === current ? 'page' : undefined}
            onClick={() => setCurrent(name)}>{name}</button>
        ))}
      </nav>
      <main><Suspense fallback="…"><Page /></Suspense></main>
    </>
  );
}

createRoot(document.getElementById('root')!).render(<App />);
