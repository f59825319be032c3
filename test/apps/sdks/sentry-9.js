import 'profilyfill/auto';
import { browserProfilingIntegration, flush, init, startInactiveSpan } from 'sentry-9';
import { useSentry9 } from './use.js';

useSentry9({ browserProfilingIntegration, flush, init, startInactiveSpan });
