import 'profilyfill/auto';
import { browserProfilingIntegration, flush, init, uiProfiler } from 'sentry-10';
import { useSentry } from './use.js';

useSentry({ browserProfilingIntegration, flush, init, uiProfiler });
