// What this app uses of packages that come without types.
declare module '*.css';
declare module 'react' {
  export const Suspense: any;
  export function lazy(load: () => Promise<{ default: unknown }>): any;
  export function useEffect(effect: () => void | (() => void), dependencies: readonly unknown[]): void;
  export function useMemo<T>(make: () => T, dependencies: readonly unknown[]): T;
  export function useState<T>(initial: T): [T, (next: T | ((before: T) => T)) => void];
}
declare module 'react/jsx-runtime' {
  export namespace JSX { interface IntrinsicElements { [name: string]: any } }
  export const jsx: any;
  export const jsxs: any;
  export const Fragment: any;
}
declare module 'react-dom/client';
declare module 'lodash-es';
declare module 'd3-force';
declare module 'd3-hierarchy';
declare module 'handlebars/dist/handlebars.js';
declare module 'js-yaml';
declare const __BUILD_ENV__SDK_VERSION__: string;
declare const __BUILD_ENV__SDK_SETUP__: string;
declare const __BUILD_ENV__WORKER_STRING__: string;
