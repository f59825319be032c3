// What frames are attributed to: rows 22, 26 to 43, 48.

import { attributionOf, attributionsOf, entriesOf } from './support.js';

const CROSS = { scope: 'cross-origin-aggregated', url: 'cross-origin-url' };

const endsIn = (path) => expect.stringMatching(new RegExp(`/${path.replace(/[.?]/g, '\\$&')}$`));

const frame = (id, src, path) => ({ container: { id, src }, scope: 'Window', url: endsIn(path) });

export default [
  {
    name: 'snapshots',
    page: async () => {
      const containers = async (...queries) => {
        const { breakdown } = await measure();
        return queries.map((query) => {
          const found = breakdown.find(({ attribution: [only] }) => only && only.url.includes(query));
          return found && found.attribution[0].container;
        });
      };
      const frame = await add('iframe', { id: 'old', src: 'frame.html?first' });
      const blank = document.createElement('iframe');
      blank.id = 'before';
      document.body.append(blank);
      blank.id = 'after';
      frame.id = 'new';
      const renamed = await containers('?first', 'about:blank');
      frame.src = 'frame.html?second';
      await loading(frame);
      const navigated = await containers('?second');
      frame.id = 'third';
      frame.contentWindow.location = 'frame.html?third';
      await loading(frame);
      const moved = await containers('?third');
      const { contentWindow } = frame;
      frame.remove();
      const removed = await containers('?third', 'snapshots.html');
      return { renamed, navigated, moved, removed, isKept: contentWindow !== null };
    },
    rows: [
      {
        row: 35, title: 'the container is as it was when the document of the frame was created',
        check({ renamed, navigated, moved }) {
          expect(renamed).toEqual([{ id: 'old', src: 'frame.html?first' }, { id: 'before', src: '' }]);
          expect(navigated).toEqual([{ id: 'new', src: 'frame.html?second' }]);
          expect(moved).toEqual([{ id: 'third', src: 'frame.html?second' }]);
        },
      },
      {
        row: 36, title: 'a frame that has been removed is in no entry',
        check: ({ removed }) => expect(removed).toEqual([null, null]),
      },
    ],
  },
  {
    name: 'frames',
    page: async (env) => {
      const redirect = (url) => `redirect?to=${encodeURIComponent(url)}`;
      const all = [
        ['iframe', { id: 'same', src: './frame.html?same' }],
        ['iframe', { src: 'frame.html?no-id' }],
        ['iframe', { id: 'blank' }],
        ['iframe', { id: 'srcdoc', srcdoc: '<p>text' }],
        ['iframe', { id: 'redirected', src: redirect('frame.html?target') }],
        ['iframe', { id: 'sandboxed', src: 'frame.html?sandboxed', sandbox: 'allow-scripts' }],
        ['iframe', { id: 'same-site', src: `${env.b}bare.html` }],
        ['iframe', { id: 'cross-site', src: `${env.c}bare.html` }],
        ['iframe', { id: 'set', src: 'frameset.html' }],
        ['object', { id: 'object', data: './frame.html?object' }],
        ['object', { id: 'other-object', data: `${env.c}bare.html?object` }],
        ['embed', { id: 'embed', src: './frame.html?embed' }],
        ['embed', { id: 'other-embed', src: `${env.c}bare.html?embed` }],
        ['iframe', { id: 'lone\ud800id', src: 'frame.html?lone\udc00src' }],
        ['iframe', { id: 'nested', src: 'outer.html?inner=frame.html?deep' }],
        ['iframe', {
          id: 'border', src: `${env.b}outer.html?secret-outer&worker&inner=${env.c}outer.html?secret-inner`
            + `&inner=${encodeURIComponent(redirect(`${env.c}frame.html?secret-redirect`))}`
            + `&inner=${env.a}frame.html?ours`,
        }],
      ];
      const elements = await Promise.all(all.map(([tag, attributes]) => add(tag, attributes)));
      const host = document.createElement('div');
      document.body.append(host);
      const closed = host.attachShadow({ mode: 'closed' });
      await add('iframe', { id: 'in-shadow', src: 'frame.html?shadow' }, closed);
      const open = document.createElement('div');
      document.body.append(open);
      await add('iframe', { id: 'in-open', src: 'frame.html?open' }, open.attachShadow({ mode: 'open' }));
      history.pushState(null, '', 'pushed?x=1');
      const border = elements.at(-1).contentWindow;
      while (border.length < 3) await idle(20);
      await idle(200);
      const result = await measure();
      return { result, text: JSON.stringify(result), lone: result.breakdown.map(({ attribution: [only] }) => (
        only && only.url.includes('lone') && only.container ? [
          only.container.id === 'lone\ud800id', only.container.src === 'frame.html?lone\ufffdsrc',
        ] : null)).filter(Boolean)[0] };
    },
    rows: [
      {
        row: 20, title: 'an entry tells its realms, each once',
        check({ result }) {
          for (const { attribution } of result.breakdown) {
            expect(new Set(attribution.map((one) => JSON.stringify(one))).size).toBe(attribution.length);
          }
          expect(result.breakdown.some(({ attribution }) => attribution.length === 1)).toBe(true);
        },
      },
      {
        row: 22, title: 'a frame of another site is listed with 0 bytes',
        check: ({ result }) => expect(entriesOf(result, 'cross-site')).toEqual([
          { attribution: [expect.objectContaining(CROSS)], bytes: 0, types: ['JavaScript'] },
        ]),
      },
      {
        row: 26, title: 'frames of other origins have no URL and no scope of their own',
        check({ result }) {
          for (const id of ['same-site', 'cross-site']) {
            expect(attributionOf(result, id)).toEqual(
              { container: { id, src: expect.stringMatching(/bare\.html$/) }, ...CROSS });
          }
          expect(attributionOf(result, 'sandboxed')).toEqual(
            { container: { id: 'sandboxed', src: 'frame.html?sandboxed' }, ...CROSS });
        },
      },
      {
        row: 27, title: 'the URL is the current one',
        check({ result }) {
          expect(entriesOf(result, '/pushed?x=1').length).toBeGreaterThan(0);
          expect(entriesOf(result, 'frames.html')).toEqual([]);
        },
      },
      {
        row: 28, title: 'the scope is that of a window',
        check: ({ result }) =>
          expect(attributionOf(result, '/pushed?x=1')).toMatchObject({ scope: 'Window' }),
      },
      {
        row: 29, title: 'without a container there is no such key',
        check: ({ result }) => expect('container' in attributionOf(result, '/pushed?x=1')).toBe(false),
      },
      {
        row: 31, title: 'a frame of our origin has its own element for a container',
        check({ result }) {
          expect(attributionOf(result, '?same')).toEqual(
            frame('same', './frame.html?same', 'frame.html?same'));
          expect(attributionOf(result, '/frame.html?deep')).toEqual(
            frame('secret-id-0', 'frame.html?deep', 'frame.html?deep'));
          expect(attributionOf(result, 'blank')).toEqual(
            { container: { id: 'blank', src: '' }, scope: 'Window', url: 'about:blank' });
          expect(attributionOf(result, 'srcdoc')).toEqual(
            { container: { id: 'srcdoc', src: '' }, scope: 'Window', url: 'about:srcdoc' });
        },
      },
      {
        row: 31, title: 'frames in shadow trees are found, closed ones as well',
        check({ result }) {
          for (const [id, query] of [['in-shadow', 'shadow'], ['in-open', 'open']]) {
            const path = `frame.html?${query}`;
            expect(attributionOf(result, `?${query}`)).toEqual(frame(id, path, path));
          }
        },
      },
      {
        row: 32, title: 'a frame of another origin has its own element, too',
        check: ({ result }) => expect(attributionOf(result, 'cross-site').container.id).toBe('cross-site'),
      },
      {
        row: 33, title: 'a frame of our origin in one of another is shown, with the outer container',
        check: ({ result }) => expect(attributionOf(result, '?ours')).toEqual({
          container: { id: 'border', src: expect.stringContaining('secret-outer') }, scope: 'Window',
          url: endsIn('frame.html?ours'),
        }),
      },
      {
        row: 34, title: 'what else is in one of another origin is folded into it',
        check({ result }) {
          const folded = entriesOf(result, 'border')
            .filter(({ attribution: [only] }) => only.scope === CROSS.scope);
          expect(folded).toHaveLength(1);
          expect(folded[0].bytes).toBe(0);
        },
        departs: {
          // One entry for each process, and those of a frame's own site have bytes.
          native: ({ result }) => expect(attributionsOf(result).filter((one) =>
            one.includes('"border"') && one.includes(CROSS.scope))).toHaveLength(1),
        },
      },
      {
        row: 37, title: 'iframe: id and src',
        check: ({ result }) => expect(attributionOf(result, '?same').container).toEqual(
          { id: 'same', src: './frame.html?same' }),
      },
      {
        row: 38, title: 'frame: id and src',
        check: ({ result }) => expect(attributionOf(result, '?set').container).toEqual(
          { id: 'in-set', src: 'frame.html?set' }),
      },
      {
        row: 39, title: 'object: id and data',
        check({ result }) {
          expect(attributionOf(result, '?object').container).toEqual(
            { id: 'object', src: './frame.html?object' });
          expect(attributionOf(result, 'other-object')).toEqual(
            { container: { id: 'other-object', src: expect.stringMatching(/\?object$/) }, ...CROSS });
        },
        departs: {
          native({ result }) {
            expect(attributionOf(result, '?object').container).toEqual({ id: 'object', src: '' });
            expect(attributionOf(result, 'other-object')).toBeUndefined();
          },
        },
      },
      {
        row: 40, title: 'embed: id and src',
        check({ result }) {
          expect(attributionOf(result, '?embed').container).toEqual(
            { id: 'embed', src: './frame.html?embed' });
          expect(attributionOf(result, 'other-embed')).toEqual(
            { container: { id: 'other-embed', src: expect.stringMatching(/\?embed$/) }, ...CROSS });
        },
        departs: {
          native({ result }) {
            expect(attributionOf(result, '?embed').container.id).toBe('embed');
            expect(attributionOf(result, 'other-embed')).toBeUndefined();
          },
        },
      },
      {
        row: 41, title: 'attributes that are not there are empty',
        check({ result }) {
          expect(attributionOf(result, '?no-id').container).toEqual({ id: '', src: 'frame.html?no-id' });
          expect(attributionOf(result, 'blank').container.src).toBe('');
        },
      },
      {
        row: 42, title: 'lone surrogates are replaced in src and URL, and kept in id',
        check({ result, lone }) {
          expect(lone).toEqual([true, true]);
          expect(entriesOf(result, '?lone%EF%BF%BDsrc').length).toBeGreaterThan(0);
        },
        departs: {
          native: ({ result }) =>
            expect('container' in attributionOf(result, '?lone%EF%BF%BDsrc')).toBe(false),
        },
      },
      {
        row: 43, title: 'src is as written, the URL as it was led to',
        check: ({ result }) => expect(attributionOf(result, '?target')).toEqual(
          frame('redirected', 'redirect?to=frame.html%3Ftarget', 'frame.html?target')),
      },
      {
        row: 46, title: 'workers of a frame of another origin are folded',
        check({ text }) {
          expect(text).not.toContain('secret-worker');
          expect(text).not.toContain('DedicatedWorker');
        },
      },
      {
        row: 48, title: 'nothing of what is behind the border is told',
        check({ result }) {
          const known = JSON.stringify(result, (key, value) => (key === 'src' ? undefined : value))
            .replaceAll('"secret-id-0"', ''); // of our own nested frame
          expect(known).not.toContain('secret');
          // The page has written the address of the frame at the border itself.
          expect(attributionsOf(result).filter((one) => one.includes('secret-outer')
            && !one.includes('"border"'))).toEqual([]);
        },
      },
    ],
  },
];
