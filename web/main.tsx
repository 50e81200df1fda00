import { render } from 'preact';
import { App } from './layout/app.tsx';
import { readSession } from './layout/read-session.ts';
import { PAGES } from './pages/index.ts';
import './style.css';

render(<App pages={PAGES} session={readSession(document)} />, document.getElementById('app')!);
