// Whether a document is a profile: the schema, and what schemas cannot say.

import { readFileSync } from 'node:fs';
import Ajv from 'ajv';

const schema = JSON.parse(readFileSync(new URL('profile.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(schema);

// Columns of indices, and where these lead.
const INDICES = {
  'frameTable.func': 'funcTable', 'frameTable.nativeSymbol': 'nativeSymbols', 'funcTable.name': 'stringArray',
  'funcTable.resource': 'resourceTable', 'funcTable.fileName': 'stringArray',
  'stackTable.prefix': 'stackTable', 'stackTable.frame': 'frameTable',
  'nativeSymbols.name': 'stringArray', 'nativeSymbols.libIndex': 'libs',
  'resourceTable.lib': 'libs', 'resourceTable.name': 'stringArray', 'resourceTable.host': 'stringArray',
  'samples.stack': 'stackTable', 'nativeAllocations.stack': 'stackTable', 'markers.name': 'stringArray',
  'frameTable.category': 'categories', 'markers.category': 'categories',
};

/** What is wrong with a document, one text for each thing. */
export function findFaults(profile) {
  const faults = [];
  if (!validate(profile)) {
    for (const { instancePath, message } of validate.errors) faults.push(`${instancePath} ${message}`);
    return faults;
  }
  const { meta: { categories, markerSchema }, libs, threads, counters } = profile;
  const types = new Set(markerSchema.map(({ name }) => name));
  const checkTable = (name, table) => {
    for (const [column, values] of Object.entries(table)) {
      if (!Array.isArray(values) || values.length === table.length) continue;
      faults.push(`${name}.${column} has another length`);
    }
  };
  threads.forEach((thread, i) => {
    for (const [name, table] of Object.entries(thread)) {
      if (!Number.isInteger(table?.length) || Array.isArray(table)) continue;
      checkTable(`threads[${i}].${name}`, table);
      for (const [column, values] of Object.entries(table)) {
        const target = INDICES[`${name}.${column}`];
        const limit = target && { categories, libs, ...thread }[target].length;
        if (target && values.some((index) => index !== null && index >= limit)) {
          faults.push(`threads[${i}].${name}.${column} leads nowhere`);
        }
      }
    }
    const { stackTable: { prefix }, frameTable: { category, subcategory }, markers } = thread;
    const isEarly = (parent, stack) => parent !== null && parent >= stack;
    if (prefix.some(isEarly)) faults.push('a stack before its parent');
    if (subcategory.some((index, frame) => index >= categories[category[frame]].subcategories.length)) {
      faults.push('a subcategory that its category has not');
    }
    if (markers.data.some(({ type }) => !types.has(type))) faults.push('a marker without a schema');
  });
  counters.forEach(({ samples, mainThreadIndex }, i) => {
    checkTable(`counters[${i}].samples`, samples);
    if (mainThreadIndex >= threads.length) faults.push(`counters[${i}] has no thread`);
  });
  return faults;
}
