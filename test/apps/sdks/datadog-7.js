import 'profilyfill/auto';
import { datadogRum } from '@datadog/browser-rum';
import { useDatadog } from './use.js';

useDatadog(datadogRum);
