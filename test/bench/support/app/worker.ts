import { words } from 'lodash-es';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(words(data).length));
