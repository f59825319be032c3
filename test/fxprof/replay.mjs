// What fxprof-replay does (see replay.c), through the wasm module and its JS:
//
//   node test/fxprof/replay.mjs CASE      needs `make build`

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  CpuDelta, Profile, ReferenceTimestamp, SamplingInterval,
} from '../../wasm-out/esm/fxprof.js';

const ADDRESSES = {
  ip: 'instructionPointer',
  return_address: 'returnAddress',
  adjusted_return_address: 'adjustedReturnAddress',
  relative_ip: 'relativeInstructionPointer',
  relative_return_address: 'relativeReturnAddress',
  relative_adjusted_return_address: 'relativeAdjustedReturnAddress',
};

const time = (value) => value.ms === undefined ? BigInt(value) : Number(value.ms);

function cpu(value) {
  if (value.ns !== undefined) return CpuDelta.fromNanoseconds(value.ns);
  return value.ms === undefined ? BigInt(value) : Number(value.ms);
}

function interval({ ns, ms, hz }) {
  if (hz !== undefined) return SamplingInterval.fromHertz(Number(hz));
  return ms === undefined ? SamplingInterval.fromNanoseconds(ns) : SamplingInterval.fromMilliseconds(ms);
}

const reference = ({ ms, secs, nanos }) => ms === undefined
  ? ReferenceTimestamp.fromDuration(BigInt(secs), nanos) : ReferenceTimestamp.fromMilliseconds(Number(ms));

function timing({ instant, interval: both, interval_start: start, interval_end: end }) {
  if (instant !== undefined) return { instant: time(instant) };
  if (both) return { interval: both.map(time) };
  return start !== undefined ? { intervalStart: time(start) } : { intervalEnd: time(end) };
}

const library = ({ debug_name, debug_path, debug_id, code_id, symbol_table, ...rest }) => ({
  ...rest, debugName: debug_name, debugPath: debug_path, debugId: debug_id, codeId: code_id,
  symbolTable: symbol_table,
});

const schema = ({ display, chart_label, tooltip_label, table_label, ...rest }) => ({
  ...rest, locations: display, chartLabel: chart_label, tooltipLabel: tooltip_label, tableLabel: table_label,
});

/** Makes the calls of a script; see replay.c for what comes of them. */
export function replay(script) {
  const variables = new Map();
  const values = {};
  const errors = [];
  const statics = Object.fromEntries(
    Object.entries(script.static_schemas ?? {}).map(([label, value]) => [label, schema(value)]));
  let profile;

  const get = (name) => (name === null || name === undefined ? name : variables.get(name));
  const frame = ({ label, lib, category, subcategory, flags, ...address }) => {
    const common = {
      category: get(category ?? subcategory), flags: flags?.map((flag) => flag.replaceAll('_', '-')),
    };
    if (label) return { ...common, label: get(label) };
    const [[key, at]] = Object.entries(address);
    return { ...common, library: get(lib), [ADDRESSES[key]]: BigInt(at) };
  };

  // Each takes the arguments of a call, and returns a handle; those of values set `value`.
  let value;
  const methods = {
    set_interval: (a) => profile.setInterval(interval(a.interval)),
    set_reference_timestamp: (a) => profile.setReferenceTimestamp(reference(a.reference_timestamp)),
    set_product: (a) => profile.setProduct(a.product),
    set_os_name: (a) => profile.setOsName(a.os_name),
    set_symbolicated: (a) => profile.setSymbolicated(a.symbolicated),
    add_category: (a) => profile.addCategory(a.name, a.color),
    add_subcategory: (a) => profile.addSubcategory(get(a.category), a.name),
    add_process: (a) => profile.addProcess(a.name, a.pid, time(a.start_time)),
    set_process_start_time: (a) => profile.setProcessStartTime(get(a.process), time(a.start_time)),
    set_process_end_time: (a) => profile.setProcessEndTime(get(a.process), time(a.end_time)),
    set_process_name: (a) => profile.setProcessName(get(a.process), a.name),
    add_thread: (a) => profile.addThread(get(a.process), a.tid, time(a.start_time), a.is_main),
    set_thread_name: (a) => profile.setThreadName(get(a.thread), a.name),
    set_thread_start_time: (a) => profile.setThreadStartTime(get(a.thread), time(a.start_time)),
    set_thread_end_time: (a) => profile.setThreadEndTime(get(a.thread), time(a.end_time)),
    set_thread_tid: (a) => profile.setThreadTid(get(a.thread), a.tid),
    set_thread_show_markers_in_timeline: (a) => profile.setThreadShowMarkersInTimeline(get(a.thread), a.show),
    set_thread_samples_weight_type: (a) => profile.setThreadSamplesWeightType(get(a.thread), a.weight_type),
    add_initial_visible_thread: (a) => profile.addInitialVisibleThread(get(a.thread)),
    add_initial_selected_thread: (a) => profile.addInitialSelectedThread(get(a.thread)),
    clear_initial_visible_threads: () => profile.clearInitialVisibleThreads(),
    clear_initial_selected_threads: () => profile.clearInitialSelectedThreads(),
    add_lib: (a) => profile.addLib(library(a.library)),
    set_lib_symbol_table: (a) => profile.setLibSymbolTable(get(a.library), a.symbol_table),
    add_lib_mapping: (a) => profile.addLibMapping(get(a.process), get(a.library), BigInt(a.start_avma),
      BigInt(a.end_avma), a.relative_address_at_start),
    remove_lib_mapping: (a) => profile.removeLibMapping(get(a.process), BigInt(a.start_avma)),
    clear_process_lib_mappings: (a) => profile.clearProcessLibMappings(get(a.process)),
    add_kernel_lib_mapping: (a) => profile.addKernelLibMapping(get(a.library), BigInt(a.start_avma),
      BigInt(a.end_avma), a.relative_address_at_start),
    remove_kernel_lib_mapping: (a) => profile.removeKernelLibMapping(BigInt(a.start_avma)),
    lib_used_rva_iter() {
      value = [...profile.libUsedRvaIter()];
    },
    intern_string: (a) => profile.internString(a.string),
    get_string(a) {
      value = profile.getString(get(a.handle));
    },
    intern_frame: (a) => profile.internFrame(get(a.thread), frame(a.frame)),
    intern_stack: (a) => profile.internStack(get(a.thread), get(a.parent), get(a.frame)),
    intern_stack_frames(a) {
      const stack = profile.internStackFrames(get(a.thread), a.frames.map(frame));
      if (stack === null) value = null;
      return stack;
    },
    add_sample: (a) => profile.addSample(get(a.thread), time(a.timestamp), get(a.stack),
      cpu(a.cpu_delta), a.weight),
    add_sample_same_stack_zero_cpu: (a) =>
      profile.addSampleSameStackZeroCpu(get(a.thread), time(a.timestamp), a.weight),
    add_allocation_sample: (a) => profile.addAllocationSample(get(a.thread), time(a.timestamp), get(a.stack),
      BigInt(a.allocation_address), BigInt(a.allocation_size)),
    register_marker_type: (a) => profile.registerMarkerType(schema(a.schema)),
    static_schema_marker_type: (a) => profile.staticSchemaMarkerType(statics[a.static]),
    add_marker(a) {
      const type = a.static === undefined ? get(a.type) : statics[a.static];
      const fields = a.values.map((item) => (String(item).startsWith('$') ? get(item) : Number(item)));
      return profile.addMarker(get(a.thread), timing(a.timing), type, get(a.name), get(a.category), fields);
    },
    set_marker_stack: (a) => profile.setMarkerStack(get(a.thread), get(a.marker), get(a.stack)),
    add_counter: (a) => profile.addCounter(get(a.process), a.name, a.category, a.description),
    set_counter_color: (a) => profile.setCounterColor(get(a.counter), a.color),
    add_counter_sample: (a) => profile.addCounterSample(get(a.counter), time(a.timestamp),
      Number(a.value_delta), a.number_of_operations_delta),
  };

  script.calls.forEach(([method, args, variable], call) => {
    value = undefined;
    try {
      if (method === 'new') {
        profile = new Profile(args.product, reference(args.reference_timestamp), interval(args.interval));
        variables.set('$other', profile.other);
        return;
      }
      const handle = methods[method](args);
      if (variable === undefined) return;
      if (value === undefined) variables.set(variable, handle);
      else {
        values[variable] = value;
        variables.set(variable, null);
      }
    } catch (error) {
      if (!error.code?.startsWith('ERR_FXPROF_')) throw error;
      errors.push({ call, code: error.code });
    }
  });

  const numbers = new Map();
  const handles = {};
  for (const [name, handle] of variables) {
    if (!handle) continue;
    if (!numbers.has(handle)) numbers.set(handle, String(numbers.size));
    handles[name] = numbers.get(handle);
  }
  return { errors, values, handles, profile };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { profile, ...rest } = replay(JSON.parse(readFileSync(process.argv[2], 'utf8')));
  process.stdout.write(`${JSON.stringify(rest).slice(0, -1)},"profile":${profile}}\n`);
}
