// The wasm core as base64. The build puts it in the place of this word.
export const binary = '__PROFILYFILL_CORE__';
